import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import fc from 'fast-check';
import { extract } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import {
  addCatalogImage,
  bundleName,
  CONFIGS_LABEL,
  chain,
  type Document,
  jsonOf,
  packageDocuments,
  wanted,
} from '../../../../test/support/catalogs.ts';
import { MemoryImages, type TarFile } from '../../../../test/support/images.ts';
import { upstreamSource } from '../../../../test/support/upstream-source.ts';
import { silentContext } from '../../../core/context.ts';
import type { Source } from '../../../oci/content.ts';
import type { Descriptor, Platform } from '../../../oci/descriptor.ts';
import { type ImageManifest, isIndex, type RawManifest } from '../../../oci/manifest.ts';
import { parseReference } from '../../../oci/reference.ts';
import { walk } from '../../../oci/walk.ts';
import type { RebuiltImage } from '../../build/derive-image.ts';
import type { OperatorPackage } from '../../image-set/image-set.ts';
import { readConfig } from '../../layers/image-config.ts';
import { readLayerFiles } from '../../layers/layer-files.ts';
import { type CatalogPlace, openCatalog } from '../open-catalog.ts';
import { readCatalog } from '../read-catalog.ts';
import { resolveCatalog, selectedDocuments } from '../resolve-catalog.ts';
import { cacheFolder, withoutCache } from './opm-cache.ts';
import { rebuildCatalog } from './rebuild-catalog.ts';

const ctx = silentContext();
const REFERENCE = parseReference('registry.redhat.io/redhat/redhat-operator-index:v4.18');
const ARM = { os: 'linux', architecture: 'arm64' };

async function upstreamPlace(): Promise<CatalogPlace> {
  const source = upstreamSource(REFERENCE);
  const root = (await source.resolve(ctx, 'v4.18')) as Descriptor;
  return { source, root, reference: REFERENCE, isLayout: false };
}

async function rebuild(
  place: CatalogPlace,
  packages: readonly OperatorPackage[],
  platforms?: readonly Platform[],
): Promise<RebuiltImage> {
  const resolved = await resolveCatalog(ctx, place, { packages, full: false, dependencies: true });
  const documents = await selectedDocuments(ctx, resolved);
  expect(resolved.selection.failures).toEqual([]);
  return await rebuildCatalog(ctx, resolved.open, {
    selection: resolved.selection,
    documents,
    platforms,
  });
}

async function imagesOf({ source, descriptor }: RebuiltImage): Promise<RawManifest[]> {
  const root = await source.manifest(ctx, descriptor);
  if (!isIndex(root)) return [root];
  return await Promise.all(root.children.map((child) => source.manifest(ctx, child)));
}

