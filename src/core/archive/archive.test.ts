import { mkdir, open, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { collect, once } from '../bytes.ts';
import { silentContext } from '../context.ts';
import { runProgram } from '../process.ts';
import { fileSource, streamSource } from './byte-source.ts';
import { gunzip, isGzip } from './gunzip.ts';
import { readTar, type TarOptions } from './read-tar.ts';

const LONG = `${'deep/'.repeat(60)}file`;

async function tarOf(...entries: [Partial<Header> & { name: string }, string?][]): Promise<Buffer> {
  const tar = pack();
  for (const [header, content = ''] of entries) tar.entry(header, content);
  tar.finalize();
  return await collect(tar as AsyncIterable<Buffer>);
}

/** Writes the text into the header at the beginning and makes its checksum right. */
function withField(bytes: Buffer, at: number, field: Buffer): Buffer {
  const changed = Buffer.from(bytes);
  field.copy(changed, at);
  const sum = changed
    .subarray(0, 512)
    .reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
  changed.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return changed;
}

/** Hands out bytes in odd pieces, as a network or a decompressor would. */
async function* inPieces(bytes: Uint8Array, size = 777): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Uint8Array, options: TarOptions = {}) {
  const found: [type: string, path: string, said: string][] = [];
  for await (const entry of readTar(streamSource(inPieces(bytes)), options)) {
    const said = entry.target || (await collect(entry.content)).toString();
    found.push([entry.type, entry.path, said]);
  }
  return found;
}

