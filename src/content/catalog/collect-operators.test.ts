import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  addCatalogImage,
  chain,
  jsonOf,
  needsApi,
  type PackageSpec,
  packageDocuments,
} from '../../../test/support/catalogs.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { buildImage, buildLayer, putBuilt } from '../../oci/build-image.ts';
import type { Source } from '../../oci/content.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import { openDiskStore } from '../../store/disk/disk-store.ts';
import { layoutTarget } from '../../store/layout/target.ts';
import type { Collection, ContentImage } from '../content-image.ts';
import { parseImageSet } from '../image-set/parse-image-set.ts';
import { collectOperators } from './collect-operators.ts';

const INDEX = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';

const setOf = (operators: object[], version = 'v2alpha1') =>
  parseImageSet(
    JSON.stringify({
      apiVersion: `mirror.openshift.io/${version}`,
      kind: 'ImageSetConfiguration',
      mirror: { operators },
    }),
    'isc.yaml',
  );

async function collect(
  operators: object[],
  source: (reference: Reference) => Source = upstreamSource,
  version?: string,
) {
  const ctx = recordingContext();
  const collection = await collectOperators(ctx, setOf(operators, version), { source });
  return { ...collection, events: ctx.events };
}

const fromIndex = (operator: object) => collect([{ catalog: INDEX, ...operator }]);
const bundlesOf = ({ images }: Collection) => [
  ...new Set(images.flatMap(({ kind, bundles }) => (kind === 'bundle' ? (bundles ?? []) : []))),
];
const catalogOf = ({ images }: Collection) =>
  images.find(({ kind }) => kind === 'catalog') as ContentImage;