const filesOf = (source: Source, image: RawManifest) =>
  readLayerFiles(ctx, source, image, (path) => /^(configs|tmp)\//.test(path));

describe('rebuildCatalog of the fixture', () => {
  test('puts the filtered catalog in place of the whole, in every platform', async () => {
    const built = await rebuild(await upstreamPlace(), [wanted('odf-operator')]);
    const root = await built.source.manifest(ctx, built.descriptor);

    expect(root.descriptor.mediaType).toContain('docker.distribution.manifest.list');
    expect(root.children.map(({ platform }) => platform?.architecture)).toEqual(['amd64', 'arm64']);
    for (const image of await imagesOf(built)) {
      const files = await filesOf(built.source, image);
      expect([...files.keys()]).toEqual([
        'configs/mcg-operator/catalog.json',
        'configs/ocs-operator/catalog.json',
        'configs/odf-operator/catalog.json',
      ]);
      expect(image.descriptor.mediaType).toContain('docker.distribution.manifest.v2');
      expect((image.content as ImageManifest).layers).toHaveLength(5);
    }
  });

  test('keeps documents as they were, and writes channels anew only where entries went', async () => {
    const place = await upstreamPlace();
    const name = 'openshift-cert-manager-operator';
    const [before] = await imagesOf({ source: place.source, descriptor: place.root });
    const original = (await filesOf(place.source, before as RawManifest)).get(
      `configs/${name}/catalog.json`,
    );

    const built = await rebuild(place, [wanted(name, { minVersion: '1.14.0' })]);
    const [image] = await imagesOf(built);
    const text = (await filesOf(built.source, image as RawManifest)).get(
      `configs/${name}/catalog.json`,
    );

    const documents = Buffer.from(text?.bytes ?? []).toString();
    expect(documents).toContain('"name": "stable-v1"');
    expect(documents).not.toContain('stable-v1.13"');
    expect(documents).not.toContain('"schema": "olm.deprecations"');
    const whole = Buffer.from(original?.bytes ?? []).toString();
    const bundle = documents.slice(documents.indexOf('{\n  "schema": "olm.bundle"'));
    expect(whole).toContain(bundle.slice(0, bundle.indexOf('\n}\n')));
  });

  test('can be read again, and says the same', async () => {
    const place = await upstreamPlace();
    const built = await rebuild(place, [
      wanted('quay-operator', { maxVersion: '3.12.2', defaultChannel: 'stable-3.12' }),
    ]);

    const open = await openCatalog(ctx, { ...place, source: built.source, root: built.descriptor });
    const { catalog } = await readCatalog(ctx, open);

    const quay = catalog.packages.get('quay-operator');
    expect(quay?.defaultChannel).toBe('stable-3.12');
    expect([...(quay?.bundles.keys() ?? [])]).toEqual([
      'quay-operator.v3.12.1',
      'quay-operator.v3.12.2',
    ]);
    expect(quay?.problems).toEqual([]);
  });

  test('takes the cache away and serves without it; history and labels tell the truth', async () => {
    const place = await upstreamPlace();
    const built = await rebuild(place, [wanted('mcg-operator')]);

    for (const image of await imagesOf(built)) {
      const config = await readConfig(ctx, built.source, image.content as ImageManifest);
      expect(config.config).toEqual({
        Entrypoint: ['/bin/opm'],
        Cmd: ['serve', '/configs'],
        Labels: {
          [CONFIGS_LABEL]: '/configs',
          'org.opencontainers.image.base.digest': place.root.digest,
          'org.opencontainers.image.base.name':
            'registry.redhat.io/redhat/redhat-operator-index:v4.18',
        },
      });
      expect(config.history).toHaveLength(5);
      expect(config.history?.at(-1)).toMatchObject({
        created_by: 'atoll: filtered operator catalog',
      });
      expect(config.rootfs?.diff_ids).toHaveLength(5);
    }
  });

  test('gives the same bytes for the same input', async () => {
    const place = await upstreamPlace();

    const first = await rebuild(place, [wanted('odf-operator'), wanted('quay-operator')]);
    const again = await rebuild(place, [wanted('quay-operator'), wanted('odf-operator')]);
    const other = await rebuild(place, [wanted('quay-operator')]);

    expect(again.descriptor).toEqual(first.descriptor);
    expect(other.descriptor.digest).not.toBe(first.descriptor.digest);
  });

  test('can be limited to some platforms', async () => {
    const built = await rebuild(await upstreamPlace(), [wanted('mcg-operator')], [ARM]);
    const root = await built.source.manifest(ctx, built.descriptor);

    expect(root.children.map(({ platform }) => platform?.architecture)).toEqual(['arm64']);
  });

  test('refuses platforms the catalog does not have', async () => {
    const platform = { os: 'linux', architecture: 's390x' };

    await expect(
      rebuild(await upstreamPlace(), [wanted('mcg-operator')], [platform]),
    ).rejects.toMatchObject({ code: 'IMAGE_UNKNOWN', hint: 'It has linux/amd64, linux/arm64' });
  });

  test('offers every blob it names, the old layers from where they were', async () => {
    const built = await rebuild(await upstreamPlace(), [wanted('mcg-operator')]);

    for await (const { descriptor, manifest } of walk(ctx, built.source, built.descriptor)) {
      if (manifest) continue;
      let size = 0;
      for await (const chunk of built.source.blob(ctx, descriptor)) size += chunk.length;
      expect(size).toBe(descriptor.size);
    }
  });
});

describe('rebuildCatalog', () => {
  async function placeOf(files: readonly TarFile[]): Promise<CatalogPlace> {
    const images = new MemoryImages();
    const root = await addCatalogImage(images, files);
    return {
      source: images,
      root,
      reference: parseReference('example.com/index:v1'),
      isLayout: false,
    };
  }

  const DOCUMENTS = [
    ...packageDocuments({
      name: 'op',
      channels: { stable: chain('1.0.0', '1.1.0', '1.2.0'), fast: chain('1.2.0') },
      deprecated: [
        { schema: 'olm.bundle', name: bundleName('op', '1.0.0'), message: 'old' },
        { schema: 'olm.bundle', name: bundleName('op', '1.2.0'), message: 'broken' },
      ],
    }),
    ...packageDocuments({ name: 'other', channels: { stable: chain('1.0.0') } }),
    { schema: 'olm.icon', package: 'op', name: 'logo', data: '…' },
    { schema: 'vendor.note', name: 'for everybody' },
  ];

  async function textsOf(built: RebuiltImage): Promise<Record<string, string>> {
    const [image] = await imagesOf(built);
    const files = await filesOf(built.source, image as RawManifest);
    return Object.fromEntries(
      [...files].map(([path, { bytes }]) => [path, Buffer.from(bytes).toString()]),
    );
  }

  test('filters deprecations, keeps documents of other schemas and of no package', async () => {
    const place = await placeOf([{ name: 'all.json', content: jsonOf(DOCUMENTS) }]);

    const texts = await textsOf(await rebuild(place, [wanted('op')]));

    expect(Object.keys(texts)).toEqual(['configs/catalog.json', 'configs/op/catalog.json']);
    expect(texts['configs/catalog.json']).toContain('for everybody');
    expect(texts['configs/op/catalog.json']).toContain('logo');
    expect(texts['configs/op/catalog.json']).toContain('broken');
    expect(texts['configs/op/catalog.json']).not.toContain('old');
  });

  test('keeps a bundle only where it was chosen, also when another package has one of its name', async () => {
    const channels = { stable: chain('1.0.0', '1.1.0') };
    const documents = ['op', 'twin'].flatMap((name) => packageDocuments({ name, channels }));
    const content = jsonOf(documents).replaceAll('twin.v', 'op.v');
    const place = await placeOf([{ name: 'all.json', content }]);

    const texts = await textsOf(
      await rebuild(place, [wanted('op'), wanted('twin', { minVersion: '1.0.0' })]),
    );

    expect(texts['configs/op/catalog.json']).not.toContain('op/bundle:v1.0.0');
    expect(texts['configs/twin/catalog.json']).toContain('twin/bundle:v1.0.0');
  });

  test('keeps YAML as YAML', async () => {
    const yaml = DOCUMENTS.map(
      (document) =>
        `# ours\n${Object.entries(document)
          .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
          .join('\n')}`,
    ).join('\n---\n');
    const place = await placeOf([{ name: 'all.yaml', content: yaml }]);

    const built = await rebuild(place, [wanted('op')]);
    const texts = await textsOf(built);
    const open = await openCatalog(ctx, { ...place, source: built.source, root: built.descriptor });

    expect(texts['configs/op/catalog.yaml']).toContain('# ours\nschema: "olm.bundle"');
    expect([...(await readCatalog(ctx, open)).catalog.packages.keys()]).toEqual(['op']);
  });

  test('does not depend on the order or the files of the documents', async () => {
    const inOrder = await placeOf([{ name: 'all.json', content: jsonOf(DOCUMENTS) }]);
    const expected = await textsOf(await rebuild(inOrder, [wanted('op')]));

    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(DOCUMENTS, { minLength: DOCUMENTS.length }),
        fc.nat(DOCUMENTS.length),
        async (shuffled: Document[], cut) => {
          const place = await placeOf([
            { name: 'a/1.json', content: jsonOf(shuffled.slice(0, cut)) },
            { name: 'b/2.json', content: jsonOf(shuffled.slice(cut)) },
          ]);

          expect(await textsOf(await rebuild(place, [wanted('op')]))).toEqual(expected);
        },
      ),
      { numRuns: 15 },
    );
  });

  /** A catalog whose configs and cache are where these say, and what its new layers hold. */
  async function layersWith(configs: string, Cmd: readonly string[]) {
    const images = new MemoryImages();
    const content = jsonOf(packageDocuments({ name: 'op', channels: { stable: chain('1.0.0') } }));
    const layer = await images.addLayer([{ name: `${configs}/all.json`, content }]);
    const root = images.addImage([layer], undefined, {
      config: { Labels: { [CONFIGS_LABEL]: `/${configs}` }, Cmd },
      rootfs: { type: 'layers', diff_ids: [layer.digest] },
    });
    const reference = parseReference('example.com/index:v1');
    const built = await rebuild({ source: images, root, reference, isLayout: false }, [
      wanted('op'),
    ]);
    const { layers } = (await built.source.manifest(ctx, built.descriptor))
      .content as ImageManifest;
    return Promise.all(layers.slice(1).map((one) => entriesOf(built.source, one)));
  }

  async function entriesOf(source: Source, layer: Descriptor): Promise<string[]> {
    const tar = extract();
    pipeline(source.blob(ctx, layer), createGunzip(), tar, () => undefined);
    const found: string[] = [];
    for await (const entry of tar) {
      found.push(`${entry.header.name} ${entry.header.mode?.toString(8)}`);
      entry.resume();
    }
    return found;
  }

  test('takes the catalog and the cache away, and says of each folder what it is like', async () => {
    expect(await layersWith('srv/configs', ['serve', '--cache-dir=/tmp/cache'])).toEqual([
      ['srv/ 755', 'srv/.wh.configs 644', 'tmp/ 1777', 'tmp/.wh.cache 644'],
      [
        ...[
          'srv/ 755',
          'srv/configs/ 755',
          'srv/configs/op/ 755',
          'srv/configs/op/catalog.json 644',
        ],
        ...['tmp/ 1777', 'tmp/cache/ 775'],
      ],
    ]);
  });

  test.each([
    ['in the catalog', 'configs', '/configs/cache'],
    ['around the catalog', 'srv/configs', '/srv'],
    ['that is the catalog', 'configs', '/configs'],
  ])('leaves a cache %s to what becomes of that', async (_, configs, cache) => {
    const [removed] = await layersWith(configs, ['serve', `--cache-dir=${cache}`]);

    expect(removed?.filter((one) => one.includes('.wh.'))).toEqual([
      expect.stringContaining('.wh.configs'),
    ]);
  });

  test('takes a cache away whose name only begins like that of the catalog', async () => {
    const [removed] = await layersWith('configs', ['serve', '--cache-dir=/configs-cache']);

    expect(removed).toEqual(['.wh.configs 644', '.wh.configs-cache 644']);
  });

  test('never lets the name of a package lead out of its folder', async () => {
    const documents = packageDocuments({
      name: '../../etc/x',
      channels: { stable: chain('1.0.0') },
    });
    const place = await placeOf([{ name: 'all.json', content: jsonOf(documents) }]);

    const texts = await textsOf(await rebuild(place, [wanted('../../etc/x')]));

    expect(Object.keys(texts)).toEqual([
      expect.stringMatching(/^configs\/package-[0-9a-f]{16}\/catalog\.json$/),
    ]);
  });
});

describe('the cache of opm', () => {
  test.each<[string[], string | undefined, string[]]>([
    [['serve', '/configs', '--cache-dir=/tmp/cache'], 'tmp/cache', ['serve', '/configs']],
    [
      ['serve', '/configs', '--cache-dir', '/tmp/cache', '--debug'],
      'tmp/cache',
      ['serve', '/configs', '--debug'],
    ],
    [
      ['serve', '/configs', '--cache-dir=/c', '--cache-enforce-integrity=true'],
      'c',
      ['serve', '/configs'],
    ],
    [['serve', '/configs'], undefined, ['serve', '/configs']],
    [['serve', '/configs', '--cache-dir=../..'], undefined, ['serve', '/configs']],
  ])('%j keeps it in %s', (Cmd, folder, rest) => {
    expect(cacheFolder({ os: 'linux', architecture: 'amd64', config: { Cmd } })).toBe(folder);
    expect(withoutCache(Cmd)).toEqual(rest);
  });
});
