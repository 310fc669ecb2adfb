import { expect, test } from 'vitest';
import type { IgnitionFile, ParsedIgnition } from './config.ts';
import { isUnitFile, unitsOf } from './unit-files.ts';

const file = (path: string, text?: string): IgnitionFile => ({
  path,
  mode: 0o644,
  content: text === undefined ? undefined : Buffer.from(text),
  source: undefined,
});

const config = (more: Partial<ParsedIgnition> = {}): ParsedIgnition => ({
  ignition: { version: '3.2.0' },
  ...more,
});

test.each([
  ['/etc/systemd/system/a.service', true],
  ['/usr/lib/systemd/system/a.mount', true],
  ['/etc/systemd/system/a.service.d/10.conf', true],
  ['/etc/containers/systemd/a.container', true],
  ['/usr/share/containers/systemd/group/a.kube', true],
  ['/etc/systemd/system/a.txt', false],
  ['/etc/systemd/system.conf.d/a.conf', false],
  ['/opt/etc/systemd/system/a.service', false],
  ['/etc/containers/registries.conf', false],
])('isUnitFile of %s is %s', (path, expected) => {
  expect(isUnitFile(file(path))).toBe(expected);
});

test('unitsOf joins what several places say about one unit, the text being that of the first', () => {
  const units = unitsOf(
    config({
      systemd: {
        units: [
          { name: 'a.service', contents: 'first', dropins: [{ name: '1.conf', contents: 'x' }] },
        ],
      },
    }),
    [
      file('/etc/systemd/system/a.service', 'second'),
      file('/etc/systemd/system/a.service.d/2.conf', 'y'),
    ],
  );

  expect(units).toEqual([
    {
      name: 'a.service',
      contents: 'first',
      dropins: [
        { name: '1.conf', contents: 'x' },
        { name: '2.conf', contents: 'y' },
      ],
    },
  ]);
});

test('unitsOf has a unit by its drop-in alone, and one whose text is fetched', () => {
  expect(
    unitsOf(config(), [
      file('/etc/systemd/system/crio.service.d/1.conf', 'x'),
      file('/etc/systemd/system/b.service'),
    ]),
  ).toEqual([
    { name: 'crio.service', contents: undefined, dropins: [{ name: '1.conf', contents: 'x' }] },
    { name: 'b.service', contents: '', dropins: [] },
  ]);
});

test.each([
  ['a.container', 'a.service'],
  ['a.kube', 'a.service'],
  ['a.volume', 'a-volume.service'],
  ['a.network', 'a-network.service'],
  ['a.pod', 'a-pod.service'],
  ['a.image', 'a-image.service'],
  ['a.build', 'a-build.service'],
])('unitsOf knows which service podman makes of %s', (name, service) => {
  expect(unitsOf(config(), [file(`/etc/containers/systemd/${name}`, 'x')])).toMatchObject([
    { name: service, enabled: false },
  ]);
});

test.each(['[Install]\nWantedBy=multi-user.target', '  RequiredBy = x.service'])(
  'unitsOf takes a quadlet for enabled that says %j',
  (text) => {
    expect(unitsOf(config(), [file('/etc/containers/systemd/a.container', text)])).toMatchObject([
      { enabled: true },
    ]);
  },
);

test('unitsOf counts links that enable or mask, but enables nothing that is not there', () => {
  const links = [
    { path: '/etc/systemd/system/multi-user.target.wants/a.service', target: '../a.service' },
    { path: '/etc/systemd/system/x.service.requires/b.service', target: '../b.service' },
    { path: '/etc/systemd/system/masked.service', target: '/dev/null' },
    { path: '/etc/systemd/system/alias.service', target: 'a.service' },
    { path: '/etc/other', target: '/dev/null' },
  ];

  expect(
    unitsOf(config({ storage: { links } }), [file('/etc/systemd/system/a.service', 'x')]),
  ).toEqual([
    { name: 'a.service', contents: 'x', dropins: [], enabled: true },
    { name: 'masked.service', contents: undefined, dropins: [], mask: true },
  ]);
});

test('unitsOf says which generator makes a target the default', () => {
  const target = file('/etc/systemd/system/mine.target', '[Unit]');
  const link = 'ln -s /etc/systemd/system/mine.target "$1/default.target"\n';
  const started = (path: string, text?: string) =>
    unitsOf(config(), [target, file(path, text)])[0]?.startedBy;

  expect(started('/etc/systemd/system-generators/gen', link)).toBe('gen');
  expect(started('/etc/systemd/system-generators/gen', link.replace('default', 'other'))).toBe(
    undefined,
  );
  expect(started('/etc/systemd/system-generators/gen')).toBe(undefined);
  expect(started('/usr/local/bin/gen', link)).toBe(undefined);
});

test('unitsOf has units that a generator writes, and what it links only where that is there', () => {
  const script = [
    '#!/bin/bash',
    'cat > "$1/finish.service" <<EOF',
    '[Unit]',
    'EOF',
    'for u in pull finish missing; do ln -s ../$u.service "$1/multi-user.target.wants/"; done',
  ].join('\n');

  expect(
    unitsOf(config(), [
      file('/etc/systemd/system-generators/gen', script),
      file('/etc/systemd/system/pull.service', 'x'),
    ]),
  ).toEqual([
    { name: 'pull.service', contents: 'x', dropins: [], linkedBy: 'gen' },
    {
      name: 'finish.service',
      contents: '[Unit]\n',
      dropins: [],
      writtenBy: 'gen',
      linkedBy: 'gen',
    },
  ]);
});
