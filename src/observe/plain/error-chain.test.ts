import { expect, test } from 'vitest';
import { chainsFolded, sentencesFolded } from './error-chain.ts';

const wholes = (...lines: readonly string[]) => chainsFolded(lines).map(({ whole }) => whole);

test('chainsFolded joins an error with the list of its causes', () => {
  expect(
    wholes('Error: writing it', '', 'Caused by:', '    0: opening /a', '    1: File exists', 'bye'),
  ).toEqual(['Error: writing it: opening /a: File exists', 'bye']);
  expect(wholes('Error: reading it', 'Caused by:', '    no such depot')).toEqual([
    'Error: reading it: no such depot',
  ]);
});

test('chainsFolded joins a package with what it misses', () => {
  expect(
    wholes(
      'Error: Package: tide-1.1 (reef)',
      '     Requires: lid >= 2',
      '     Installed: lid-1',
      'bye',
    ),
  ).toEqual(['Error: Package: tide-1.1 (reef) Requires: lid >= 2 Installed: lid-1', 'bye']);
});

test('chainsFolded joins an object that is not valid with the fields that are not', () => {
  expect(
    wholes(
      'The Crate "a" is invalid:',
      '* spec.lid: Required value',
      '* spec.size: Invalid value: 7',
      '* bye',
    ),
  ).toEqual([
    'The Crate "a" is invalid: * spec.lid: Required value * spec.size: Invalid value: 7 * bye',
  ]);
  expect(wholes('The Crate "a" is invalid:', 'nobody knows why', '* spec.lid')).toHaveLength(3);
});

test('chainsFolded joins a mount that failed with what the program that mounts said', () => {
  expect(
    wholes(
      'Warning  FailedMount  30s  kubelet  MountVolume.SetUp failed for volume "tide" : mount failed: exit status 32',
      'Mounting command: mount',
      'Mounting arguments: -t nfs 10.9.0.4:/srv/tide /var/lib/tide',
      'Output: mount.nfs: No such device',
    ),
  ).toEqual([expect.stringMatching(/"tide" : mount failed: exit status 32: mount.nfs: No such/)]);
});

test('chainsFolded joins an error of several lines that is logged with its fields', () => {
  expect(
    wholes(
      'level=debug msg=E1021 11:02:12.008241 411 reef.go:533] "unable to create it" err=<',
      'level=debug msg= failed to run it: TooManyLids: 7 of 4',
      'level=debug msg= >',
    ),
  ).toEqual([
    expect.stringMatching(/err=< failed to run it: TooManyLids: 7 of 4$/),
    'level=debug msg= >',
  ]);
});

test('chainsFolded keeps the line that a whole begins with, to find it again', () => {
  expect(chainsFolded(['Error: a', 'Caused by:', '  0: b'])).toEqual([
    { text: 'Error: a', whole: 'Error: a: b' },
  ]);
});

test('chainsFolded leaves other lines alone, also a list whose head is cut off', () => {
  const lines = [
    'Caused by:',
    '    0: opening /a',
    'Caused by: java.io.IOException: late',
    '  at x',
  ];
  expect(wholes(...lines)[0]).toContain('Caused by:');
  expect(wholes('one', '  two', '3: three')).toEqual(['one', '  two', '3: three']);
  expect(wholes('one', 'Caused by: java.io.IOException: late')).toHaveLength(2);
});

test('sentencesFolded joins a sentence that was broken between two words', () => {
  const head = "The depot service failed to start crate '7' because one of its parts";
  const whole = (...lines: readonly string[]) =>
    sentencesFolded(chainsFolded(lines)).map((line) => line.whole);

  expect(whole(head, 'is not sealed (crate 7).', 'bye')).toEqual([
    `${head} is not sealed (crate 7).`,
    'bye',
  ]);
  expect(whole(head, 'error: no lid')).toEqual([head, 'error: no lid']);
  expect(whole(`${head}.`, 'is not sealed')).toEqual([`${head}.`, 'is not sealed']);
  expect(whole(`$ depotctl ${head}`, 'is not sealed')).toEqual([
    `$ depotctl ${head}`,
    'is not sealed',
  ]);
});
