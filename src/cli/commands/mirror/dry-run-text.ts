import { counted, formatBytes } from '../../../core/format.ts';
import type { DryRun } from '../../../mirror/flow/dry-run.ts';
import type { Style } from '../../command.ts';

/** What a run would move and the space it needs on each side. */
export function dryRunText(plan: DryRun, style: Style): string {
  const { here } = plan;
  const lines = [
    `${style.bold(counted(plan.images, 'image'))}, ${formatBytes(plan.totalBytes)}`,
    `${style.bold(String(plan.missingImages))} to move: ${formatBytes(plan.missingBytes)}`,
  ];
  if (here) {
    const enough = here.freeBytes >= here.neededBytes;
    const free = `${formatBytes(here.freeBytes)} are free`;
    lines.push(
      `${style.dim('space here  ')} ${formatBytes(here.neededBytes)} at ${here.path}: ${enough ? free : style.red(free)}`,
    );
  }
  return [
    ...lines,
    `${style.dim('space mirror')} ${formatBytes(plan.missingBytes)}`,
    ...plan.failures.map(({ subject, message }) => `${style.red('failed')} ${subject}: ${message}`),
    `${style.dim('mapping     ')} ${plan.mappingFile}`,
    `${style.dim('missing     ')} ${plan.missingFile}`,
  ].join('\n');
}

/** Not enough room is known before anything was written. */
export function dryRunExitCode({ failures, here }: DryRun): number {
  if (here && here.freeBytes < here.neededBytes) return 3;
  return failures.length > 0 ? 7 : 0;
}