describe('collectOperators', () => {
  test('brings what an operator needs, and says why', async () => {
    const collection = await fromIndex({ packages: [{ name: 'odf-operator' }] });

    expect(collection.failures).toEqual([]);
    expect(collection.images.map(({ kind, reason }) => `${kind}: ${reason}`)).toEqual([
      'catalog: catalog filtered to 3 packages',
      'bundle: bundle mcg-operator.v4.18.0, needed by odf-operator.v4.18.1: API NooBaa noobaa.io/v1alpha1',
      'bundle: bundle ocs-operator.v4.18.1, needed by odf-operator.v4.18.1: package ocs-operator >=4.18.0 <4.19.0',
      'bundle: bundle odf-operator.v4.18.1, head of channel stable-4.18',
      'related: operand_0 of mcg-operator.v4.18.0',
      'related: operand_0 of ocs-operator.v4.18.1',
      'related: operand_0 of odf-operator.v4.18.1',
      'related: operand_1 of odf-operator.v4.18.1',
    ]);
    expect(collection.images.at(-1)).toMatchObject({
      packages: ['odf-operator'],
      bundles: ['odf-operator.v4.18.1'],
      catalog: INDEX,
      digest: expect.stringMatching(/^sha256:/),
    });
  });

  test('leaves dependencies behind when the image set says so', async () => {
    const packages = [{ name: 'odf-operator' }];

    const collection = await fromIndex({ packages, skipDependencies: true });

    expect(bundlesOf(collection)).toEqual(['odf-operator.v4.18.1']);
  });

  test('shares an image between the bundles that need it', async () => {
    const { images } = await fromIndex({ packages: [{ name: 'openshift-cert-manager-operator' }] });

    const proxy = images.find(({ source }) => source.repository.endsWith('ose-kube-rbac-proxy'));
    expect(proxy).toMatchObject({
      bundles: [
        'openshift-cert-manager-operator.v1.13.1',
        'openshift-cert-manager-operator.v1.15.0',
      ],
      reason: 'operand_2 of openshift-cert-manager-operator.v1.13.1, and 1 more',
    });
  });

  test('copies a whole catalog as it is, with all its bundles', async () => {
    const collection = await fromIndex({ full: true });

    expect(catalogOf(collection)).toMatchObject({
      digest: expect.stringMatching(/^sha256:80b93e5d78f83/),
      sigstore: 'wanted',
      reason: 'the whole catalog, unchanged',
    });
    expect(catalogOf(collection).from).toBeUndefined();
    expect(bundlesOf(collection)).toHaveLength(12);
  });

  test('takes the heads of every channel when no package is named', async () => {
    expect(bundlesOf(await fromIndex({}))).toEqual([
      'mcg-operator.v4.18.0',
      'ocs-operator.v4.18.1',
      'odf-operator.v4.18.1',
      'openshift-cert-manager-operator.v1.15.0',
      'openshift-cert-manager-operator.v1.13.1',
      'quay-operator.v3.12.2',
      'quay-operator.v3.13.0',
    ]);
  });

  test('reports deprecated bundles', async () => {
    const name = 'openshift-cert-manager-operator';
    const { warnings } = await fromIndex({ packages: [{ name, minVersion: '1.13.0' }] });

    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining('is deprecated'),
    ]);
  });

  test('understands minBundle of v1alpha2', async () => {
    const channels = [{ name: 'stable-3.13', minBundle: 'quay-operator.v3.12.2' }];
    const operators = [{ catalog: INDEX, packages: [{ name: 'quay-operator', channels }] }];

    const collection = await collect(operators, upstreamSource, 'v1alpha2');

    expect(bundlesOf(collection)).toEqual(['quay-operator.v3.12.2', 'quay-operator.v3.13.0']);
  });

  test('builds no catalog that lacks a package somebody asked for', async () => {
    const collection = await fromIndex({
      packages: [{ name: 'quay-operater' }, { name: 'mcg-operator' }],
    });

    expect(catalogOf(collection)).toBeUndefined();
    expect(bundlesOf(collection)).toEqual(['mcg-operator.v4.18.0']);
    expect(collection.failures).toMatchObject([
      { subject: 'package quay-operater', hint: 'Did you mean "quay-operator"?' },
      { subject: `catalog ${INDEX}`, code: 'INPUT_INVALID' },
    ]);
  });

  test('gives the catalog the names the image set asks for', async () => {
    const packages = [{ name: 'mcg-operator' }];
    const [plain, named] = await Promise.all([
      fromIndex({ packages }),
      fromIndex({ packages, targetCatalog: 'my/index', targetTag: 'now' }),
    ]);

    expect(catalogOf(plain)).toMatchObject({ targetRepository: undefined, targetTag: undefined });
    expect(catalogOf(named)).toMatchObject({ targetRepository: 'my/index', targetTag: 'now' });
    expect(catalogOf(named).digest).toBe(catalogOf(plain).digest);
  });

  test('names a catalog that is known by digest alone by what was built', async () => {
    const digest = 'sha256:80b93e5d78f83';
    const whole = catalogOf(await fromIndex({ full: true })).digest as string;
    expect(whole.startsWith(digest)).toBe(true);
    const catalog = `registry.redhat.io/redhat/redhat-operator-index@${whole}`;

    const built = catalogOf(await collect([{ catalog, packages: [{ name: 'mcg-operator' }] }]));

    expect(built.targetTag).toBe(built.digest?.replace(':', '-'));
    expect(built.digest).not.toBe(whole);
  });

  test('says that a catalog does not exist, and goes on with the next', async () => {
    const catalog = 'registry.redhat.io/redhat/redhat-operator-index:v4.99';

    const collection = await collect([
      { catalog },
      { catalog: INDEX, packages: [{ name: 'mcg-operator' }] },
    ]);

    expect(collection.failures).toMatchObject([
      { subject: `catalog ${catalog}`, code: 'IMAGE_UNKNOWN' },
    ]);
    expect(bundlesOf(collection)).toEqual(['mcg-operator.v4.18.0']);
    expect(collection.events.map(({ type }) => type).toSorted()).toEqual([
      'task.failed',
      'task.finished',
      'task.started',
      'task.started',
    ]);
  });

  test('refuses an image that is no catalog', async () => {
    const { failures } = await collect([{ catalog: 'quay.io/openshifttest/helm:3.17.0' }]);

    expect(failures[0]).toMatchObject({
      code: 'CATALOG_INVALID',
      message: expect.stringContaining('as an operator catalog: it has no label'),
    });
  });

  test('reads a catalog from a layout on disk', async () => {
    const path = join(await tempDir(), 'My-Catalog');
    await mkdir(path);
    const store = await openDiskStore(path);
    const documents = packageDocuments({ name: 'op', channels: { stable: chain('1.0.0') } });
    const layer = await buildLayer([
      { path: 'configs/op/catalog.json', content: jsonOf(documents) },
    ]);
    const image = buildImage({
      layers: [layer],
      platform: { os: 'linux', architecture: 'amd64' },
      labels: { 'operators.operatorframework.io.index.configs.v1': '/configs' },
    });
    await putBuilt(silentContext(), layoutTarget(store), image, 'x');

    const collection = await collect([{ catalog: `oci://${path}`, packages: [{ name: 'op' }] }]);

    expect(collection.failures).toEqual([]);
    expect(catalogOf(collection)).toMatchObject({
      targetRepository: 'my-catalog',
      targetTag: 'latest',
    });
    expect(bundlesOf(collection)).toEqual(['op.v1.0.0']);
  });
});

