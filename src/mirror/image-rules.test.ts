import { expect, test } from 'vitest';
import type { MirrorRule } from '../generate/mirror-rule.ts';
import { digestOf } from '../oci/digest.ts';
import { parseReference } from '../oci/reference.ts';
import { longestMatch } from '../oci/registries/match.ts';
import { type GroupedRules, imageRules, type MirroredImage } from './image-rules.ts';

const at = (source: string, target: string): MirroredImage => ({
  image: { kind: 'additional', source: parseReference(source), reason: 'asked for' },
  target: parseReference(target),
});

/** Where a node looks for an image: only the longest rule counts, whatever it is for. */
function mirrorsOf(images: readonly MirroredImage[], source: string): readonly string[] {
  const { byDigest, byTag } = imageRules(images);
  const all = (rules: GroupedRules) => Object.values(rules).flat() as MirrorRule[];
  const { registry, repository, digest } = parseReference(source);
  const name = `${registry}/${repository}`;
  const longest =
    longestMatch([...all(byDigest), ...all(byTag)], ({ source }) => source, name)?.source ?? '';
  const rule = all(digest ? byDigest : byTag).find((each) => each.source === longest);
  return rule?.mirrors.map((mirror) => `${mirror}${name.slice(longest.length)}`) ?? [];
}

test.each([
  [
    'another tag of the same repository has a place of its own',
    [
      ['quay.io/ns/app:v1', 'm.example/ns/app'],
      ['quay.io/ns/app:v2', 'm.example/other/app'],
    ],
  ],
  [
    'one is pulled by digest and the other by tag',
    [
      [`quay.io/ns/app@${digestOf('a')}`, 'm.example/ns/app'],
      ['quay.io/ns/app:v2', 'm.example/other/app'],
    ],
  ],
  [
    'its repository is the namespace of another, at another mirror',
    [
      ['quay.io/ns/app:v1', 'm.example/ns/app'],
      ['quay.io/ns/app/tool:v1', 'n.example/ns/app/tool'],
    ],
  ],
])('imageRules leads to every image where %s', (_what, places) => {
  const images = places.map(([source = '', target = '']) => at(source, `${target}:x`));

  for (const [source = '', target = ''] of places)
    expect(mirrorsOf(images, source)).toContain(target);
});

test('imageRules makes one rule for a namespace that is mirrored as it is', () => {
  const images = ['a', 'b'].map((name) => at(`quay.io/ns/${name}:v1`, `m.example/p/ns/${name}:v1`));

  expect(imageRules(images).byTag.generic).toEqual([
    { source: 'quay.io/ns', mirrors: ['m.example/p/ns'] },
  ]);
});

test('imageRules leads to a release also by its tag, to its components by digest alone', () => {
  const places = [
    ['release', 'ocp-release', 'release-images'],
    ['component', 'ocp-v4.0-art-dev', 'release'],
  ] as const;
  const images = places.map(([kind, source, target]) => {
    const { image, ...rest } = at(
      `quay.io/openshift-release-dev/${source}@${digestOf(source)}`,
      `m.example/openshift/${target}:x`,
    );
    return { ...rest, image: { ...image, kind } };
  });

  const { byTag, byDigest } = imageRules(images);

  const rule = (source: string, target: string) => ({
    source: `quay.io/openshift-release-dev/${source}`,
    mirrors: [`m.example/openshift/${target}`],
  });
  expect(byTag.release).toEqual([rule('ocp-release', 'release-images')]);
  expect(byDigest.release).toEqual(places.map(([, source, target]) => rule(source, target)));
});
