import { expect, test } from 'vitest';
import { ruleOf } from '../../test/support/rules.ts';
import type { EvidenceLine } from './evidence.ts';
import type { ApiObject } from './formats/objects.ts';
import { createObjectMatcher } from './match-objects.ts';
import { valueAt } from './rules/object-test.ts';

const PLACE = { file: 'nodes.json', line: 7 };

const rule = (test: object, where = 'object:Node') =>
  ruleOf({
    id: 'a',
    where: [where],
    object: { kind: 'Node', all: [{ path: 'status.x', ...test }] },
  });

const node = (status: object, metadata: object = { name: 'n' }): ApiObject => ({
  kind: 'Node',
  metadata,
  status,
});

function foundIn(objects: readonly ApiObject[], test: object, ...times: readonly string[]) {
  const matcher = createObjectMatcher([rule(test)]);
  for (const object of objects) matcher.push(object, PLACE);
  for (const time of times) matcher.noteTime(new Date(time));
  const found: EvidenceLine[] = [];
  matcher.finish((_, line) => found.push(line));
  return found;
}

test('createObjectMatcher tells which object matched, where it is and when the evidence ends', () => {
  expect(foundIn([node({ x: 'bad' })], { is: ['bad'] }, '2026-08-20T10:00:00Z')).toEqual([
    {
      ...PLACE,
      at: new Date('2026-08-20T10:00:00Z'),
      text: 'Node/n: status.x',
      origins: ['object:Node/n'],
    },
  ]);
  expect(foundIn([node({ x: 'bad' }, {})], { is: ['bad'] })).toEqual([
    { ...PLACE, text: 'Node/: status.x', origins: ['object:Node/'] },
  ]);
});

test('createObjectMatcher asks only rules for this origin and kind', () => {
  const found: unknown[] = [];
  const matcher = createObjectMatcher([
    rule({ is: ['bad'] }, 'object:Node/other'),
    ruleOf({ id: 'b' }),
  ]);
  matcher.push(node({ x: 'bad' }), PLACE);
  matcher.finish((match) => found.push(match));

  expect(found).toEqual([]);
  expect(foundIn([{ ...node({ x: 'bad' }), kind: 'Pod' }], { is: ['bad'] })).toEqual([]);
});

const OLD = { olderMinutes: 10 };

test('createObjectMatcher measures age by the end of all the evidence, which may come later', () => {
  const pending = node({ x: '2026-08-20T10:00:00Z' });

  expect(foundIn([pending], OLD, '2026-08-20T10:10:00Z')).toEqual([]);
  expect(foundIn([pending], OLD, '2026-08-20T10:10:01Z')).toHaveLength(1);
  expect(foundIn([pending], OLD, '2026-08-20T10:30:00Z', '2026-08-20T10:01:00Z')).toHaveLength(1);
});

test('createObjectMatcher takes the newest change of any object for the least the evidence reaches to', () => {
  const pending = node({ x: '2026-08-20T10:00:00Z' });
  const later = (when: string) => node({ y: when }, { name: 'other' });

  expect(foundIn([pending, later('2026-08-20T10:30:00.5Z')], OLD)).toHaveLength(1);
  expect(foundIn([pending, { ...later(''), spec: { ends: '2030-01-01T00:00:00Z' } }], OLD)).toEqual(
    [],
  );
  expect(
    foundIn([pending, node({}, { creationTimestamp: '2026-08-20T11:00:00Z' })], OLD),
  ).toHaveLength(1);
});

test.each<[object, unknown, boolean]>([
  [{ is: ['a', 'b'] }, 'b', true],
  [{ is: ['a'] }, 'b', false],
  [{ is: ['true'] }, true, true],
  [{ is: ['a'] }, undefined, false],
  [{ not: ['a'] }, 'b', true],
  [{ not: ['a'] }, 'a', false],
  [{ not: ['a'] }, undefined, true],
  [{ matches: '^v\\d' }, 'v12', true],
  [{ matches: '^v\\d' }, 'w12', false],
  [{ matches: '.*' }, null, false],
  [{ absent: true }, undefined, true],
  [{ absent: true }, null, true],
  [{ absent: true }, 'a', false],
])('createObjectMatcher tests %j against %j: %s', (wanted, x, matches) => {
  expect(foundIn([node({ x })], wanted)).toHaveLength(matches ? 1 : 0);
});

test('createObjectMatcher wants every test of a rule to hold, and the name where it has one', () => {
  const all = [
    { path: 'status.x', is: ['1'] },
    { path: 'status.y', is: ['2'] },
  ];
  const matches = (status: object, name?: string) => {
    const matcher = createObjectMatcher([
      ruleOf({ id: 'a', where: ['object:Node'], object: { kind: 'Node', name, all } }),
    ]);
    matcher.push(node(status), PLACE);
    let count = 0;
    matcher.finish(() => {
      count += 1;
    });
    return count === 1;
  };

  expect(matches({ x: 1, y: 2 })).toBe(true);
  expect(matches({ x: 1, y: 3 })).toBe(false);
  expect(matches({ x: 1, y: 2 }, 'n')).toBe(true);
  expect(matches({ x: 1, y: 2 }, 'other')).toBe(false);
});

test.each([
  ['a.b', 1],
  ['list[type=Good].status', 'True'],
  ['list[type=a.b].status', 'dotted'],
  ['list[type=Missing].status', undefined],
  ['a[type=Good].status', undefined],
  ['missing.b.c', undefined],
])('valueAt finds %s', (path, value) => {
  const object = {
    a: { b: 1 },
    list: [null, { type: 'Good', status: 'True' }, { type: 'a.b', status: 'dotted' }],
  };

  expect(valueAt(object, path)).toBe(value);
});