describe('collectOperators of a catalog of others', () => {
  const made = async (specs: readonly PackageSpec[], images = new MemoryImages(), tag = 'v1') => {
    const files = specs.map((spec) => ({
      name: `${spec.name}/catalog.json`,
      content: jsonOf(packageDocuments(spec)),
    }));
    await addCatalogImage(images, files, tag);
    return images;
  };
  const CATALOG = 'example.com/index:v1';

  test('takes a bundle image that relatedImages does not name', async () => {
    const images = await made([{ name: 'op', channels: { stable: chain('1.0.0') } }]);

    const collection = await collect([{ catalog: CATALOG }], () => images);

    expect(collection.images.map(({ source }) => formatReference(source))).toEqual([
      'example.com/index:v1',
      'quay.io/op/bundle:v1.0.0',
    ]);
  });

  test('one reference that cannot be read costs only its bundle', async () => {
    const bad = { '1.0.0': { related: ['oci:///somewhere', 'quay.io/fine/image:1'] } };
    const images = await made([
      { name: 'bad', channels: { stable: chain('1.0.0') }, bundles: bad },
      { name: 'good', channels: { stable: chain('1.0.0') } },
    ]);

    const collection = await collect([{ catalog: CATALOG }], () => images);

    expect(bundlesOf(collection)).toEqual(['good.v1.0.0']);
    expect(collection.failures).toMatchObject([
      { subject: 'bundle bad.v1.0.0', code: 'REFERENCE_INVALID' },
    ]);
  });

  test('a faulty package nobody named does not hold up the catalog', async () => {
    const images = await made([
      { name: 'bad', channels: { stable: { '1.0.0': {}, '2.0.0': {} } } },
      { name: 'good', channels: { stable: chain('1.0.0') } },
    ]);

    const collection = await collect([{ catalog: CATALOG }], () => images);

    expect(catalogOf(collection).packages).toEqual(['good']);
    expect(collection.failures).toMatchObject([{ subject: 'package bad' }]);
  });

  test('says which other catalog has what is missing', async () => {
    const user: PackageSpec = {
      name: 'user',
      channels: { stable: chain('1.0.0') },
      bundles: { '1.0.0': { requires: [needsApi('Disk')] } },
    };
    const store: PackageSpec = {
      name: 'store',
      channels: { stable: chain('1.0.0') },
      bundles: { '1.0.0': { provides: ['Disk'] } },
    };
    const first = await made([user]);
    const second = await made([store, { ...store, name: 'other', bundles: {} }]);
    const source = ({ repository }: Reference) => (repository === 'first' ? first : second);
    const both = (packages: object[]) =>
      collect(
        [{ catalog: 'example.com/first:v1' }, { catalog: 'example.com/second:v1', packages }],
        source,
      );

    const alone = await collect([{ catalog: 'example.com/first:v1' }], source);
    const without = await both([{ name: 'other' }]);
    const together = await both([{ name: 'store' }]);

    expect(alone.warnings).toMatchObject([
      {
        message:
          'user.v1.0.0 needs API Disk example.com/v1, which nothing in example.com/first:v1 offers',
      },
    ]);
    expect(without.warnings).toMatchObject([
      { hint: 'Add package store of example.com/second:v1' },
    ]);
    expect(together.warnings).toEqual([]);
  });

  test.each<[string, { name: string; content: string }[], string]>([
    [
      'a file that is no catalog',
      [{ name: 'a/x.json', content: '{"a":' }],
      'configs/a/x.json: the last object is not closed',
    ],
    [
      'a document without a schema',
      [{ name: 'x.json', content: '{"a":1}' }],
      'configs/x.json: a document has no schema',
    ],
    ['no packages at all', [{ name: 'x.json', content: '' }], '/configs holds no package'],
  ])('refuses %s', async (_name, files, message) => {
    const images = new MemoryImages();
    await addCatalogImage(images, files, 'v1');

    const { failures } = await collect([{ catalog: CATALOG }], () => images);

    expect(failures).toMatchObject([
      { code: 'CATALOG_INVALID', message: expect.stringContaining(message) },
    ]);
  });

  test('does not mind what .indexignore leaves out, wherever it stands', async () => {
    const images = new MemoryImages();
    const documents = packageDocuments({ name: 'op', channels: { stable: chain('1.0.0') } });
    await addCatalogImage(
      images,
      [
        { name: 'README.md', content: '[not a catalog' },
        { name: 'op/catalog.json', content: jsonOf(documents) },
        { name: '.indexignore', content: '*.md\n' },
      ],
      'v1',
    );

    const collection = await collect([{ catalog: CATALOG }], () => images);

    expect(collection.failures).toEqual([]);
    expect(bundlesOf(collection)).toEqual(['op.v1.0.0']);
  });

  test('follows a link to a file', async () => {
    const images = new MemoryImages();
    const documents = packageDocuments({ name: 'op', channels: { stable: chain('1.0.0') } });
    await addCatalogImage(
      images,
      [
        { name: 'op/catalog.json', type: 'symlink', linkname: '../.real/op.json' },
        { name: '.real/op.json', content: jsonOf(documents) },
        { name: '.indexignore', content: '.real/\n' },
      ],
      'v1',
    );

    const collection = await collect([{ catalog: CATALOG }], () => images);

    expect(collection.failures).toEqual([]);
    expect(bundlesOf(collection)).toEqual(['op.v1.0.0']);
  });

  test('stops when it is told to', async () => {
    const images = await made([{ name: 'op', channels: { stable: chain('1.0.0') } }]);
    const ctx = silentContext({ signal: AbortSignal.abort(new Error('enough')) });

    const collecting = collectOperators(ctx, setOf([{ catalog: CATALOG }]), {
      source: () => images,
    });

    await expect(collecting).rejects.toThrow('enough');
  });
});
