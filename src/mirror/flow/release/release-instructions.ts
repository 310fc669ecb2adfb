import { toYaml } from '../../../core/yaml.ts';
import { imageContentSourcePolicy, imageDigestMirrorSet } from '../../../generate/mirror-sets.ts';
import { imageRules } from '../../image-rules.ts';
import type { ReleaseMirrorResult } from './mirror-release.ts';

export type InstructionKind = 'idms' | 'icsp' | 'none';

/** What a cluster has to be told so that it finds a mirrored release. */
export interface ReleaseInstructions {
  /** Repositories of the mirror that hold images of the release. */
  readonly mirrorPrefixes: readonly string[];
  /** For install-config.yaml of a new cluster. */
  readonly installConfig: string;
  /** For a cluster that runs. */
  readonly mirrorSet: string;
}

export function releaseInstructions(
  { placed }: Pick<ReleaseMirrorResult, 'placed'>,
  kind: Exclude<InstructionKind, 'none'>,
): ReleaseInstructions {
  const rules = imageRules(placed).byDigest.release;
  const sources = rules.map(({ source, mirrors }) => ({ mirrors, source }));
  const [field, object] =
    kind === 'idms'
      ? ['imageDigestSources', imageDigestMirrorSet('release-mirror', rules)]
      : ['imageContentSources', imageContentSourcePolicy('release-mirror', rules)];
  return {
    mirrorPrefixes: [...new Set(rules.flatMap(({ mirrors }) => mirrors))],
    installConfig: toYaml({ [field]: sources }),
    mirrorSet: toYaml(object),
  };
}
