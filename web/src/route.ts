import { signal } from '@preact/signals';

export const VIEWS = ['overview', 'findings', 'images', 'runs'] as const;

export type View = (typeof VIEWS)[number];

const isView = (name: string): name is View => VIEWS.some((view) => view === name);

const viewInAddress = (): View => {
  const name = location.hash.slice(1);
  return isView(name) ? name : 'overview';
};

export const view = signal<View>(viewInAddress());

addEventListener('hashchange', () => {
  // Any other name is that of a place on the page.
  if (isView(location.hash.slice(1))) view.value = viewInAddress();
});

export function goTo(next: View): void {
  location.hash = next;
}
