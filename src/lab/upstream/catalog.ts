import {
  type BuiltImage,
  type BuiltIndex,
  type BuiltLayer,
  buildImage,
  buildIndex,
  buildLayer,
} from '../../oci/build-image.ts';
import type { Platform } from '../../oci/descriptor.ts';
import { madeUpBytes } from './bytes.ts';

const OPERATOR_BYTES = 100_000;
const PLATFORMS: readonly Platform[] = [
  { os: 'linux', architecture: 'amd64' },
  { os: 'linux', architecture: 'arm64' },
];

/** An image a catalog names, where it stands upstream. */
export interface CatalogImage {
  /** `host/path`, without tag: bundles and operands are named by digest. */
  readonly repository: string;
  readonly image: BuiltImage;
}

export interface LabCatalog {
  readonly index: BuiltIndex;
  readonly images: readonly CatalogImage[];
}

interface OperatorSpec {
  readonly name: string;
  readonly versions: readonly string[];
  readonly needs?: readonly string[];
}

/** One operator that needs another: the closure has something to find. */
const OPERATORS: readonly OperatorSpec[] = [
  { name: 'lab-storage', versions: ['1.0.0', '1.1.0'], needs: ['lab-volumes'] },
  { name: 'lab-volumes', versions: ['2.3.0'] },
  { name: 'lab-unwanted', versions: ['0.1.0'] },
];

/** A file-based catalog for two architectures, with its bundles and operands. */
export async function buildCatalog(base: BuiltLayer): Promise<LabCatalog> {
  const images: CatalogImage[] = [];
  const files = [];
  for (const operator of OPERATORS) {
    const documents = await packageDocuments(operator, base, images);
    const content = documents.map((document) => JSON.stringify(document, null, 2)).join('\n');
    files.push({ path: `configs/${operator.name}/catalog.json`, content: `${content}\n` });
  }
  const layer = await buildLayer(files, 'docker');
  const labels = { 'operators.operatorframework.io.index.configs.v1': '/configs' };
  const perPlatform = PLATFORMS.map((platform) => ({
    platform,
    image: buildImage({
      layers: [base, layer],
      platform,
      family: 'docker',
      labels,
      entrypoint: ['/bin/opm'],
      command: ['serve', '/configs', '--cache-dir=/tmp/cache'],
    }),
  }));
  return { index: buildIndex(perPlatform, 'docker'), images };
}

async function packageDocuments(
  { name, versions, needs = [] }: OperatorSpec,
  base: BuiltLayer,
  images: CatalogImage[],
): Promise<object[]> {
  const bundles = [];
  for (const version of versions) {
    const operand = await addImage(
      images,
      `registry.redhat.io/lab/${name}-rhel9`,
      `${name} ${version}`,
      base,
    );
    const bundle = await addImage(
      images,
      `registry.redhat.io/lab/${name}-bundle`,
      `${name} bundle ${version}`,
      base,
    );
    bundles.push({
      schema: 'olm.bundle',
      package: name,
      name: `${name}.v${version}`,
      image: bundle,
      properties: [
        { type: 'olm.package', value: { packageName: name, version } },
        ...needs.map((packageName) => ({
          type: 'olm.package.required',
          value: { packageName, versionRange: '>=2.0.0' },
        })),
      ],
      relatedImages: [
        { name: '', image: bundle },
        { name: 'operator', image: operand },
      ],
    });
  }
  const entries = versions.map((version, index) => ({
    name: `${name}.v${version}`,
    ...(index > 0 ? { replaces: `${name}.v${versions[index - 1]}` } : {}),
  }));
  return [
    {
      schema: 'olm.package',
      name,
      defaultChannel: 'stable',
      description: 'An operator of an atoll lab',
    },
    { schema: 'olm.channel', package: name, name: 'stable', entries },
    ...bundles,
  ];
}

async function addImage(
  images: CatalogImage[],
  repository: string,
  seed: string,
  base: BuiltLayer,
): Promise<string> {
  const layer = await buildLayer([
    { path: 'usr/bin/operator', content: madeUpBytes(seed, OPERATOR_BYTES), mode: 0o755 },
  ]);
  const platform = { os: 'linux', architecture: 'amd64' };
  const image = buildImage({ layers: [base, layer], platform, labels: { seed } });
  images.push({ repository, image });
  return `${repository}@${image.manifest.descriptor.digest}`;
}
