import { formatBytes, formatDuration, formatRate } from '../../core/format.ts';
import type { RehearsalFinding } from '../../rehearse/findings.ts';
import type { RehearsalResult } from '../../rehearse/run-rehearsal.ts';
import type { Style } from '../command.ts';

const SHOWN_IMAGES = 8;
const SHOWN_COMMANDS = 4;

/** A rehearsal for people: the verdict, then each cause with what it costs and what closes it. */
export function rehearsalText(rehearsal: RehearsalResult, style: Style): string {
  const { findings, unread, unchecked } = rehearsal;
  return [
    verdict(rehearsal, style),
    ...findings.flatMap((finding) => ['', ...findingLines(finding, style)]),
    ...unread.flatMap(({ subject, message }) => [
      '',
      `${style.red('not listed')} ${subject}: what it holds was not rehearsed`,
      `  ${style.dim('because')} ${message}`,
    ]),
    ...(unchecked.length > 0 ? [''] : []),
    ...unchecked.map((what) => `${style.dim('not looked at:')} ${what}`),
    ...stormLines(rehearsal, style),
    ...modelLines(rehearsal, style),
  ].join('\n');
}

function verdict(rehearsal: RehearsalResult, style: Style): string {
  const { clean, images, pullable, blobs, downloadedBytes, depth, registries, isolated } =
    rehearsal;
  const word = clean ? style.green('clean') : style.red('not ready');
  const looked =
    depth === 'full'
      ? `${blobs} blobs read (${formatBytes(downloadedBytes)})`
      : `${blobs} blobs asked for, none read: use --depth full to find damage`;
  return `${word}: ${pullable} of ${images} images can be pulled from ${registries.join(', ') || 'no mirror'}${isolated ? ', and from nowhere else' : ''}; ${looked}`;
}

function findingLines(finding: RehearsalFinding, style: Style): string[] {
  const { severity, cause, title, rule, commands, evidence, images } = finding;
  const mark = severity === 'hole' ? style.red('hole') : style.yellow('warning');
  return [
    `${mark} ${style.bold(title)} [${cause}]`,
    `  ${style.dim('rule ')} ${rule}`,
    ...evidence.slice(0, 2).map((line) => `  ${style.dim('seen ')} ${line}`),
    ...limited(commands, SHOWN_COMMANDS).map(
      (line) => `  ${style.dim('close')} ${style.cyan(line)}`,
    ),
    ...limited(
      images.map(({ name, reason }) => `${name} (${reason})`),
      SHOWN_IMAGES,
    ).map((line) => `    ${line}`),
  ];
}

function limited(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  return [...lines.slice(0, most), `… ${lines.length - most} more; --output json shows all`];
}

function stormLines({ storm }: RehearsalResult, style: Style): string[] {
  if (!storm) return [];
  const { firstByteMs: first, imageMs: image } = storm;
  return [
    '',
    `${style.bold('storm')} ${storm.nodes} machines pulled ${storm.images} images, ${formatBytes(storm.bytes)} in ${storm.requests} requests`,
    `  ${formatRate(storm.bytesPerSecond)}; answers begin after ${first.p50} ms (p50), ${first.p99} ms (p99); an image takes ${formatDuration(image.p50)} (p50), ${formatDuration(image.p99)} (p99)`,
    `  an install of this size would spend ${formatDuration(storm.durationMs)} pulling, measured from this one machine`,
    ...storm.phases.map(
      ({ role, nodes, bytes, durationMs }) =>
        `    ${role} (${nodes}): ${formatBytes(bytes)} in ${formatDuration(durationMs)}`,
    ),
    ...(storm.failed > 0 ? [`  ${style.red(`${storm.failed} pulls failed`)}`] : []),
    ...storm.errors.map(({ node, image: name, message }) => `    ${node}: ${name}: ${message}`),
  ];
}

function modelLines({ models, assumptions }: RehearsalResult, style: Style): string[] {
  if (!models || models.length === 0) return [];
  return [
    '',
    style.bold('model'),
    ...models.map(({ nodes, bytes, seconds, phases }) => {
      const bounds = [...new Set(phases.map(({ bound }) => bound))].join(', ');
      return `  ${nodes} machines: ${formatBytes(bytes)} in ${formatDuration(seconds * 1000)}, held up by: ${bounds}`;
    }),
    ...(assumptions ?? []).map((line) => `  ${style.dim(`assumed: ${line}`)}`),
  ];
}
