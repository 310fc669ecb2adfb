import { expect, test } from 'vitest';
import type { KnownUnit } from './unit-files.ts';
import { unitsInBootOrder } from './units.ts';

const unit = (name: string, contents = '', more: Partial<KnownUnit> = {}): KnownUnit => ({
  name,
  contents,
  ...more,
});

const namesOf = (...units: readonly KnownUnit[]) => unitsInBootOrder(units).map(({ name }) => name);
const only = (one: KnownUnit) => unitsInBootOrder([one])[0];

test('unitsInBootOrder tells what a unit is, what it runs and when it is started again', () => {
  const text = [
    '[Unit]',
    'Description = Does something ',
    'After=a.service b.service',
    '[Service]',
    'ExecStartPre=/bin/before',
    'ExecStart=/bin/one \\',
    '    --with two',
    'Restart=always',
    '# After=comment.service',
  ].join('\n');

  expect(only(unit('x.service', text, { enabled: true }))).toEqual({
    name: 'x.service',
    description: 'Does something',
    started: 'enabled',
    runs: ['/bin/before', '/bin/one  --with two'],
    after: ['a.service', 'b.service'],
    restart: 'always',
  });
});

test('unitsInBootOrder says nothing of what a unit does not have', () => {
  expect(only({ name: 'x.service' })).toEqual({
    name: 'x.service',
    started: 'not by this config',
    runs: [],
    after: [],
  });
});

test('unitsInBootOrder adds what drop-ins say, and lets an empty value begin anew', () => {
  const dropins = [
    { name: '10.conf', contents: 'ExecStart=\nExecStart=/bin/other\nAfter=b.service\n' },
    { name: '20.conf' },
  ];

  expect(
    only(unit('x.service', 'ExecStart=/bin/one\nAfter=a.service\n', { dropins })),
  ).toMatchObject({ runs: ['/bin/other'], after: ['a.service', 'b.service'] });
});

test('unitsInBootOrder keeps the order of the config where nothing else is said', () => {
  expect(namesOf(unit('b.service'), unit('a.service'))).toEqual(['b.service', 'a.service']);
});

test('unitsInBootOrder puts a unit after those it names, and before those it names', () => {
  expect(namesOf(unit('a', 'After=b'), unit('b'), unit('c', 'Before=b'))).toEqual(['c', 'b', 'a']);
});

test('unitsInBootOrder keeps the order through what the config does not have', () => {
  expect(namesOf(unit('kubelet', 'After=crio'), unit('configure', 'Before=crio'))).toEqual([
    'configure',
    'kubelet',
  ]);
});

test('unitsInBootOrder gets to an end where units wait for each other', () => {
  expect(namesOf(unit('a', 'After=b'), unit('b', 'After=a'))).toEqual(['b', 'a']);
});

test('unitsInBootOrder begins with what a generator starts, and all that pulls in', () => {
  const units = [
    unit('other'),
    unit('deep', 'Wants=missing first.target'),
    unit('needed', 'BindsTo=deep'),
    unit('first.target', 'Requires=needed', { startedBy: 'generator' }),
  ];

  expect(unitsInBootOrder(units).map(({ name, started }) => [name, started])).toEqual([
    ['deep', 'by needed'],
    ['needed', 'by first.target'],
    ['first.target', 'by generator'],
    ['other', 'not by this config'],
  ]);
});

test.each([
  ['masked', { mask: true, enabled: true, startedBy: 'g' }],
  ['by g', { enabled: true, startedBy: 'g' }],
  ['enabled', { enabled: true, linkedBy: 'g' }],
  ['by g', { linkedBy: 'g' }],
  ['by owner', {}],
] as const)('unitsInBootOrder says that a unit is %s', (started, more) => {
  const units = [unit('owner', 'Wants=other x'), unit('x', '', more)];

  expect(unitsInBootOrder(units).find(({ name }) => name === 'x')?.started).toBe(started);
});

test('unitsInBootOrder tells what podman runs for a container, and nothing where there is no image', () => {
  expect(only(unit('x', 'Image=quay.io/a\nExec=/bin/run --now'))?.runs).toEqual([
    'podman run quay.io/a /bin/run --now',
  ]);
  expect(only(unit('x', 'Exec=/bin/run'))?.runs).toEqual([]);
});

const MACHINE = ['bootkube', 'kubelet', 'crio', 'node-image-finish', 'node-image-pull'];

test('unitsInBootOrder knows what a node image, CRI-O and kubelet wait for, where the config does not say', () => {
  const units = ['other', ...MACHINE].map((name) => unit(`${name}.service`));

  expect(namesOf(...units)).toEqual([
    'other.service',
    ...MACHINE.toReversed().map((name) => `${name}.service`),
  ]);
});

test('unitsInBootOrder believes a config that has these in another order', () => {
  expect(
    namesOf(
      unit('kubelet.service', 'Before=between.service'),
      unit('between.service'),
      unit('crio.service', 'After=between.service'),
    ),
  ).toEqual(['kubelet.service', 'between.service', 'crio.service']);
});

test('unitsInBootOrder says which generator writes a unit', () => {
  expect(only(unit('x.service', '', { writtenBy: 'gen' }))).toMatchObject({
    started: 'not by this config',
    writtenBy: 'gen',
  });
});
