import * as z from 'zod';
import { nearest } from '../../core/nearest.ts';
import {
  type ApiVersion,
  flag,
  isAbove,
  ONLY_V2,
  only,
  operatorVersion,
  origin,
  originOf,
  platforms,
  refused,
  repositoryName,
  repositoryPath,
  tag,
  text,
  textAs,
  together,
  uniqueNames,
} from './fields.ts';
import { readPullSpec } from './references.ts';

interface Range {
  readonly minVersion?: string | undefined;
  readonly maxVersion?: string | undefined;
  readonly minBundle?: string | undefined;
}

const NO_BUNDLES = refused('bundles cannot be selected by name; set minVersion and maxVersion');

const rangeFields = (version: ApiVersion) => ({
  minVersion: operatorVersion.optional(),
  maxVersion: operatorVersion.optional(),
  /** Lowest bundle by name; never together with `minVersion`. */
  minBundle: only(version === 'v1alpha2', text, 'it belongs to v1alpha2; write minVersion'),
  bundles: NO_BUNDLES,
});

const minMax = <T extends Range>() =>
  together<T & Range>(['minVersion', 'maxVersion'], ({ minVersion, maxVersion }, mistake) => {
    if (!isAbove(minVersion, maxVersion)) return;
    mistake('minVersion', `minVersion ${minVersion} is above maxVersion ${maxVersion}`);
  });

const oneLowest = <T extends Range>() =>
  together<T & Range>(['minVersion', 'minBundle'], ({ minVersion, minBundle }, mistake) => {
    if (!minVersion || !minBundle) return;
    mistake('minBundle', '"minBundle" and "minVersion" exclude each other');
  });

const hasRange = ({ minVersion, maxVersion, minBundle }: Range): boolean =>
  [minVersion, maxVersion, minBundle].some((value) => value !== undefined);

const operatorChannel = (version: ApiVersion) =>
  z.strictObject({ name: text, ...rangeFields(version) }).check(minMax(), oneLowest());

const operatorPackage = (version: ApiVersion) =>
  z
    .strictObject({
      name: text,
      defaultChannel: text.optional(),
      channels: z.array(operatorChannel(version)).check(uniqueNames()).default([]),
      ...rangeFields(version),
    })
    .check(
      minMax(),
      oneLowest(),
      together(['channels', 'minVersion', 'maxVersion', 'minBundle'], (value, mistake) => {
        const bounded = value.channels.find(hasRange);
        if (!bounded || !hasRange(value)) return;
        const hint = 'keep the bounds on the package, or on its channels';
        mistake('channels', `both the package and "${bounded.name}" have bounds`, hint);
      }),
      together(['channels', 'defaultChannel'], ({ channels, defaultChannel }, mistake) => {
        const names = channels.map(({ name }) => name);
        if (!defaultChannel || names.length === 0 || names.includes(defaultChannel)) return;
        const near = nearest(defaultChannel, names);
        const hint = near ? `did you mean "${near}"?` : 'add it to "channels"';
        mistake('defaultChannel', `"${defaultChannel}" is not among the channels`, hint);
      }),
    );

export const operatorCatalog = (version: ApiVersion) => {
  const isV1 = version === 'v1alpha2';
  return z
    .strictObject({
      catalog: origin.describe('The index image, or a layout as oci:///path'),
      packages: z.array(operatorPackage(version)).check(uniqueNames()).default([]),
      full: flag.describe('All bundles instead of channel heads'),
      targetCatalog: repositoryPath.optional().describe('Repository path on the target'),
      targetTag: tag.optional(),
      skipDependencies: flag,
      targetName: only(isV1, repositoryName, 'it belongs to v1alpha2; write targetCatalog'),
      originalRef: only(
        isV1,
        textAs(readPullSpec),
        'it belongs to v1alpha2; write targetCatalog and targetTag',
      ),
      targetCatalogSourceTemplate: only(!isV1, text, ONLY_V2),
      platforms: only(!isV1, platforms, ONLY_V2),
    })
    .check(
      together(['full', 'packages'], ({ full, packages }, mistake) => {
        const ranged = packages.find((item) => hasRange(item) || item.channels.some(hasRange));
        if (!full || !ranged) return;
        mistake('full', `"full" and the version bounds of "${ranged.name}" exclude each other`);
      }),
    )
    .transform(({ targetName, originalRef, targetCatalog, targetTag, ...rest }) => {
      const from = originOf(rest.catalog);
      const named = originalRef ?? (from.kind === 'registry' ? from.reference : undefined);
      // `targetName` renames the last part of the path; `originalRef` is the name a layout stands for.
      const parent = named?.repository.split('/').slice(0, -1) ?? [];
      const renamed = targetName && [...parent, targetName].join('/');
      return {
        ...rest,
        origin: from,
        targetCatalog: targetCatalog ?? renamed ?? originalRef?.repository,
        targetTag: targetTag ?? originalRef?.tag,
      };
    });
};
