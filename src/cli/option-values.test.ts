import { expect, test } from 'vitest';
import type { OptionSpec } from './command.ts';
import { problemOf } from './option-values.ts';

const option = (value: string, type: OptionSpec['type'] = 'string'): OptionSpec => ({
  type,
  value,
  summary: '',
});

test.each([
  ['FILE', 'auth.json'],
  ['IMAGE', 'mirror.example:5000/redhat/redhat-operator-index:v4.18'],
  ['REPOSITORY', 'quay.io/openshift-release-dev/ocp-release'],
  ['HOST', '*.apps.example.com'],
  ['HOST[/PATH]', '[::1]:5000/ocp/a_b'],
  ['URL', 'https://mirror.example/graph'],
  ['URL', 's3://bucket/bastion.ign'],
  ['REGION', 'us-gov-west-1'],
  ['DEVICE', '/dev/disk/by-id/wwn-0x1'],
  ['HASH', `sha512-${'a'.repeat(128)}`],
  ['TIME', '1h30m'],
  ['BYTES', '700M'],
  ['BYTES/S', '20M'],
])('problemOf has nothing against the %s "%s"', (value, text) => {
  expect(problemOf(text, option(value))).toBeUndefined();
});

test.each([
  ['FILE', '', 'empty'],
  ['NAME', 'a\nUser=root', 'line break'],
  ['IMAGE', 'a b', 'no image'],
  ['REPOSITORY', '???', 'no image'],
  ['HOST', 'a b', 'no host'],
  ['HOST[:PORT]', 'https://mirror.example:5000', 'without https://'],
  ['URL', 'mirror.example', 'no URL'],
  ['REGION', 'useast', 'no region'],
  ['DEVICE', 'sda', 'no device'],
  ['HASH', 'sha512-', 'no hash'],
  ['TIME', 'often', 'no time'],
  ['BYTES', '0', 'no number of bytes'],
  ['BYTES/S', 'fast', 'no number of bytes'],
  ['DAYS', '0', 'days: 1 to 3650'],
  ['PROCESSES', '1000', 'processes: 1 to 64'],
])('problemOf says what is wrong with the %s "%s"', (value, text, problem) => {
  expect(problemOf(text, option(value))).toContain(problem);
});

test('problemOf takes ports and counts that can be', () => {
  const problems = (value: string, ...texts: string[]) =>
    texts.map((text) => problemOf(text, option(value, 'number')) !== undefined);

  expect(problems('PORT', '1', '65535', '0', '65536', '-1', '80.5', 'http')).toEqual([
    ...[false, false, true, true, true, true, true],
  ]);
  expect(problems('N', '1', '12', '0', '-1', '1.5', '')).toEqual([
    ...[false, false, true, true, true, true],
  ]);
  expect(problems('COUNT', '0', '-1')).toEqual([false, true]);
});
