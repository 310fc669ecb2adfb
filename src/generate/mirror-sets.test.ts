import { expect, test } from 'vitest';
import { toYaml } from '../core/yaml.ts';
import type { MirrorRule } from './mirror-rule.ts';
import { migrateMirrorSets, readMirrorSets } from './mirror-set-migration.ts';
import {
  imageContentSourcePolicy,
  imageDigestMirrorSet,
  imageTagMirrorSet,
} from './mirror-sets.ts';

const RULES: MirrorRule[] = [
  { source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev', mirrors: ['m:5000/release'] },
  {
    source: 'quay.io/openshift-release-dev/ocp-release',
    mirrors: ['m:5000/release-images'],
    policy: 'NeverContactSource',
  },
];
const TAG_RULES: MirrorRule[] = [{ source: 'registry.redhat.io/ubi9', mirrors: ['m:5000/ubi9'] }];
const all = toYaml(
  imageDigestMirrorSet('release', RULES),
  imageTagMirrorSet('tags', TAG_RULES),
  imageContentSourcePolicy('old', RULES),
);

test('mirror sets have their golden form', async () => {
  await expect(all).toMatchFileSnapshot('golden/mirror-sets.yaml');
});

test('imageDigestMirrorSet does not depend on the order of the rules', () => {
  expect(imageDigestMirrorSet('a', RULES.toReversed())).toEqual(imageDigestMirrorSet('a', RULES));
});

test('mirror sets refuse names and addresses that a cluster does not take', () => {
  const v6 = [{ source: 'quay.io/a', mirrors: ['[fd00::1]:5000/a'] }];

  for (const make of [imageDigestMirrorSet, imageTagMirrorSet, imageContentSourcePolicy]) {
    expect(() => make('Release', RULES)).toThrow('Cannot name a mirror set "Release"');
    expect(() => make('release', v6)).toThrow('"[fd00::1]:5000/a"');
  }
});

test('readMirrorSets reads every kind, one by one or in a List', () => {
  const list = toYaml({
    kind: 'List',
    apiVersion: 'v1',
    items: [imageTagMirrorSet('t', TAG_RULES)],
  });

  expect(readMirrorSets(all, 'x').map(({ name, pulls }) => [name, pulls])).toEqual([
    ['release', 'digest'],
    ['tags', 'tag'],
    ['old', 'digest'],
  ]);
  expect(readMirrorSets(list, 'x')).toEqual([{ name: 't', pulls: 'tag', rules: TAG_RULES }]);
});

test('readMirrorSets names the file and field of what it cannot read', () => {
  const text =
    'kind: ImageTagMirrorSet\nmetadata: {name: a}\nspec: {imageTagMirrors: [{mirrors: []}]}';

  expect(() => readMirrorSets(text, '"a.yaml"')).toThrow(
    'Cannot read "a.yaml": spec.imageTagMirrors.0.source',
  );
  expect(() => readMirrorSets('a: [', '"b.yaml"')).toThrow('Cannot read "b.yaml": line 1');
});

test('migrateMirrorSets turns ICSP into IDMS and keeps the name', () => {
  const sets = readMirrorSets(toYaml(imageContentSourcePolicy('old', RULES)), 'x');
  const withoutPolicy = RULES.map(({ source, mirrors }) => ({ source, mirrors }));

  expect(migrateMirrorSets(sets, 'idms')).toEqual({
    objects: [imageDigestMirrorSet('old', withoutPolicy)],
    warnings: [],
  });
});

test('migrateMirrorSets says what ICSP cannot hold', () => {
  const { objects, warnings } = migrateMirrorSets(readMirrorSets(all, 'x'), 'icsp');

  expect(objects.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
    ['ImageContentSourcePolicy', 'release'],
    ['ImageContentSourcePolicy', 'old'],
  ]);
  expect(warnings).toEqual([
    '"release" loses NeverContactSource of "quay.io/openshift-release-dev/ocp-release": ICSP always allows it',
    '"tags" is left out: ICSP has no rules for tags',
  ]);
});
