import type { Platform } from '../../oci/descriptor.ts';
import { formatRemark, type Reading } from './document.ts';
import { goRegExp } from './go-regexp.ts';
import type {
  additionalImageReader,
  blockedImageReader,
  helmReader,
  sampleReader,
} from './image-schema.ts';
import type {
  AdditionalImage,
  CatalogOrigin,
  HelmChart,
  HelmContent,
  ImageSet,
  OperatorCatalog,
  OperatorPackage,
  PlatformContent,
  VersionRange,
} from './image-set.ts';
import type { operatorReader } from './operator-schema.ts';
import type { platformReader } from './platform-schema.ts';
import type { Reader } from './readers.ts';
import { readOrigin, readPullSpec } from './references.ts';

type ValueOf<R> = R extends Reader<infer T> ? T : never;
type RawPlatform = ValueOf<ReturnType<typeof platformReader>>;
type RawOperator = ValueOf<ReturnType<typeof operatorReader>>;
type RawPackage = NonNullable<RawOperator['packages']>[number];
type RawAdditional = ValueOf<ReturnType<typeof additionalImageReader>>;
type RawHelm = ValueOf<ReturnType<typeof helmReader>>;
type RawChart = NonNullable<RawHelm['local']>[number];
type RawPlatforms = RawOperator['platforms'];

/** What stands under `mirror` or `delete`, read but not yet completed. */
export interface RawContent {
  readonly platform?: RawPlatform | undefined;
  readonly operators?: readonly RawOperator[] | undefined;
  readonly additionalImages?: readonly RawAdditional[] | undefined;
  readonly blockedImages?: readonly ValueOf<typeof blockedImageReader>[] | undefined;
  readonly helm?: RawHelm | undefined;
  readonly samples?: readonly ValueOf<typeof sampleReader>[] | undefined;
}

type Content = Pick<
  ImageSet,
  'platform' | 'operators' | 'additionalImages' | 'blockedImages' | 'helm'
>;

/** Completes what was read without a mistake: defaults filled in, old fields translated. */
export function normalContent(
  raw: RawContent,
  reading: Reading,
): { content: Content; warnings: ImageSet['warnings'] } {
  const content: Content = {
    platform: raw.platform && normalPlatform(raw.platform),
    operators: (raw.operators ?? []).map(normalOperator),
    additionalImages: (raw.additionalImages ?? []).map(normalAdditional),
    blockedImages: (raw.blockedImages ?? []).map(({ name = '' }) => ({
      name,
      pattern: goRegExp(name),
    })),
    helm: normalHelm(raw.helm),
  };
  const unique = new Map(reading.warnings.map((warning) => [formatRemark(warning), warning]));
  return { content, warnings: [...unique.values()].toSorted((a, b) => a.line - b.line) };
}

function normalPlatform(raw: RawPlatform): PlatformContent {
  const platforms = normalPlatforms(raw.platforms);
  const asked = raw.architectures?.length ? raw.architectures : undefined;
  const release = raw.release === undefined ? undefined : readPullSpec(raw.release);
  return {
    graph: raw.graph ?? false,
    channels: (raw.channels ?? []).map((channel) => ({
      name: channel.name ?? '',
      type: channel.type ?? 'ocp',
      minVersion: channel.minVersion,
      maxVersion: channel.maxVersion,
      shortestPath: channel.shortestPath ?? false,
      full: channel.full ?? false,
    })),
    architectures: asked ?? (platforms ? ['multi'] : ['amd64']),
    platforms,
    release: release && !('wrong' in release) ? release : undefined,
    kubeVirtContainer: raw.kubeVirtContainer ?? false,
  };
}

function normalPlatforms(raw: RawPlatforms): readonly Platform[] | undefined {
  if (!raw?.length) return undefined;
  return raw.map(({ os = '', architecture = '' }) => ({ os, architecture }));
}

function normalOrigin(name: string): CatalogOrigin {
  const origin = readOrigin(name);
  if ('wrong' in origin) throw new Error(`"${name}" was accepted and is not an image`);
  return origin;
}

function normalOperator(raw: RawOperator): OperatorCatalog {
  const catalog = raw.catalog ?? '';
  const origin = normalOrigin(catalog);
  return {
    catalog,
    origin,
    packages: (raw.packages ?? []).map(normalPackage),
    full: raw.full ?? false,
    ...targetOf(raw, origin),
    targetCatalogSourceTemplate: raw.targetCatalogSourceTemplate,
    skipDependencies: raw.skipDependencies ?? false,
    platforms: normalPlatforms(raw.platforms),
  };
}

/** `targetName` renames the last part of the path; `originalRef` is the name a layout stands for. */
function targetOf(
  raw: RawOperator,
  origin: CatalogOrigin,
): Pick<OperatorCatalog, 'targetCatalog' | 'targetTag'> {
  const original = raw.originalRef === undefined ? undefined : normalOrigin(raw.originalRef);
  const named = original ?? origin;
  const reference = named.kind === 'registry' ? named.reference : undefined;
  const path = original && reference?.repository;
  const renamed = raw.targetName && [
    ...(reference?.repository.split('/').slice(0, -1) ?? []),
    raw.targetName,
  ];
  return {
    targetCatalog: raw.targetCatalog ?? (renamed ? renamed.join('/') : path),
    targetTag: raw.targetTag ?? (original && reference?.tag),
  };
}

function normalRange(raw: Partial<VersionRange>): VersionRange {
  return { minVersion: raw.minVersion, maxVersion: raw.maxVersion, minBundle: raw.minBundle };
}

function normalPackage(raw: RawPackage): OperatorPackage {
  return {
    name: raw.name ?? '',
    defaultChannel: raw.defaultChannel,
    channels: (raw.channels ?? []).map((channel) => ({
      name: channel.name ?? '',
      ...normalRange(channel),
    })),
    ...normalRange(raw),
  };
}

function normalAdditional(raw: RawAdditional): AdditionalImage {
  const name = raw.name ?? '';
  return {
    name,
    origin: normalOrigin(name),
    targetRepo: raw.targetRepo,
    targetTag: raw.targetTag,
    platforms: normalPlatforms(raw.platforms),
  };
}

function normalHelm(raw: RawHelm | undefined): HelmContent {
  return {
    repositories: (raw?.repositories ?? []).map(({ name = '', url = '', charts = [] }) => ({
      name,
      url,
      charts: charts.map(normalChart),
    })),
    local: (raw?.local ?? []).map(normalChart),
  };
}

function normalChart(raw: RawChart): HelmChart {
  return {
    name: raw.name ?? '',
    version: raw.version,
    path: raw.path,
    imagePaths: raw.imagePaths ?? [],
    platforms: normalPlatforms(raw.platforms),
  };
}
