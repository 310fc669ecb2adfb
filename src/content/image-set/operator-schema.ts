import { nearest } from '../../core/nearest.ts';
import { isRepository } from '../../oci/reference.ts';
import {
  type ApiVersion,
  isAbove,
  named,
  only,
  operatorVersion,
  origin,
  platforms,
  pullSpec,
  repositoryPath,
  tag,
  unknownBefore,
} from './fields.ts';
import { flag, list, mapping, text, textThat } from './readers.ts';

const range = { minVersion: operatorVersion, maxVersion: operatorVersion, minBundle: text };
const MIN_BUNDLE = { minBundle: 'it belongs to v1alpha2; write minVersion' };
const BUNDLES = { bundles: 'bundles cannot be selected by name; set minVersion and maxVersion' };

function rangeFields(version: ApiVersion) {
  const { minVersion, maxVersion, minBundle } = range;
  // In v2alpha1 the field is unknown; its reader is still typed, so that both versions are one type.
  return version === 'v1alpha2'
    ? { minVersion, maxVersion, minBundle }
    : ({ minVersion, maxVersion } as typeof range);
}

interface RangeValues {
  readonly minVersion: string | undefined;
  readonly maxVersion: string | undefined;
  readonly minBundle: string | undefined;
}

type RangeReport = {
  mistake(field: 'minVersion' | 'minBundle', message: string, hint?: string): void;
};

function checkRange({ minVersion, maxVersion, minBundle }: RangeValues, report: RangeReport): void {
  if (isAbove(minVersion, maxVersion)) {
    report.mistake('minVersion', `minVersion ${minVersion} is above maxVersion ${maxVersion}`);
  }
  if (minVersion && minBundle) {
    report.mistake('minBundle', '"minBundle" and "minVersion" exclude each other');
  }
}

const hasRange = ({ minVersion, maxVersion, minBundle }: RangeValues): boolean =>
  [minVersion, maxVersion, minBundle].some((value) => value !== undefined);

const operatorChannel = (version: ApiVersion) =>
  mapping(
    { name: text, ...rangeFields(version) },
    { required: ['name'], explain: { ...MIN_BUNDLE, ...BUNDLES }, check: checkRange },
  );

const operatorPackage = (version: ApiVersion) =>
  mapping(
    {
      name: text,
      defaultChannel: text,
      channels: list(operatorChannel(version), named),
      ...rangeFields(version),
    },
    {
      required: ['name'],
      explain: { ...MIN_BUNDLE, ...BUNDLES },
      check(values, report) {
        checkRange(values, report);
        const channels = values.channels ?? [];
        const bounded = channels.find(hasRange);
        if (bounded && hasRange(values)) {
          const hint = 'keep the bounds on the package, or on its channels';
          report.mistake('channels', `both the package and "${bounded.name}" have bounds`, hint);
        }
        const wanted = values.defaultChannel;
        const names = channels.flatMap(({ name }) => name ?? []);
        if (wanted && names.length > 0 && !names.includes(wanted)) {
          const near = nearest(wanted, names);
          const hint = near ? `did you mean "${near}"?` : 'add it to "channels"';
          report.mistake('defaultChannel', `"${wanted}" is not among the channels`, hint);
        }
      },
    },
  );

export const operatorReader = (version: ApiVersion) =>
  mapping(
    {
      catalog: origin,
      packages: list(operatorPackage(version), named),
      full: flag,
      targetCatalog: repositoryPath,
      targetTag: tag,
      skipDependencies: flag,
      ...(version === 'v1alpha2' ? V1_OPERATOR : ({} as typeof V1_OPERATOR)),
      ...only(version, { targetCatalogSourceTemplate: text, platforms }),
    },
    {
      required: ['catalog'],
      explain: {
        ...unknownBefore(version, ['targetCatalogSourceTemplate', 'platforms']),
        targetName: 'it belongs to v1alpha2; write targetCatalog',
        originalRef: 'it belongs to v1alpha2; write targetCatalog and targetTag',
      },
      check({ full, packages, targetName, originalRef }, report) {
        if (targetName) report.warn('targetName', 'targetName is old', 'Write targetCatalog');
        if (originalRef) {
          const hint = 'Write targetCatalog and targetTag';
          report.warn('originalRef', 'originalRef is old', hint);
        }
        const ranged = packages?.find((item) => hasRange(item) || item.channels?.some(hasRange));
        if (full && ranged) {
          report.mistake(
            'full',
            `"full" and the version bounds of "${ranged.name}" exclude each other`,
          );
        }
      },
    },
  );

const V1_OPERATOR = { targetName: textThat(lastPart), originalRef: pullSpec };

function lastPart(value: string): string | undefined {
  return isRepository(value) && !value.includes('/') ? undefined : `"${value}" is not a name`;
}
