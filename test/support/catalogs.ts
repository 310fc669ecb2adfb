import type { Catalog } from '../../src/content/catalog/model/catalog.ts';
import { keyOf, parseFact } from '../../src/content/catalog/model/parse-document.ts';
import { CatalogBuilder } from '../../src/content/catalog/read-catalog.ts';
import type { OperatorPackage } from '../../src/content/image-set/image-set.ts';
import type { Descriptor } from '../../src/oci/descriptor.ts';
import type { MemoryImages, TarFile } from './images.ts';

export type Document = Record<string, unknown>;

interface EntrySpec {
  readonly replaces?: string;
  readonly skips?: readonly string[];
  readonly skipRange?: string;
}

interface BundleSpec {
  readonly requires?: readonly Document[];
  readonly provides?: readonly string[];
  readonly image?: string;
  readonly related?: readonly string[];
}

export interface PackageSpec {
  readonly name: string;
  readonly defaultChannel?: string;
  /** Channel to entries by version: `{ stable: { '1.0.0': {}, '1.1.0': { replaces: '1.0.0' } } }`. */
  readonly channels: Readonly<Record<string, Readonly<Record<string, EntrySpec>>>>;
  /** What is special about a version. */
  readonly bundles?: Readonly<Record<string, BundleSpec>>;
  readonly deprecated?: readonly { schema: string; name?: string; message: string }[];
}

/** `name.v1.2.3`, as operators name their bundles. */
export const bundleName = (name: string, version: string) => `${name}.v${version}`;

export const needsPackage = (packageName: string, versionRange: string): Document => ({
  type: 'olm.package.required',
  value: { packageName, versionRange },
});

export const needsApi = (kind: string): Document => ({
  type: 'olm.gvk.required',
  value: { group: 'example.com', version: 'v1', kind },
});

export const constraint = (value: Document): Document => ({ type: 'olm.constraint', value });

/** The documents of one package, each version of its channels with a bundle. */
export function packageDocuments(spec: PackageSpec): Document[] {
  const { name, channels } = spec;
  const versions = new Set(Object.values(channels).flatMap((entries) => Object.keys(entries)));
  const [first = 'stable'] = Object.keys(channels);
  return [
    { schema: 'olm.package', name, defaultChannel: spec.defaultChannel ?? first },
    ...Object.entries(channels).map(([channel, entries]) => ({
      schema: 'olm.channel',
      package: name,
      name: channel,
      entries: Object.entries(entries).map(([version, entry]) => ({
        name: bundleName(name, version),
        ...(entry.replaces ? { replaces: bundleName(name, entry.replaces) } : {}),
        ...(entry.skips ? { skips: entry.skips.map((each) => bundleName(name, each)) } : {}),
        ...(entry.skipRange ? { skipRange: entry.skipRange } : {}),
      })),
    })),
    ...[...versions].map((version) => bundleDocument(spec, version)),
    ...(spec.deprecated
      ? [{ schema: 'olm.deprecations', package: name, entries: spec.deprecated.map(deprecation) }]
      : []),
  ];
}

function deprecation({
  schema,
  name,
  message,
}: {
  schema: string;
  name?: string;
  message: string;
}) {
  return { reference: { schema, ...(name ? { name } : {}) }, message };
}

function bundleDocument({ name, bundles = {} }: PackageSpec, version: string): Document {
  const { requires = [], provides = [], image, related = [] } = bundles[version] ?? {};
  return {
    schema: 'olm.bundle',
    package: name,
    name: bundleName(name, version),
    image: image ?? `quay.io/${name}/bundle:v${version.replace('+', '-')}`,
    properties: [
      { type: 'olm.package', value: { packageName: name, version } },
      ...provides.map((kind) => ({
        type: 'olm.gvk',
        value: { group: 'example.com', version: 'v1', kind },
      })),
      ...requires,
    ],
    relatedImages: related.map((each, at) => ({ name: `operand_${at}`, image: each })),
  };
}

export function catalogOf(documents: readonly Document[]): Catalog {
  const builder = new CatalogBuilder();
  for (const document of documents) {
    const fact = parseFact(document, keyOf(document));
    if (fact) builder.add(fact);
  }
  return builder.build();
}

/** A request for a package, as the image set gives it. */
export function wanted(name: string, more: Partial<OperatorPackage> = {}): OperatorPackage {
  return {
    name,
    defaultChannel: undefined,
    channels: [],
    minVersion: undefined,
    maxVersion: undefined,
    minBundle: undefined,
    ...more,
  };
}

/** A chain of versions, each replacing the one before. */
export function chain(...versions: readonly string[]): Record<string, EntrySpec> {
  return Object.fromEntries(
    versions.map((version, at) => {
      const before = versions[at - 1];
      return [version, before === undefined ? {} : { replaces: before }];
    }),
  );
}

export const jsonOf = (documents: readonly Document[]): string =>
  documents.map((document) => JSON.stringify(document, null, 2)).join('\n');

export const CONFIGS_LABEL = 'operators.operatorframework.io.index.configs.v1';

/** A catalog image of these files below `/configs`. */
export async function addCatalogImage(
  images: MemoryImages,
  files: readonly TarFile[],
  tag?: string,
): Promise<Descriptor> {
  const rooted = files.map((file) => ({ ...file, name: `configs/${file.name}` }));
  const layer = await images.addLayer(rooted);
  return images.addImage([layer], tag, {
    config: { Labels: { [CONFIGS_LABEL]: '/configs' }, Cmd: ['serve', '/configs'] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
}
