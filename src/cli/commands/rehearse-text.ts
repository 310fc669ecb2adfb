import { formatBytes } from '../../core/format.ts';
import type { Finding } from '../../rehearse/findings.ts';
import type { Rehearsal } from '../../rehearse/rehearse.ts';
import type { Style } from '../command.ts';

const SHOWN_IMAGES = 8;
const SHOWN_COMMANDS = 4;

/** A rehearsal for people: the verdict, then each cause with what it costs and what closes it. */
export function rehearsalText(rehearsal: Rehearsal, style: Style): string {
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
  ].join('\n');
}

function verdict(rehearsal: Rehearsal, style: Style): string {
  const { clean, images, pullable, blobs, downloadedBytes, depth, registries } = rehearsal;
  const word = clean ? style.green('clean') : style.red('not ready');
  const looked =
    depth === 'full'
      ? `${blobs} blobs read (${formatBytes(downloadedBytes)})`
      : `${blobs} blobs asked for, none read: use --depth full to find damage`;
  return `${word}: ${pullable} of ${images} images can be pulled from ${registries.join(', ') || 'no mirror'}; ${looked}`;
}

function findingLines(finding: Finding, style: Style): string[] {
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
