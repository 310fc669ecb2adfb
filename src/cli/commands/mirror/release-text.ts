import type { ReleaseMirrorResult } from '../../../mirror/flow/release/mirror-release.ts';
import {
  type InstructionKind,
  releaseInstructions,
} from '../../../mirror/flow/release/release-instructions.ts';
import type { MirroredImage } from '../../../mirror/image-rules.ts';
import { formatReference } from '../../../oci/reference.ts';
import type { Style } from '../../command.ts';
import { reportText } from './result-text.ts';

/** Where images go in a folder, unless the command line says otherwise. */
export const DEFAULT_REPOSITORY = 'openshift/release';

export type ReleaseOutcome =
  | { readonly mapping: readonly string[] }
  | {
      readonly result: ReleaseMirrorResult;
      readonly instructions: string;
      readonly toDir: string | undefined;
    };

/** `SOURCE TARGET`, one image a line: what `oc image mirror -f` reads. */
export function mappingLines(placed: readonly MirroredImage[]): string[] {
  return placed.map(
    ({ image, target }) => `${formatReference(image.source)} ${formatReference(target)}`,
  );
}

/** How it went, and what the cluster has to be told. */
export function releaseText(outcome: ReleaseOutcome, style: Style): string {
  if ('mapping' in outcome) return outcome.mapping.join('\n');
  const { result, toDir } = outcome;
  const head = [reportText(result.report, style), ...againLines(result), ''];
  if (toDir !== undefined) return [...head, ...carryLines(result, toDir, style)].join('\n');
  return [...head, ...clusterLines(result, outcome.instructions as InstructionKind, style)].join(
    '\n',
  );
}

/** Images are found by digest, so the same command is its own retry. */
function againLines({ report }: ReleaseMirrorResult): string[] {
  return report.failed > 0
    ? ['next: run the same command again; it sends only what is not there']
    : [];
}

function carryLines(result: ReleaseMirrorResult, toDir: string, style: Style): string[] {
  const { tag } = result;
  const repository = result.placed[0]?.target.repository ?? DEFAULT_REPOSITORY;
  const from = repository === DEFAULT_REPOSITORY ? tag : `file://${repository}:${tag}`;
  return [
    `${style.bold('Release')} ${result.tag} is in ${toDir}`,
    ...(result.signatureFile ? [`${style.bold('Signature')} ${result.signatureFile}`] : []),
    '',
    'Carry the folder, then run one of',
    `  atoll mirror release --from-dir ${toDir} --from ${from} --to HOST/REPO`,
    `  oc image mirror --from-dir=${toDir} 'file://${repository}:${tag}*' HOST/REPO`,
  ];
}

function clusterLines(result: ReleaseMirrorResult, kind: InstructionKind, style: Style): string[] {
  const { installConfig, mirrorSet, mirrorPrefixes } = releaseInstructions(
    result,
    kind === 'none' ? 'idms' : kind,
  );
  const lines = [
    ...(result.updateImage ? [`${style.bold('Update image:')}  ${result.updateImage}`] : []),
    ...mirrorPrefixes.map((prefix) => `${style.bold('Mirror prefix:')} ${prefix}`),
    ...(result.signatureFile ? [`${style.bold('Signature:')}     ${result.signatureFile}`] : []),
  ];
  if (kind === 'none') return lines;
  return [
    ...lines,
    '',
    style.dim('# A new cluster: add this to install-config.yaml'),
    installConfig.trimEnd(),
    '',
    style.dim('# A cluster that runs: apply this'),
    mirrorSet.trimEnd(),
  ];
}
