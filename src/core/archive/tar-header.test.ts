import { expect, test } from 'vitest';
import {
  extendedHeader,
  extensionIn,
  isTar,
  parseTarHeader,
  type TarHeader,
} from './tar-header.ts';

/** A header with these fields, and a checksum that fits. */
function header(fields: Readonly<Record<number, string | Buffer>>): Buffer {
  const block = Buffer.alloc(512);
  const given = { 0: 'a', 100: '0000644\0', 124: '00000000005\0', 156: '0', ...fields };
  for (const [at, value] of Object.entries(given)) Buffer.from(value).copy(block, Number(at));
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

const parsed = (fields: Parameters<typeof header>[0]) => parseTarHeader(header(fields), 0);

test.each([
  ['\0', 'file'],
  ['0', 'file'],
  ['1', 'hardlink'],
  ['2', 'symlink'],
  ['3', 'character-device'],
  ['4', 'block-device'],
  ['5', 'directory'],
  ['6', 'fifo'],
  ['7', 'file'],
  ['L', 'long-path'],
  ['K', 'long-link'],
  ['x', 'pax'],
  ['g', 'label'],
  ['V', 'label'],
  ['S', 'unknown'],
])('parseTarHeader takes the letter %j for %s', (flag, type) => {
  expect(parsed({ 156: flag })).toMatchObject({ type, flag });
});

test('parseTarHeader reads each field to its end and no further', () => {
  const name = 'n'.repeat(100);
  const target = 't'.repeat(100);

  expect(
    parsed({ 0: name, 100: '0107755\0', 124: '77777777777 ', 136: '00000000017\0', 157: target }),
  ).toEqual({
    path: name,
    type: 'file',
    size: 0o77777777777,
    mode: 0o7755,
    modified: new Date(15_000),
    target,
    flag: '0',
  });
});

test.each([
  ['POSIX', 'ustar\x0000', 'front/name'],
  ['GNU', 'ustar  \0', 'name'],
])(
  'parseTarHeader puts the front of a long path before it in the format of %s',
  (_of, magic, path) => {
    expect(parsed({ 0: 'name', 257: magic, 345: 'front' })?.path).toBe(path);
  },
);

test.each([
  ['no number', { 136: 'soon\0' }, { modified: new Date(0) }],
  ['before the beginning', { 136: Buffer.alloc(12, 0xff) }, { modified: new Date(0) }],
  [
    'beyond all dates',
    { 136: Buffer.from('80ffffffffffffffffffffff', 'hex') },
    { modified: new Date(0) },
  ],
  ['no mode', { 100: 'rwxr-xr-\0' }, { mode: 0 }],
  ['a size of blanks', { 124: '            ' }, { size: 0 }],
  ['a size in base 256', { 124: Buffer.from('80000000000000000000012c', 'hex') }, { size: 300 }],
] as const)('parseTarHeader reads %s', (_what, fields, expected) => {
  expect(parsed(fields)).toMatchObject(expected);
});

test('parseTarHeader knows the block of zeros, and names the place of a damaged one', () => {
  const damaged = header({});
  damaged[0] = 0x62;

  expect(parseTarHeader(Buffer.alloc(512), 0)).toBeUndefined();
  expect(() => parseTarHeader(damaged, 1024)).toThrow('the header at byte 1024 is damaged');
});

test('isTar looks at one whole block that is not empty', () => {
  const block = header({});
  const nameless = header({ 0: '\0' });

  expect(isTar(block)).toBe(true);
  expect(isTar(new Uint8Array([...block, 1, 2, 3]))).toBe(true);
  expect(isTar(block.subarray(0, 511))).toBe(false);
  expect(isTar(nameless)).toBe(false);
  expect(isTar(Buffer.alloc(512, 'x'))).toBe(false);
});

const FILE: TarHeader = {
  path: 'a',
  type: 'file',
  size: 5,
  mode: 0,
  modified: new Date(0),
  target: '',
  flag: '0',
};

test.each([
  ['a file', {}, {}, { type: 'file', size: 5 }],
  ['a folder of old programs', { path: 'a/' }, {}, { type: 'directory', size: 0 }],
  ['a link to a folder', { type: 'symlink', path: 'a/' }, {}, { type: 'symlink', size: 0 }],
  ['a folder that only the long name shows', {}, { path: 'b/' }, { type: 'directory', path: 'b/' }],
  ['what is unknown', { type: 'unknown' }, {}, { type: 'unknown', size: 5 }],
] as const)('extendedHeader takes %s for what it is', (_what, header, extension, expected) => {
  expect(extendedHeader({ ...FILE, ...header }, extension)).toMatchObject(expected);
});

/** A pax record with the length that counts itself. */
function record(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`);
  const guess = rest + String(rest).length;
  return `${rest + String(guess).length} ${key}=${value}\n`;
}

test('extensionIn reads long names to the first zero, and pax records by their length', () => {
  const pax = ['größe', 'a=b', 'c\nd'].map((value) => record('path', value)).join('');

  expect(extensionIn('long-path', Buffer.from('long\0rest'))).toEqual({ path: 'long' });
  expect(extensionIn('long-link', Buffer.from('all of it'))).toEqual({ target: 'all of it' });
  expect(extensionIn('pax', Buffer.from(pax))).toEqual({ path: 'c\nd' });
  expect(extensionIn('pax', Buffer.from(record('size', '0') + record('linkpath', 'l=1')))).toEqual({
    size: 0,
    target: 'l=1',
  });
  expect(extensionIn('pax', Buffer.from(record('path', '') + record('linkpath', '')))).toEqual({});
});

test.each([
  '12',
  '12 ',
  '5 a=b\n',
  '9 a=b\n',
  '-5 a=b\n',
  '6 a b\n',
  ' a=b\n',
  '1 a=b\n',
  '6 a=b\n5',
])('extensionIn takes the records %j for damage', (text) => {
  expect(() => extensionIn('pax', Buffer.from(text))).toThrow('an extended header is damaged');
});

test.each(['-1', '1.5', '', '9007199254740992', 'x1', '1x'])(
  'extensionIn refuses the size %j',
  (size) => {
    expect(() => extensionIn('pax', Buffer.from(record('size', size)))).toThrow(
      'a size that cannot be',
    );
  },
);
