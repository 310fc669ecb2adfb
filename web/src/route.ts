import { signal } from '@preact/signals';
import { page } from './data.ts';

const VIEWS = [
  'overview',
  'nodes',
  'bootstrap',
  'cluster',
  'findings',
  'rehearsal',
  'images',
  'mirror',
  'config',
  'runs',
] as const;

export type View = (typeof VIEWS)[number];

/** The views there is something for: a page of one command has fewer than that of a site. */
export const shownViews = (): readonly View[] => {
  const named = page.value?.views;
  return named ? VIEWS.filter((name) => named.includes(name)) : VIEWS;
};

const isView = (name: string): name is View => shownViews().some((view) => view === name);

const viewInAddress = (): View => {
  const name = location.hash.slice(2);
  return isView(name) ? name : 'overview';
};

export const view = signal<View>(viewInAddress());

addEventListener('hashchange', () => {
  // Any other name is that of a place on the page.
  if (isView(location.hash.slice(2))) view.value = viewInAddress();
});

/** Not a place on the page, which screen readers would take `#name` for. */
export const addressOf = (name: View) => `#/${name}`;

export function goTo(next: View): void {
  location.hash = addressOf(next);
}
