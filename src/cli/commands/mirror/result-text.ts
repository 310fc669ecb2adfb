import { join, relative } from 'node:path';
import { counted, formatBytes, formatDuration, shellLine } from '../../../core/format.ts';
import type { BundleIndex } from '../../../mirror/bundle/bundle-index.ts';
import type { MirrorResult } from '../../../mirror/flow/mirror-images.ts';
import {
  failuresOf,
  isBuilt,
  type MirrorReport,
  sparedBy,
  wholeRunHint,
} from '../../../mirror/flow/report.ts';
import type { SaveResult } from '../../../mirror/flow/save.ts';
import type { Style } from '../../command.ts';
import { failureLines } from './failure-text.ts';

const NAMES_SHOWN = 3;

/** A run in a few lines, failures last where the eye ends up, those of one cause together. */
export function reportText(report: MirrorReport, style: Style): string {
  const { images, copied, skipped, failed, copiedBytes, mountedBytes, durationMs } = report;
  return [
    `${style.bold(counted(images.length, 'image'))}: ${copied} copied, ${skipped} were there, ${failed === 0 ? 'none' : style.red(String(failed))} failed`,
    `${formatBytes(copiedBytes)} moved, ${formatBytes(mountedBytes)} mounted in ${formatDuration(durationMs)}`,
    ...failureLines(failuresOf(report), style),
  ].join('\n');
}

/** What could not be collected takes a whole run, and often a correction before it. */
function nextLine(report: MirrorReport, errorsFile: string): string {
  return report.images.some((image) => image.outcome === 'failed' && !isBuilt(report.flow, image))
    ? `next: atoll mirror retry${dirFlag(errorsFile)} (with the registry flags of this run)`
    : `next: ${wholeRunHint(report)}`;
}

/** How a later run finds the memory of this one, which is beside the logs. */
function dirFlag(errorsFile: string): string {
  const folder = relative('.', join(errorsFile, '..', '..', '..'));
  return folder === '' ? '' : ` --dir ${shellLine([folder])}`;
}

/** A run that filled a mirror, with the files it wrote. */
export function resultText(result: MirrorResult, style: Style): string {
  const { report, resources, reportFile, errorsFile, installConfig } = result;
  const files = [
    `${style.dim('report   ')} ${reportFile}`,
    ...resources.map((file) => `${style.dim('resource ')} ${file}`),
  ];
  if (errorsFile)
    files.push(`${style.dim('errors   ')} ${errorsFile}`, nextLine(report, errorsFile));
  const snippet = installConfig
    ? ['', style.dim('# for install-config.yaml'), installConfig.trimEnd()]
    : [];
  return [reportText(report, style), '', ...files, ...snippet].join('\n');
}

/** A run that filled a bundle, or a part of one. */
export function saveText({ report, bundle, folder, errorsFile }: SaveResult, style: Style): string {
  return [
    reportText(report, style),
    '',
    ...(bundle
      ? bundleLines(bundle, folder, style)
      : [style.red(`There is no bundle in ${folder}: nothing could be saved`)]),
    ...(report.deltas ? [`${style.bold('deltas')} ${deltaText(report.deltas)}`] : []),
    ...(errorsFile ? [`${style.dim('errors')} ${errorsFile}`] : []),
    ...(errorsFile && bundle ? [nextLine(report, errorsFile)] : []),
    bundle
      ? 'next: carry it, then atoll mirror load --from DIR --to docker://HOST'
      : `next: ${wholeRunHint(report)}`,
  ].join('\n');
}

function bundleLines(bundle: BundleIndex, folder: string, style: Style): string[] {
  const { id, chunks, base, missing = [] } = bundle;
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.size, 0);
  const delta = base.length > 0 ? `, counts on ${base.length} blobs there` : '';
  return [
    `${style.bold('bundle')} ${id} in ${folder}: ${counted(chunks.length, 'chunk')}, ${formatBytes(bytes)}${delta}`,
    ...(missing.length > 0 ? [partialText(missing, style)] : []),
  ];
}

/** `12 layers as deltas spared 400 MiB; 2 layers whole: zstd cannot be rebuilt yet (2)`. */
function deltaText(layers: NonNullable<MirrorReport['deltas']>): string {
  const whole = new Map<string, number>();
  for (const { whole: reason } of layers)
    if (reason !== undefined) whole.set(reason, (whole.get(reason) ?? 0) + 1);
  const made = layers.filter((layer) => layer.whole === undefined).length;
  const reasons = [...whole].map(([reason, count]) => `${count} whole: ${reason}`);
  return [
    `${counted(made, 'layer')} as deltas spared ${formatBytes(sparedBy(layers))}`,
    ...reasons,
  ].join('; ');
}

/** A bundle that lacks something says so wherever it is shown. */
export function partialText(missing: NonNullable<BundleIndex['missing']>, style: Style): string {
  const names = missing.slice(0, NAMES_SHOWN).map(({ subject }) => subject);
  const more = missing.length > NAMES_SHOWN ? `, and ${missing.length - NAMES_SHOWN} more` : '';
  return `${style.red('partial')}: it lacks ${names.join(', ')}${more}`;
}
