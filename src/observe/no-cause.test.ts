import { expect, test } from 'vitest';
import type { FileKind } from './file-kind.ts';
import { createReading } from './no-cause.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));

const kind = (row: Partial<FileKind>): FileKind => ({ format: 'plain', origins: [], ...row });

/** Which of what may be missing is asked for, by a word of it. */
const NAMES = [
  'mirroring said',
  'mirror registry',
  'installer',
  'bootstrap',
  'CRI-O',
  'kubelet',
  'cluster',
];

function askedFor(seen: readonly string[], ...kinds: readonly Partial<FileKind>[]) {
  const reading = createReading();
  for (const one of kinds) reading.file(kind(one));
  const { gather } = reading.noCause(seen, {});
  return NAMES.filter((name) => gather.some((one) => one.includes(name)));
}

test('createReading counts the files of each form, in words', () => {
  const reading = createReading();
  for (const format of ['journal', 'plain', 'journal'] as const) reading.file(kind({ format }));

  expect(reading.noCause([], {})).toEqual({
    forms: [
      { form: 'journal', files: 2 },
      { form: 'plain text', files: 1 },
    ],
    gather: expect.any(Array),
  });
});

test('createReading tells from when to when the evidence goes, and its first error', () => {
  const reading = createReading();
  reading.time(at(5), at(3));
  reading.time(at(9), at(4));
  reading.time(at(2), at(1));
  const firstError = { file: 'a.log', line: 1, text: 'x' };

  expect(reading.noCause([], { firstError })).toMatchObject({
    from: at(1).toISOString(),
    to: at(9).toISOString(),
    firstError,
  });
  expect(createReading().noCause([], {})).toEqual({ forms: [], gather: expect.any(Array) });
});

test('createReading asks for everything where nothing is known', () => {
  expect(askedFor([])).toEqual(NAMES);
});

test('createReading asks who shows an install for the rest of it only', () => {
  expect(askedFor(['installer-log'])).toEqual(['bootstrap', 'CRI-O', 'kubelet', 'cluster']);
  expect(askedFor(['journal:node/kubelet', 'journal:node/crio', 'cli:oc'])).toEqual([
    ...['installer', 'bootstrap', 'cluster'],
  ]);
});

test('createReading asks who shows only mirroring for the rest of that', () => {
  expect(askedFor(['cli:oc-mirror'])).toEqual(['mirror registry']);
  expect(askedFor(['journal:bastion/quay'])).toEqual(['mirroring said']);
});

test('createReading counts what files are, whatever their lines say', () => {
  expect(askedFor([], { origins: ['installer-log'] })).not.toContain('installer');
  expect(askedFor([], { machine: 'bootstrap' })).not.toContain('bootstrap');
  expect(askedFor([], { format: 'objects-yaml' })).not.toContain('cluster');
});

test('noCause shows the error that the evidence ends with, where it is another one', () => {
  const firstError = { file: 'a.log', line: 1, text: 'error: the network does not start' };
  const lastError = { file: 'a.log', line: 2, text: 'error: accept_ra is not 2' };

  const { noCause } = createReading();

  expect(noCause([], { firstError, lastError })).toMatchObject({ firstError, lastError });
  expect(noCause([], { firstError, lastError: firstError })).not.toHaveProperty('lastError');
});
