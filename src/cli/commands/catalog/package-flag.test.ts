import { expect, test } from 'vitest';
import { parsePackageFlags } from './package-flag.ts';

const range = (minVersion?: string, maxVersion?: string) => ({
  minVersion,
  maxVersion,
  minBundle: undefined,
});

test.each([
  ['odf', { name: 'odf', channels: [], ...range() }],
  ['odf@4.18.1', { name: 'odf', channels: [], ...range('4.18.1', '4.18.1') }],
  ['odf@4.18..', { name: 'odf', ...range('4.18') }],
  ['odf@..4.18.1', { name: 'odf', ...range(undefined, '4.18.1') }],
  [
    'odf:stable-4.18@4.18.0..4.18.1',
    {
      name: 'odf',
      defaultChannel: 'stable-4.18',
      channels: [{ name: 'stable-4.18', ...range('4.18.0', '4.18.1') }],
    },
  ],
])('parsePackageFlags reads %s', (flag, expected) => {
  expect(parsePackageFlags([flag])).toMatchObject([expected]);
});

test('parsePackageFlags puts the channels of one package together', () => {
  expect(parsePackageFlags(['odf:a', 'odf:b', 'quay'])).toMatchObject([
    { name: 'odf', defaultChannel: 'a', channels: [{ name: 'a' }, { name: 'b' }] },
    { name: 'quay' },
  ]);
});

test.each([[['']], [[':stable']], [['odf@x']], [['odf@1.0.0..y']], [['odf', 'odf@1.0.0']]])(
  'parsePackageFlags refuses %j',
  (flags) => {
    expect(() => parsePackageFlags(flags)).toThrow('Cannot read --package');
  },
);
