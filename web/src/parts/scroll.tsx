import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** A place that scrolls when it has to; only then keys have to reach it. */
export function Scroll({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    const fit = new ResizeObserver(() => {
      if (root.scrollWidth > root.clientWidth) root.tabIndex = 0;
      else root.removeAttribute('tabindex');
    });
    fit.observe(root);
    return () => fit.disconnect();
  }, []);
  return (
    <section class="scroll" aria-label={label} ref={place}>
      {children}
    </section>
  );
}
