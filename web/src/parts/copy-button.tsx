import { useSignal } from '@preact/signals';
import { t } from '../settings.ts';

const SHOWN_MS = 1600;

export function CopyButton({ text }: { readonly text: string }) {
  const done = useSignal(false);
  const copy = async () => {
    await writeClipboard(text);
    done.value = true;
    setTimeout(() => {
      done.value = false;
    }, SHOWN_MS);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${t().copy}: ${text}`}>
      <span aria-live="polite">{done.value ? t().copied : t().copy}</span>
    </button>
  );
}

/** A page from disk may not use the clipboard directly; an old way works there. */
async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
