import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { ByteSeries } from '../../../src/dashboard/model/run-state.ts';
import { clockOf, formatBytes } from '../format.ts';
import { isSystemDark, theme } from '../settings.ts';

const HEIGHT = 150;

/** Bytes a second over time. */
export function Curve({ series, label }: { readonly series: ByteSeries; readonly label: string }) {
  const place = useRef<HTMLDivElement>(null);
  const chosen = `${theme.value} ${isSystemDark.value}`;
  useEffect(() => {
    const root = place.current;
    if (!root) return undefined;
    const plot = new UPlot(optionsOf(root, chosen), dataOf(series), root);
    const fit = new ResizeObserver(() =>
      plot.setSize({ width: Math.max(200, root.clientWidth), height: HEIGHT }),
    );
    fit.observe(root);
    return () => {
      fit.disconnect();
      plot.destroy();
    };
  }, [series, series.values.length, chosen]);
  return <div class="curve" ref={place} role="img" aria-label={label} />;
}

function dataOf({ startMs, slotMs, values }: ByteSeries): UPlot.AlignedData {
  const rates = values.map((value) => value / (slotMs / 1000));
  // One slot alone would be a point that nobody sees.
  const shown = rates.length === 1 ? [0, ...rates, 0] : [...rates, 0];
  return [shown.map((_, index) => (startMs + index * slotMs) / 1000), shown];
}

/** A colour of the theme as a canvas knows it: which one it is only a real property tells. */
function colourOf(root: HTMLElement, name: string): string {
  root.style.color = `var(${name})`;
  const { color } = getComputedStyle(root);
  root.style.color = '';
  return color;
}

function optionsOf(root: HTMLElement, _theme: string): UPlot.Options {
  const style = getComputedStyle(root);
  const axis = {
    stroke: colourOf(root, '--soft'),
    grid: { stroke: colourOf(root, '--line'), width: 1 },
  };
  const font = `11px ${style.fontFamily}`;
  const path = UPlot.paths.stepped?.({ align: 1 });
  return {
    width: Math.max(200, root.clientWidth),
    height: HEIGHT,
    cursor: { show: false },
    legend: { show: false },
    padding: [8, 28, 0, 0],
    axes: [
      {
        ...axis,
        font,
        size: 28,
        space: 70,
        values: (_, ticks) => ticks.map((tick) => clockOf(tick * 1000, true)),
      },
      {
        ...axis,
        font,
        size: 76,
        // Halves and doubles of binary units are round there, tens are not.
        incrs: Array.from({ length: 44 }, (_, power) => 2 ** power),
        values: (_, ticks) => ticks.map((tick) => (tick === 0 ? '0' : `${formatBytes(tick)}/s`)),
      },
    ],
    series: [
      {},
      {
        stroke: colourOf(root, '--accent'),
        fill: colourOf(root, '--accent-soft'),
        width: 1.5,
        points: { show: false },
        ...(path ? { paths: path } : {}),
      },
    ],
  };
}
