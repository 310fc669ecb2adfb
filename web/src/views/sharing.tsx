import type { ImageRow } from '../../../src/dashboard/model/page-data.ts';
import { run } from '../data.ts';
import { formatBytes } from '../format.ts';
import { t } from '../settings.ts';

/** What all images would weigh if none shared anything. */
export function namedBytes(images: readonly ImageRow[]): number {
  return images.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
}

/** Of the bytes that images name, how few had to move. */
export function Sharing({ images }: { readonly images: readonly ImageRow[] }) {
  const state = run.value;
  const named = namedBytes(images);
  if (!state || named === 0) return null;
  const words = t().images;
  const { copied, mounted, reused } = state;
  const shared = Math.max(0, named - copied.bytes - mounted.bytes - reused.bytes);
  const parts: readonly (readonly [string, string, number])[] = [
    ['moved', words.stored, copied.bytes],
    ['mounted', words.mounted, mounted.bytes],
    ['reused', words.reused, reused.bytes],
    ['shared', words.shared, shared],
  ];
  const shown = parts.filter(([, , bytes]) => bytes > 0);
  const whole = shown.reduce((sum, [, , bytes]) => sum + bytes, 0);
  let x = 0;
  return (
    <figure class="sharing">
      <figcaption>
        {words.sharing} <span class="soft">{`${words.named}: ${formatBytes(named)}`}</span>
      </figcaption>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        {shown.map(([name, , bytes]) => {
          const width = (bytes / whole) * 100;
          x += width;
          return <rect key={name} class={name} x={x - width} width={width} height="10" />;
        })}
      </svg>
      <ul>
        {shown.map(([name, word, bytes]) => (
          <li key={name}>
            <span class={`swatch ${name}`} aria-hidden="true" />
            <b>{formatBytes(bytes)}</b> {word}
          </li>
        ))}
      </ul>
    </figure>
  );
}
