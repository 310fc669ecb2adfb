import { writeFileAtomic } from '../../core/files.ts';
import { formatBytes, formatDuration } from '../../core/format.ts';
import { redactJson } from '../../core/redact.ts';
import { Html, html } from './html.ts';
import type { ReportError, ReportFinding, ReportInput, ReportWarning } from './report-input.ts';
import { REPORT_STYLE } from './report-style.ts';
import { imagesSection, nodesSection, stagesSection } from './report-tables.ts';

const URL_LOGIN = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** Writes the page, without any secret that this process has met and without logins in addresses. */
export async function writeReport(path: string, input: ReportInput): Promise<void> {
  const clean = redactJson(input);
  const text = clean.siteFile.text.replace(URL_LOGIN, '$1[redacted]@');
  await writeFileAtomic(path, reportHtml({ ...clean, siteFile: { ...clean.siteFile, text } }));
}

/**
 * A run as one page. It needs nothing but itself: no script, no font, no address is fetched, and the
 * page forbids it even to what might be in the data.
 */
export function reportHtml(input: ReportInput): string {
  const title = `atoll ${input.name}: ${input.outcome}`;
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${new Html(REPORT_STYLE)}</style>
</head>
<body>
<main>
${header(input)}
${figures(input)}
${facts(input)}
${input.error ? failure(input.error, input.findings) : undefined}
${stagesSection(input.stages, input.durationMs)}
${nodesSection(input.nodes)}
${timeline(input.timelineSvg)}
${imagesSection(input.images)}
${warnings(input.warnings)}
${honesty(input)}
${siteFile(input.siteFile)}
<footer>Written by atoll ${input.version}. One file, nothing outside it: it can be carried anywhere.</footer>
</main>
</body>
</html>
`;
  return page.text;
}

function header({ name, outcome, startedAt, run }: ReportInput): Html {
  const [tone, word] = outcome === 'succeeded' ? ['good', 'came up'] : ['bad', 'did not come up'];
  return html`<header><h1>atoll ${name}</h1><span class="badge ${tone}">${word}</span>
<span class="soft">run ${run}, ${startedAt.slice(0, 16).replace('T', ' ')} UTC</span></header>`;
}

function figures({ images, nodes, durationMs }: ReportInput): Html {
  const moved = images.reduce((sum, { copiedBytes }) => sum + copiedBytes, 0);
  const pulled = nodes.reduce((sum, { bytes }) => sum + bytes, 0);
  const pulls = nodes.reduce((sum, node) => sum + node.pulls.length, 0);
  const shown: readonly (readonly [string, string])[] = [
    [formatDuration(durationMs), 'this run'],
    [String(images.length), 'images in the mirror'],
    [formatBytes(moved), 'moved into it'],
    [String(nodes.length), 'machines'],
    [String(pulls), 'pulls from the mirror'],
    [formatBytes(pulled), 'pulled and verified'],
  ];
  const figure = ([value, about]: readonly [string, string]) =>
    html`<div class="figure"><b>${value}</b><span>${about}</span></div>`;
  return html`<div class="figures">${shown.map(figure)}</div>`;
}

function facts({ facts: shown }: ReportInput): Html {
  const fact = ([name, value]: readonly [string, string]) =>
    html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<dl class="facts">${shown.map(fact)}</dl>`;
}

function failure(error: ReportError, findings: readonly ReportFinding[]): Html {
  return html`<section class="failure"><h2>Why it failed</h2>
<p>${error.message}${error.code ? html` <code>${error.code}</code>` : undefined}</p>
${findings.map(finding)}
${error.hint ? html`<p class="soft">Next: <code>${error.hint}</code></p>` : undefined}</section>`;
}

function finding({ id, cause, remedy, commands, evidence }: ReportFinding): Html {
  const lines = evidence.map(({ place, text }) => `${place}: ${text}`).join('\n');
  return html`<details open><summary>${cause} <span class="soft"><code>${id}</code></span></summary>
<p>${remedy}</p>
${commands.length > 0 ? html`<pre>${commands.join('\n')}</pre>` : undefined}
${lines ? html`<p class="soft">Evidence</p><pre>${lines}</pre>` : undefined}</details>`;
}

function timeline(svg: string | undefined): Html | undefined {
  if (svg === undefined) return undefined;
  // Inside HTML the name space is known, and the page stays free of addresses.
  const inline = svg.replace(/ xmlns="[^"]*"/, '');
  return html`<section><h2>Bootstrap</h2><div class="timeline">${new Html(inline)}</div></section>`;
}

function warnings(list: readonly ReportWarning[]): Html | undefined {
  if (list.length === 0) return undefined;
  const warning = ({ message, hint }: ReportWarning) =>
    html`<div class="warning">${message}${hint ? html`<br><span class="soft">${hint}</span>` : undefined}</div>`;
  return html`<section><h2>Warnings</h2>${list.map(warning)}</section>`;
}

function honesty({ simulated, real }: ReportInput): Html | undefined {
  if (simulated.length === 0) return undefined;
  const items = (list: readonly string[]) =>
    html`<ul>${list.map((one) => html`<li>${one}</li>`)}</ul>`;
  return html`<section><div class="columns"><div><h2>Simulated</h2>${items(simulated)}</div>
<div><h2>Real</h2>${items(real)}</div></div></section>`;
}

function siteFile({ path, text }: ReportInput['siteFile']): Html {
  return html`<section><h2>Site file</h2><p class="soft">${path}. Secrets are in files beside it, never in it.</p>
<pre>${text}</pre></section>`;
}
