import { formatBytes, formatDuration } from '../../core/format.ts';
import { type Html, html } from './html.ts';
import type { ReportImage, ReportNode, ReportStage } from './report-input.ts';

const BAR_WIDTH = 1000;
const KINDS: Readonly<Record<string, string>> = {
  release: 'Release',
  component: 'Components of the release',
  catalog: 'Operator catalogs',
  bundle: 'Operator bundles',
  related: 'Images of operators',
  additional: 'Additional images',
};

export function stagesSection(stages: readonly ReportStage[], totalMs: number): Html {
  const whole = Math.max(totalMs, ...stages.map(({ startMs, durationMs }) => startMs + durationMs));
  const row = (stage: ReportStage) => html`<tr><td>${stage.title}</td>
<td class="state ${stage.outcome}">${wordOf(stage)}</td>
<td class="number">${stage.durationMs > 0 ? formatDuration(stage.durationMs) : ''}</td>
<td class="bar">${bar(stage.outcome, stage.startMs / whole, stage.durationMs / whole)}</td></tr>`;
  return html`<section><h2>Stages</h2><table>
<tr><th>Stage</th><th></th><th class="number">Time</th><th></th></tr>
${stages.map(row)}</table></section>`;
}

function wordOf({ outcome, reason }: ReportStage): string {
  if (outcome === 'skipped') return reason ?? 'skipped';
  return outcome === 'not-run' ? 'not run' : outcome;
}

export function nodesSection(nodes: readonly ReportNode[]): Html | undefined {
  if (nodes.length === 0) return undefined;
  const most = Math.max(1, ...nodes.map(({ bytes }) => bytes));
  const row = (node: ReportNode) => html`<tr><td>${node.name}</td>
<td class="state ${node.state}">${node.state}</td>
<td class="number">${node.pulls.length}</td><td class="number">${formatBytes(node.bytes)}</td>
<td class="bar">${bar(node.state, 0, node.bytes / most)}</td></tr>`;
  return html`<section><h2>Pulls per machine, upstream being off</h2><table>
<tr><th>Machine</th><th></th><th class="number">Images</th><th class="number">Bytes</th><th></th></tr>
${nodes.map(row)}</table>
<details${nodes.some(({ message }) => message) ? html` open` : undefined}><summary>Every pull</summary>${nodes.map(nodeDetails)}</details></section>`;
}

function nodeDetails({ name, message, pulls }: ReportNode): Html {
  const row = ({ image, endpoint }: ReportNode['pulls'][number]) =>
    html`<tr><td><code>${image}</code></td><td><code>${endpoint}</code></td></tr>`;
  return html`<details${message ? html` open` : undefined}><summary>${name} <span class="soft">${pulls.length} images</span></summary>
${message ? html`<pre>${message}</pre>` : undefined}
${pulls.length > 0 ? html`<table><tr><th>Asked for</th><th>Served by</th></tr>${pulls.map(row)}</table>` : undefined}</details>`;
}

export function imagesSection(images: readonly ReportImage[]): Html | undefined {
  if (images.length === 0) return undefined;
  const kinds = [...new Set(images.map(({ kind }) => kind))].toSorted(
    (a, b) => rankOf(a) - rankOf(b),
  );
  const group = (kind: string) => {
    const own = images.filter((image) => image.kind === kind);
    return html`<details><summary>${KINDS[kind] ?? kind} <span class="soft">${totals(own)}</span></summary>
<table><tr><th>From</th><th>In the mirror</th><th></th><th class="number">Size</th><th class="number">Moved</th></tr>
${own.map(imageRow)}</table></details>`;
  };
  return html`<section><h2>Images <span class="soft">${totals(images)}</span></h2>${kinds.map(group)}</section>`;
}

const rankOf = (kind: string) => {
  const index = Object.keys(KINDS).indexOf(kind);
  return index < 0 ? Number.MAX_SAFE_INTEGER : index;
};

function totals(images: readonly ReportImage[]): string {
  const moved = images.reduce((sum, { copiedBytes }) => sum + copiedBytes, 0);
  const failed = images.filter(({ outcome }) => outcome === 'failed').length;
  const missing = failed > 0 ? `, ${failed} failed` : '';
  return `${images.length}, ${formatBytes(moved)} moved${missing}`;
}

function imageRow({ source, target, outcome, reason, sizeBytes, copiedBytes }: ReportImage): Html {
  return html`<tr><td><code>${source}</code><br><span class="soft">${reason}</span></td><td><code>${target}</code></td>
<td class="${outcome === 'failed' ? 'failed' : 'soft'}">${outcome}</td>
<td class="number">${sizeBytes === undefined ? '' : formatBytes(sizeBytes)}</td><td class="number">${formatBytes(copiedBytes)}</td></tr>`;
}

/** A bar in a track; `from` and `share` are parts of the whole. */
function bar(state: string, from: number, share: number): Html {
  const x = Math.min(BAR_WIDTH - 3, Math.round(from * BAR_WIDTH));
  const width = share > 0 ? Math.max(3, Math.round(share * BAR_WIDTH)) : 0;
  return html`<svg viewBox="0 0 ${BAR_WIDTH} 18" preserveAspectRatio="none" aria-hidden="true">
<rect class="track" y="3" width="${BAR_WIDTH}" height="12"/><rect class="${state}" x="${x}" y="3" width="${width}" height="12"/></svg>`;
}
