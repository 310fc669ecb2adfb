import * as z from 'zod';
import {
  type ApiVersion,
  architectures,
  flag,
  isAbove,
  MACHINES,
  ONLY_V2,
  only,
  platforms,
  releaseVersion,
  text,
  textAs,
  together,
  unique,
  uniqueNames,
} from './fields.ts';
import { readPullSpec } from './references.ts';

const releaseChannel = z
  .strictObject({
    name: text.describe('Such as stable-4.18'),
    type: z.enum(['ocp', 'okd']).default('ocp'),
    minVersion: releaseVersion.optional(),
    maxVersion: releaseVersion.optional(),
    shortestPath: flag.describe(
      'Only the releases on the shortest way from minVersion to maxVersion',
    ),
    full: flag.describe('Every release of the channel'),
  })
  .check(
    together(['minVersion', 'maxVersion'], ({ minVersion, maxVersion }, mistake) => {
      if (!isAbove(minVersion, maxVersion)) return;
      mistake('minVersion', `minVersion ${minVersion} is above maxVersion ${maxVersion}`);
    }),
    together(['shortestPath', 'full'], ({ shortestPath, full }, mistake) => {
      if (shortestPath && full) mistake('full', '"full" and "shortestPath" exclude each other');
    }),
  );

export const platformContent = (version: ApiVersion) => {
  const isV2 = version === 'v2alpha1';
  return z
    .strictObject({
      graph: flag.describe('Also build the image of the update graph'),
      channels: z.array(releaseChannel).check(uniqueNames()).default([]),
      architectures: z
        .array(architectures([...MACHINES, 'multi']))
        .check(
          unique(
            (name) => name,
            (name) => name,
          ),
        )
        .default([]),
      platforms: only(isV2, platforms, ONLY_V2),
      release: only(isV2, textAs(readPullSpec), ONLY_V2).describe(
        'A single release image; channels are then not looked at',
      ),
      kubeVirtContainer: only(isV2, z.boolean(), ONLY_V2),
    })
    .check(
      together(['architectures', 'platforms'], ({ architectures, platforms }, mistake) => {
        if (!platforms?.length || architectures.length === 0) return;
        mistake('architectures', '"architectures" and "platforms" exclude each other');
      }),
    )
    .transform(({ architectures, platforms, kubeVirtContainer = false, ...rest }) => {
      const byDefault = platforms ? ('multi' as const) : ('amd64' as const);
      const chosen = architectures.length > 0 ? architectures : [byDefault];
      return { ...rest, platforms, kubeVirtContainer, architectures: chosen };
    });
};
