import { expect, test } from 'vitest';
import { joinNeeds, type Need, needKey, needSchema } from './need.ts';

const CATALOG = 'r.example/index:v4.18';

test.each<[string, Need]>([
  ['release 4.18.1-x86_64', { kind: 'release', tag: '4.18.1-x86_64' }],
  [`bundle ${CATALOG} odf.v4.18.0`, { kind: 'bundle', catalog: CATALOG, name: 'odf.v4.18.0' }],
  [
    'bundle oci:///my disk/c odf.v4',
    { kind: 'bundle', catalog: 'oci:///my disk/c', name: 'odf.v4' },
  ],
  ['bundle  odf.v4', { kind: 'bundle', catalog: '', name: 'odf.v4' }],
  [`package ${CATALOG} odf`, { kind: 'package', catalog: CATALOG, name: 'odf' }],
  [`catalog ${CATALOG}`, { kind: 'catalog', catalog: CATALOG }],
  ['chart web 1.2.3', { kind: 'chart', name: 'web', version: '1.2.3' }],
  ['chart web', { kind: 'chart', name: 'web' }],
  ['graph', { kind: 'graph' }],
  ['additional quay.io/a/b:1', { kind: 'additional', source: 'quay.io/a/b:1' }],
  [
    'additional quay.io/a/b:1 at else/where:',
    { kind: 'additional', source: 'quay.io/a/b:1', repository: 'else/where' },
  ],
  ['additional quay.io/a/b:1 at :v2', { kind: 'additional', source: 'quay.io/a/b:1', tag: 'v2' }],
])('needSchema reads %j, as older versions wrote it', (words, need) => {
  expect(needSchema().parse(words)).toEqual(need);
  expect(needSchema().parse(JSON.parse(JSON.stringify(need)))).toEqual(need);
});

test.each(['', 'bundle', 'operator x', { kind: 'operator' }, { kind: 'bundle', name: 'x' }])(
  'needSchema refuses %j: a need that is not understood must not be lost',
  (need) => {
    expect(needSchema().safeParse(need).success).toBe(false);
  },
);

test('needKey does not depend on the order of fields', () => {
  const bundle: Need = { kind: 'bundle', catalog: 'c', name: 'n' };

  expect(needKey({ name: 'n', catalog: 'c', kind: 'bundle' })).toBe(needKey(bundle));
  expect(needKey({ ...bundle, kind: 'package' })).not.toBe(needKey(bundle));
});

test('joinNeeds names each need once, always in the same order', () => {
  const a: Need = { kind: 'graph' };
  const b: Need = { kind: 'release', tag: '4.18.1-x86_64' };

  expect(joinNeeds([a, b], undefined, [{ ...b }])).toEqual(joinNeeds([b], [a]));
  expect(joinNeeds([b, a])).toHaveLength(2);
});