describe('readTar', () => {
  test.each(['ustar', 'pax', 'gnu', 'v7'])('reads what tar writes as %s', async (format) => {
    const folder = await tempDir();
    const deep = format === 'v7' ? 'deep' : 'deep'.repeat(24);
    const name = format === 'ustar' || format === 'v7' ? 'größe' : `${'long'.repeat(40)}ß`;
    await mkdir(join(folder, deep));
    await writeFile(join(folder, deep, name), 'content', { mode: 0o640 });
    await symlink(`${deep}/x`, join(folder, 'link'));
    const args = ['--format', format, '-cf', 'a.tar', deep, 'link'];
    const { status } = await runProgram(silentContext(), 'tar', args, { cwd: folder });

    const found = await read(await readFile(join(folder, 'a.tar')));

    expect(status).toBe(0);
    expect(found).toEqual([
      ['directory', `${deep}/`, ''],
      ['file', `${deep}/${name}`, 'content'],
      ['symlink', 'link', `${deep}/x`],
    ]);
  });

  test('reads long names of links, and mode and time of files', async () => {
    const modified = new Date('2026-01-02T03:04:05Z');
    const bytes = await tarOf([{ name: 'a', mode: 0o750, mtime: modified }, 'x']);

    expect(await read(await tarOf([{ name: 'l', type: 'link', linkname: LONG }]))).toEqual([
      ['hardlink', 'l', LONG],
    ]);
    for await (const entry of readTar(streamSource(once(bytes)))) {
      expect(entry).toMatchObject({ mode: 0o750, modified, size: 1 });
    }
  });

  test('says where the content is in a file, without reading it', async () => {
    const path = join(await tempDir(), 'a.tar');
    const bytes = await tarOf([{ name: 'a' }, 'alpha'], [{ name: LONG }, 'beta'], [{ name: 'c' }]);
    await writeFile(path, bytes);
    await using file = await open(path);

    const found: string[] = [];
    for await (const { offset, size } of readTar(await fileSource(file))) {
      found.push(bytes.toString('utf8', offset, offset + size));
    }

    expect(found).toEqual(['alpha', 'beta', '']);
  });

  test.each([
    ['negative in an extended header', { pax: { size: '-1536' } }],
    ['beyond all numbers in an extended header', { pax: { size: '99999999999999999999' } }],
    ['no number in an extended header', { pax: { size: 'many' } }],
  ])('refuses a size that is %s', async (_what, header) => {
    await expect(read(await tarOf([{ name: 'a', ...header }, 'x']))).rejects.toMatchObject({
      kind: 'refused',
      message: 'an entry has a size that cannot be',
    });
  });

  test.each([
    ['negative', Buffer.from('-0000001777\0')],
    ['negative in base 256', Buffer.alloc(12, 0xff)],
    ['beyond all numbers', Buffer.from('80ffffffffffffffffffffff', 'hex')],
    ['no number', Buffer.from('99999999999\0')],
  ])('refuses a header whose size is %s', async (_what, field) => {
    const bytes = withField(await tarOf([{ name: 'a' }, 'x']), 124, field);

    await expect(read(bytes)).rejects.toMatchObject({ kind: 'refused', entry: 'a' });
  });

  test('reads a size of base 256', async () => {
    const bytes = withField(
      await tarOf([{ name: 'a' }, 'x']),
      124,
      Buffer.from('800000000000000000000001', 'hex'),
    );

    expect(await read(bytes)).toEqual([['file', 'a', 'x']]);
  });

  test('tells an extended header that is damaged, and one that is too long', async () => {
    const bytes = await tarOf([{ name: 'a', pax: { comment: 'x' } }, 'x']);
    const damaged = Buffer.from(bytes);
    damaged.write('99', 512);
    const long = withField(bytes, 124, Buffer.from('00777777777\0'));

    await expect(read(damaged)).rejects.toMatchObject({ kind: 'damaged' });
    await expect(read(long)).rejects.toMatchObject({ kind: 'refused' });
  });

  test('fails a content that is cut, and the archive with it', async () => {
    const bytes = (await tarOf([{ name: 'a' }, 'x'.repeat(3000)])).subarray(0, 2000);
    const cut = { kind: 'cut', entry: 'a', message: 'it ends in the middle of a' };

    await expect(read(bytes)).rejects.toMatchObject(cut);
    const skipping = (async () => {
      for await (const _ of readTar(streamSource(once(bytes))));
    })();
    await expect(skipping).rejects.toMatchObject(cut);
  });

  test('accepts an archive without its end only where that is usual', async () => {
    const bytes = (await tarOf([{ name: 'a' }, 'x'])).subarray(0, 1024);

    await expect(read(bytes)).rejects.toMatchObject({ kind: 'cut', message: 'it has no end' });
    expect(await read(bytes, { endless: true })).toEqual([['file', 'a', 'x']]);
  });

  test('takes no content from a folder or a link, whatever size they claim', async () => {
    const bytes = await tarOf([{ name: 'd', type: 'directory' }], [{ name: 'a' }, 'x']);
    const claiming = withField(bytes, 124, Buffer.from('00000001000\0'));

    expect(await read(claiming)).toEqual([
      ['directory', 'd', ''],
      ['file', 'a', 'x'],
    ]);
  });

  test('keeps to the number of entries and bytes it is given', async () => {
    const bytes = await tarOf([{ name: 'a' }, 'xx'], [{ name: 'b' }, 'yyy'], [{ name: 'c' }]);

    expect(await read(bytes, { maxEntries: 3, maxBytes: 5 })).toHaveLength(3);
    await expect(read(bytes, { maxEntries: 2 })).rejects.toMatchObject({
      kind: 'refused',
      entry: 'c',
      message: 'it holds more than 2 entries',
    });
    await expect(read(bytes, { maxBytes: 4 })).rejects.toMatchObject({
      kind: 'refused',
      entry: 'b',
      message: 'it holds more than 4 bytes',
    });
  });

  test('steps over what is said of the whole archive, and does not count it', async () => {
    const label = withField(
      await tarOf([{ name: 'title' }, 'x'.repeat(600)]),
      156,
      Buffer.from('g'),
    );
    const bytes = Buffer.concat([label.subarray(0, 1536), await tarOf([{ name: 'a' }, 'x'])]);

    expect(await read(bytes, { maxEntries: 1 })).toEqual([['file', 'a', 'x']]);
  });

  test('names the place of a damaged header, and fails a long name that is cut', async () => {
    const bytes = await tarOf([{ name: 'a' }, 'x'], [{ name: 'b' }]);
    bytes[1024] = 0x7a;
    const long = (await tarOf([{ name: LONG }, 'x'])).subarray(0, 600);

    await expect(read(bytes)).rejects.toThrow('the header at byte 1024 is damaged');
    await expect(read(long)).rejects.toMatchObject({ kind: 'cut' });
  });

  test('reads on behind the end when it is asked to, and closes its source', async () => {
    const bytes = await tarOf([{ name: 'a' }, 'x']);
    let [given, closed] = [0, 0];
    async function* chunks() {
      try {
        for (const chunk of [bytes, Buffer.alloc(9999)]) {
          given += chunk.length;
          yield chunk;
        }
      } finally {
        closed += 1;
      }
    }

    for await (const _ of readTar(streamSource(chunks()))) break;
    expect([given, closed]).toEqual([bytes.length, 1]);

    for await (const _ of readTar(streamSource(chunks()), { drain: true }));
    expect([given, closed]).toEqual([2 * bytes.length + 9999, 2]);
  });
});

