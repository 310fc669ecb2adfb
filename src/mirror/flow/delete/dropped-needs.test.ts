import { expect, test } from 'vitest';
import type { ContentImage } from '../../../content/content-image.ts';
import { parseImageSet } from '../../../content/image-set/parse-image-set.ts';
import { digestOf } from '../../../oci/digest.ts';
import { parseReference } from '../../../oci/reference.ts';
import { type Need, needsOf } from '../../need.ts';
import type { KnownImage } from '../working-dir.ts';
import { droppedNeeds } from './dropped-needs.ts';

const HEAD =
  'apiVersion: mirror.openshift.io/v2alpha1\nkind: DeleteImageSetConfiguration\ndelete:\n';

function known(
  source: string,
  rest: Partial<ContentImage> & Pick<ContentImage, 'kind'>,
): KnownImage {
  const image = { source: parseReference(source), reason: '', ...rest };
  return { image, target: image.source, digest: digestOf(source), neededBy: needsOf(image) };
}

const release = (version: string, arch = 'x86_64') =>
  known(`quay.io/o/release:${version}-${arch}`, {
    kind: 'release',
    release: { version, tag: `${version}-${arch}` },
  });
const bundle = (name: string, packageName: string, ...others: string[]) =>
  known(`r.example/${name}:v1`, {
    kind: 'related',
    catalog: 'r.example/index:v4.18',
    packages: [packageName],
    bundles: [name, ...others],
  });

const IMAGES = [
  ...['4.18.1', '4.18.2', '4.19.0'].map((version) => release(version)),
  release('4.18.1', 'aarch64'),
  bundle('quay-operator.v3.12.1', 'quay-operator'),
  bundle('quay-operator.v3.13.0', 'quay-operator'),
  bundle('odf.v4.18.0', 'odf'),
  bundle('amqstreams.v2.8.0-1', 'amq-streams'),
  bundle('amqstreams.v2.9.0-0', 'amq-streams'),
  known('quay.io/a/b:1', { kind: 'additional' }),
  known('quay.io/a/b:1', { kind: 'additional', targetRepository: 'else/where' }),
  known('quay.io/c/d:1', { kind: 'helm', chart: 'web 1.2.3' }),
];

const dropped = (text: string) =>
  droppedNeeds(parseImageSet(`${HEAD}${text}`, 'delete.yaml'), IMAGES);

test.each<[string, string, Need[]]>([
  [
    'a range of releases',
    '  platform: {channels: [{name: stable-4.18, minVersion: 4.18.1, maxVersion: 4.18.2}]}',
    [
      { kind: 'release', tag: '4.18.1-x86_64' },
      { kind: 'release', tag: '4.18.2-x86_64' },
    ],
  ],
  [
    'a whole minor version of one architecture',
    '  platform: {architectures: [arm64], channels: [{name: stable-4.18, full: true}]}',
    [{ kind: 'release', tag: '4.18.1-aarch64' }],
  ],
  [
    'a release by its tag',
    '  platform: {release: "quay.io/o/release:4.19.0-x86_64"}',
    [{ kind: 'release', tag: '4.19.0-x86_64' }],
  ],
  [
    'a package',
    '  operators: [{catalog: "r.example/index:v4.18", packages: [{name: quay-operator}]}]',
    [
      { kind: 'bundle', catalog: 'r.example/index:v4.18', name: 'quay-operator.v3.12.1' },
      { kind: 'bundle', catalog: 'r.example/index:v4.18', name: 'quay-operator.v3.13.0' },
    ],
  ],
  [
    'versions of a package',
    '  operators: [{catalog: "r.example/index:v4.18", packages: [{name: quay-operator, maxVersion: 3.12.9}]}]',
    [{ kind: 'bundle', catalog: 'r.example/index:v4.18', name: 'quay-operator.v3.12.1' }],
  ],
  [
    'a package whose bundles are named otherwise',
    '  operators: [{catalog: "r.example/index:v4.18", packages: [{name: amq-streams, maxVersion: 2.8.9}]}]',
    [{ kind: 'bundle', catalog: 'r.example/index:v4.18', name: 'amqstreams.v2.8.0-1' }],
  ],
  [
    'an image',
    '  additionalImages: [{name: "quay.io/a/b:1"}]',
    [{ kind: 'additional', source: 'quay.io/a/b:1' }],
  ],
  [
    'an image at one of its places',
    '  additionalImages: [{name: "quay.io/a/b:1", targetRepo: else/where}]',
    [{ kind: 'additional', source: 'quay.io/a/b:1', repository: 'else/where' }],
  ],
  [
    'a chart',
    '  helm: {local: [{name: web, path: /charts/web}]}',
    [{ kind: 'chart', name: 'web', version: '1.2.3' }],
  ],
])('droppedNeeds finds %s', (_what, text, expected) => {
  expect(dropped(`${text}\n`)).toEqual(expected);
});

test.each([
  [
    'an unknown package',
    '  operators: [{catalog: "r.example/index:v4.18", packages: [{name: quay}]}]',
  ],
  ['an unknown image', '  additionalImages: [{name: "quay.io/a/b:2"}]'],
  ['a channel without a range', '  platform: {channels: [{name: stable-4.18}]}'],
])('droppedNeeds refuses %s', (_what, text) => {
  expect(() => dropped(`${text}\n`)).toThrow(expect.objectContaining({ code: 'INPUT_INVALID' }));
});

test('droppedNeeds refuses a catalog at one of its places, where operators are counted for all', () => {
  const catalog = 'r.example/index:v4.18';
  const images = ['index:v4.18', 'other:v4.18'].map((name) =>
    known(`m.example/${name}`, { kind: 'catalog', catalog }),
  );
  const line = `  - {catalog: "${catalog}"`;
  const needs = (text: string) =>
    droppedNeeds(parseImageSet(`${HEAD}  operators:\n${text}`, 'delete.yaml'), images);

  expect(() => needs(`${line}}\n`)).toThrow('m.example/index:v4.18, m.example/other:v4.18');
  expect(needs(`${line}}\n${line}, targetTag: x}\n`)).toEqual([{ kind: 'catalog', catalog }]);
});
