import { counted, formatBytes } from '../../../core/format.ts';
import type { DryRun, SpaceHere } from '../../../mirror/flow/dry-run.ts';
import type { Style } from '../../command.ts';
import { reportExitCode } from '../../mirror-options.ts';
import { failureLines } from './failure-text.ts';

type Outcome<R> = { readonly dryRun: DryRun } | { readonly result: R };

/** How a command shows what it did, or what it would do. */
export const orDryRun = <R extends { readonly report: Parameters<typeof reportExitCode>[0] }>(
  resultText: (result: R, style: Style) => string,
) => ({
  text: (outcome: Outcome<R>, style: Style) =>
    'result' in outcome ? resultText(outcome.result, style) : dryRunText(outcome.dryRun, style),
  exitCode: (outcome: Outcome<R>) =>
    'result' in outcome ? reportExitCode(outcome.result.report) : dryRunExitCode(outcome.dryRun),
});

/** What a run would move and the space it needs on each side. */
export function dryRunText(plan: DryRun, style: Style): string {
  const { here } = plan;
  const lines = [
    `${style.bold(counted(plan.images, 'image'))}, ${formatBytes(plan.totalBytes)}`,
    `${style.bold(String(plan.missingImages))} to move: ${formatBytes(plan.missingBytes)}`,
  ];
  if (here) {
    const needed = `${formatBytes(here.neededBytes)} at ${here.path}`;
    const free = `${formatBytes(here.freeBytes)} are free`;
    lines.push(`${style.dim('space here  ')} ${needed}: ${free}`);
  }
  return [
    ...lines,
    `${style.dim('space mirror')} ${formatBytes(plan.missingBytes)}`,
    ...(here && lacksRoom(here) ? [`${style.red('failed')} ${noRoom(here)}`] : []),
    ...failureLines(plan.failures, style),
    `${style.dim('mapping     ')} ${plan.mappingFile}`,
    `${style.dim('missing     ')} ${plan.missingFile}`,
    ...(plan.resources ? [`${style.dim('resources   ')} ${plan.resources}`] : []),
  ].join('\n');
}

const lacksRoom = ({ freeBytes, neededBytes }: SpaceHere) => freeBytes < neededBytes;

const noRoom = ({ path, freeBytes, neededBytes }: SpaceHere) =>
  `there is not enough room at ${path}: free ${formatBytes(neededBytes - freeBytes)} more, or name another disk`;

/** Not enough room is known before anything was written. */
export function dryRunExitCode({ failures, here }: DryRun): number {
  if (here && lacksRoom(here)) return 3;
  return failures.length > 0 ? 7 : 0;
}