describe('gunzip', () => {
  const TEXT = 'atoll '.repeat(50_000);
  const unzip = async (bytes: Uint8Array, size = 777) =>
    (await collect(gunzip(inPieces(bytes, size)))).toString();

  test.each([1, 777, 1_000_000])('reads all members in pieces of %i bytes', async (size) => {
    const bytes = Buffer.concat([gzipSync(TEXT), gzipSync('and more')]);

    expect(await unzip(bytes, size)).toBe(`${TEXT}and more`);
  });

  test('does not mind zeros behind the last member, and reads to the end', async () => {
    const bytes = Buffer.concat([gzipSync(TEXT), Buffer.alloc(5000)]);
    let given = 0;
    async function* counted() {
      for await (const chunk of inPieces(bytes)) {
        given += chunk.length;
        yield chunk;
      }
    }

    expect((await collect(gunzip(counted()))).toString()).toBe(TEXT);
    expect(given).toBe(bytes.length);
  });

  test('gives all that can be had of a stream that is cut or damaged, and then says so', async () => {
    const whole = gzipSync(Array.from({ length: 50_000 }, (_, at) => `line ${at}\n`).join(''));
    const damaged = Buffer.from(whole).fill(0x55, 80_000, 80_064);

    for (const [bytes, kind] of [
      [whole.subarray(0, whole.length - 100), 'cut'],
      [damaged, 'damaged'],
    ] as const) {
      let had = 0;
      const reading = (async () => {
        for await (const chunk of gunzip(inPieces(bytes))) had += chunk.length;
      })();
      await expect(reading).rejects.toMatchObject({ kind });
      expect(had).toBeGreaterThan(10_000);
    }
  });

  test('takes anything else behind the last member for damage', async () => {
    const bytes = Buffer.concat([gzipSync(TEXT), Buffer.from('what is this?')]);

    await expect(unzip(bytes)).rejects.toMatchObject({ kind: 'damaged' });
  });

  test('refuses what is no gzip at all, and what unfolds too far', async () => {
    const limits = { maxBytes: 10_000_000, maxRatio: 10, ratioFloorBytes: 100_000 };

    await expect(unzip(Buffer.from('no gzip'))).rejects.toMatchObject({ kind: 'damaged' });
    await expect(collect(gunzip(once(gzipSync(TEXT)), limits))).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test('allows what stays within its limits, and asks for the ratio only of what is large', async () => {
    const zipped = gzipSync(TEXT);
    const size = TEXT.length;
    const within = { maxBytes: size, maxRatio: size / zipped.length, ratioFloorBytes: 0 };
    const unfold = (limits: Parameters<typeof gunzip>[1]) => collect(gunzip(once(zipped), limits));
    const large = 'it unfolds to more than';
    const steep = 'it unfolds more than';

    expect(await unfold(within)).toHaveLength(size);
    expect(await unfold({ ...within, maxRatio: 1, ratioFloorBytes: size })).toHaveLength(size);
    await expect(unfold({ ...within, maxBytes: size - 1 })).rejects.toThrow(large);
    await expect(unfold({ ...within, maxRatio: 100 })).rejects.toThrow(steep);
    await expect(unfold({ ...within, maxRatio: 1, ratioFloorBytes: size - 1 })).rejects.toThrow(
      steep,
    );
  });

  test('stops reading once the stream is damaged', async () => {
    let asked = 0;
    async function* endless() {
      for (;;) {
        asked += 1;
        yield Buffer.from('no gzip');
      }
    }

    await expect(collect(gunzip(endless()))).rejects.toMatchObject({
      kind: 'damaged',
      message: expect.stringContaining('incorrect header check'),
    });
    expect(asked).toBeLessThan(5);
  });
});

test('isGzip knows the first two bytes', () => {
  const heads = [gzipSync(''), Buffer.from([0x1f, 0]), Buffer.from([0, 0x8b]), Buffer.alloc(0)];

  expect(heads.map(isGzip)).toEqual([true, false, false, false]);
});
