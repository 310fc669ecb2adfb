import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { toYaml } from '../../core/yaml.ts';
import { manifestImages } from './manifest-images.ts';
import { reportImages } from './report-images.ts';
import { distinctImages, wantedImage } from './wanted-image.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;

async function fileWith(text: string): Promise<string> {
  const path = join(await tempDir(), 'file');
  await writeFile(path, text);
  return path;
}

test('manifestImages finds pull specs of workloads and catalogs, and nothing else', async () => {
  const pod = (image: string) => ({ spec: { containers: [{ image, env: [] }] } });
  const env = [{ name: 'RELATED_IMAGE_X', value: 'quay.io/a/related:1' }];
  const path = await fileWith(
    toYaml(
      { kind: 'Deployment', spec: { template: pod('quay.io/a/app:1') } },
      { kind: 'List', items: [{ kind: 'Pod', spec: { containers: [{ image: 'app', env }] } }] },
      { kind: 'CatalogSource', spec: { image: 'm.example/index:v1' } },
      { kind: 'ClusterCatalog', spec: { source: { image: { ref: 'm.example/other:v1' } } } },
      { kind: 'ImageDigestMirrorSet', spec: { image: 'quay.io/not/this:1' } },
      { image: 'quay.io/no/kind:1' },
    ),
  );

  const found = (await manifestImages(path)).map(({ kind, name }) => `${kind} ${name}`);

  expect(found).toEqual([
    'additional quay.io/a/app:1',
    'additional quay.io/a/related:1',
    'catalog m.example/index:v1',
    'catalog m.example/other:v1',
  ]);
});

test('reportImages names images as the cluster will', async () => {
  const row = { digest: DIGEST, reason: 'a test' };
  const images = [
    { ...row, kind: 'release', source: 'quay.io/o/release:4', target: 'm/release:4' },
    { ...row, kind: 'catalog', source: 'quay.io/o/index:v4', target: 'm.example/o/index:v4' },
    { ...row, kind: 'additional', source: 'quay.io/o/app:1', target: 'm.example/o/app:1' },
    { ...row, kind: 'related', source: `quay.io/o/op@${DIGEST}`, target: 'm.example/o/op:x' },
  ];
  const path = await fileWith(JSON.stringify({ version: 1, images }));

  expect((await reportImages(path)).map(({ name }) => name)).toEqual([
    `quay.io/o/release@${DIGEST}`,
    'm.example/o/index:v4',
    'quay.io/o/app:1',
    `quay.io/o/op@${DIGEST}`,
  ]);
  await expect(reportImages(await fileWith('{"images":[{}]}'))).rejects.toThrow('images.0.kind');
});

test('distinctImages keeps the first reason and all packages', () => {
  const name = 'quay.io/a/b:1';
  const [image, ...others] = distinctImages([
    wantedImage('related', name, 'first', { packages: ['b'] }),
    wantedImage('additional', name, 'second', { packages: ['a'] }),
  ]);

  expect(others).toEqual([]);
  expect(image).toMatchObject({ kind: 'related', reason: 'first', packages: ['a', 'b'] });
});
