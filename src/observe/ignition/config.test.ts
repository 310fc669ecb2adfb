import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { contentOf, filesOf, parseIgnition } from './config.ts';

const config = (files: readonly object[]) =>
  parseIgnition('x.ign', JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } }));

const textOf = (source: string | undefined, compression?: string) =>
  contentOf({ source, compression }, 'x')?.toString();

test.each([
  ['data:,hello%20world', 'hello world'],
  ['data:text/plain;charset=utf-8;base64,aGVsbG8=', 'hello'],
  ['DATA:;BASE64,aGVsbG8=', 'hello'],
  ['data:,', ''],
  ['data:,two%0Alines\nand more', 'two\nlines\nand more'],
  ['', ''],
  [undefined, ''],
])('contentOf %j is %j', (source, text) => {
  expect(textOf(source)).toBe(text);
});

test('contentOf unfolds what is compressed', () => {
  const packed = gzipSync('hello').toString('base64');

  expect(textOf(`data:;base64,${packed}`, 'gzip')).toBe('hello');
  expect(contentOf({ source: `data:;base64,${packed}` }, 'x')).toEqual(gzipSync('hello'));
});

test('contentOf has nothing of what must be fetched', () => {
  expect(textOf('https://example.com/x')).toBeUndefined();
});

test('contentOf refuses what unfolds to more than any file of a config', () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1)).toString('base64');

  expect(() => textOf(`data:;base64,${bomb}`, 'gzip')).toThrow(
    'Cannot read the Ignition config "x": its content cannot be decompressed',
  );
});

test('filesOf puts a file together from its content and what is appended to it', () => {
  const files = filesOf(
    config([
      { path: '/a', contents: { source: 'data:,one' }, append: [{ source: 'data:,%20two' }] },
      { path: '/b', mode: 0o600, append: [{ source: 'data:,three' }] },
      { path: '/c' },
    ]),
    'x.ign',
  );

  expect(files.map(({ content, ...rest }) => ({ ...rest, text: content?.toString() }))).toEqual([
    { path: '/a', mode: 0o644, source: undefined, text: 'one two' },
    { path: '/b', mode: 0o600, source: undefined, text: 'three' },
    { path: '/c', mode: 0o644, source: undefined, text: '' },
  ]);
});

test('filesOf has no content of a file of which any part must be fetched', () => {
  const source = 'https://example.com/x';
  const files = filesOf(
    config([{ path: '/a', contents: { source: 'data:,one' }, append: [{ source }] }]),
    'x.ign',
  );

  expect(files).toEqual([{ path: '/a', mode: 0o644, content: undefined, source }]);
});

test('filesOf names config and file where something is wrong with its content', () => {
  expect(() =>
    filesOf(config([{ path: '/a', contents: { source: 'data:,%zz' } }]), 'x.ign'),
  ).toThrow('Cannot read the Ignition config "x.ign: /a": its data URL is not well formed');
});

test('filesOf of a config without files is empty', () => {
  expect(filesOf(parseIgnition('x', '{"ignition":{"version":"3.4.0"}}'), 'x')).toEqual([]);
});

test.each(['3.10.2', '3.6.0-experimental'])('parseIgnition reads version %s', (version) => {
  expect(parseIgnition('x', JSON.stringify({ ignition: { version } })).ignition.version).toBe(
    version,
  );
});

test.each(['2.2.0', '3.2', '3.2.0x', '33.2.0', '13.2.0'])(
  'parseIgnition refuses version %s',
  (version) => {
    expect(() => parseIgnition('x', JSON.stringify({ ignition: { version } }))).toThrow(
      `its version is "${version}"`,
    );
  },
);

test('parseIgnition says what is wrong and what to name instead', () => {
  const refused = (text: string) => {
    try {
      return parseIgnition('x', text);
    } catch (error) {
      return error;
    }
  };

  expect(refused('no json')).toMatchObject({
    code: 'INPUT_INVALID',
    hint: expect.stringContaining('bootstrap.ign'),
    details: { path: 'x' },
  });
  expect(refused('{"ignition":{"version":"2.2.0"}}')).toMatchObject({
    hint: 'Only Ignition specification 3.x is read',
  });
  expect(refused('{"ignition":{}}')).toMatchObject({
    message: expect.stringContaining('version'),
  });
});
