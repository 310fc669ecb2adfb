import { signal } from '@preact/signals';
import { goTo, shownViews } from './route.ts';
import { nextLanguage, nextTheme } from './settings.ts';

export const helpShown = signal(false);

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);

function searchImages(): void {
  if (!shownViews().includes('images')) return;
  goTo('images');
  // The view is drawn after this.
  setTimeout(() => document.getElementById('image-search')?.focus(), 50);
}

const ACTIONS: Readonly<Record<string, () => void>> = {
  '/': searchImages,
  '?': () => {
    helpShown.value = !helpShown.value;
  },
  t: nextTheme,
  l: nextLanguage,
};

/** Keys that work everywhere but where text is written. */
export function listenForKeys(): () => void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') helpShown.value = false;
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const view = shownViews()[event.key === '0' ? 9 : Number(event.key) - 1];
    const action = view ? () => goTo(view) : ACTIONS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  };
  addEventListener('keydown', onKey);
  return () => removeEventListener('keydown', onKey);
}
