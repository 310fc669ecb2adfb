import { expect, test } from 'vitest';
import { unwrapped } from './unwrap.ts';

const isStart = (line: string) => /^(?:Aug|time=|error:)/.test(line);
const linesOf = (text: string) => {
  const made = unwrapped(text, isStart);
  return made && { lines: made.bytes.toString().trimEnd().split('\n'), numbers: made.numbers };
};

const broken = (text: string, width: number) =>
  text
    .split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [line])
    .map((line) => line.trimEnd())
    .join('\n');

const LOG = [
  'Aug 20 10:11:12 bootstrap release-image-download.sh[2211]: Error: initializing source docker://reg.corp.lan:5000/ocp4: no route to host',
  'Aug 20 10:11:13 bootstrap release-image-download.sh[2211]: short',
  'Aug 20 10:11:14 bootstrap release-image-download.sh[2211]: Pull failed. Retrying reg.corp.lan:5000/ocp4/release@sha256:0a1b2c3d...',
].join('\n');

test.each([61, 72, 80, 93])('unwrapped puts together what a terminal of %i broke', (width) => {
  const text = broken(LOG, width);

  const { lines, numbers } = linesOf(`${text}\n`) ?? {};

  expect(lines?.map((line) => line.replaceAll(' ', ''))).toEqual(
    LOG.split('\n').map((line) => line.replaceAll(' ', '')),
  );
  expect(numbers?.map((number) => text.split('\n')[number - 1]?.slice(0, 15))).toEqual(
    LOG.split('\n').map((line) => line.slice(0, 15)),
  );
});

test('unwrapped leaves alone what only happens to be as wide as a terminal', () => {
  const first = `curl: no name matches '${'x'.repeat(56)}'`;

  expect(first).toHaveLength(80);
  expect(linesOf(`${first}\nMore details here`)).toBeUndefined();
  expect(linesOf(`${first}\nand more of it`)?.lines).toHaveLength(1);
});

test('unwrapped gives back a space that was lost at the end of a line', () => {
  const first = `error: ${'x'.repeat(72)}`;

  expect(linesOf(`${first} refused\n${'error: '.padEnd(80, 'y')}\nrest`)).toBeUndefined();
  expect(linesOf(`${first}\nrefused by host\n${'error: '.padEnd(80, 'y')}\nrest`)?.lines).toEqual([
    `${first} refused by host`,
    `${'error: '.padEnd(80, 'y')}rest`,
  ]);
});

test.each([
  ['lines that begin by themselves', LOG],
  [
    'rows of a table',
    ['NAME', 'one', 'two'].map((name) => `${name.padEnd(40)}Ready     master    1.30.7`).join('\n'),
  ],
  ['the same line again and again', `${'error 1: '.padEnd(70, 'x')}\n`.repeat(3)],
  ['nothing', ''],
])('unwrapped leaves alone %s', (_, text) => {
  expect(linesOf(text)).toBeUndefined();
});

test('unwrapped joins lines that were broken between words', () => {
  const text = [
    'error: unable to push to the mirror because the certificate that it shows',
    'was signed by an authority which nobody here knows, and which is not in the',
    'bundle of this host',
    'error: one image was not mirrored',
  ].join('\n');

  expect(linesOf(text)).toEqual({
    lines: [text.split('\n').slice(0, 3).join(' '), 'error: one image was not mirrored'],
    numbers: [1, 4],
  });
});

test('unwrapped keeps lines apart that had room for each other', () => {
  const text = `${'error: '.padEnd(70, 'x ')}\nshort\nalso short\nand another one\n`;

  expect(linesOf(text)).toBeUndefined();
});

test('unwrapped joins no line that begins with a time', () => {
  const text = [
    `2026/02/10 17:47:44 ${'unable to lift the lid of the depot, '.repeat(2)}retry`,
    '2026/02/10 17:47:59 Saved the lid of the depot to the place that it was to be: /srv/depot/of/the/lids',
    'lid.yaml',
  ].join('\n');

  expect(linesOf(`${text}\n`)).toBeUndefined();
});
