import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { logBundle, logBundleArchive } from '../../test/support/log-bundle.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { archiveFiles } from './archive.ts';
import { diagnose } from './diagnose.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { sourceFiles, type UnreadEvidence } from './source-files.ts';

type Entry = readonly [header: Partial<Header> & { name: string }, content?: string];

async function tar(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const [header, content = ''] of entries) archive.entry(header, content);
  archive.finalize();
  const chunks: Buffer[] = [];
  for await (const chunk of archive) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Hands out bytes in odd pieces, as a network or a decompressor would. */
async function* inPieces(bytes: Buffer, size = 777): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer, limits = DEFAULT_LIMITS) {
  const problems: string[] = [];
  const files: Record<string, string> = {};
  const onProblem = (path: string, reason: string) => problems.push(`${path}: ${reason}`);
  for await (const entry of archiveFiles(inPieces(bytes), { name: 't', limits, onProblem })) {
    const parts: Buffer[] = [];
    for await (const part of entry.content) parts.push(part);
    files[entry.path] = Buffer.concat(parts).toString();
  }
  return { files, problems };
}

test('archiveFiles reads files, long names and what follows an entry nobody read', async () => {
  const long = `${'deep/'.repeat(60)}file.log`;
  const bytes = await tar([
    [{ name: './a/b.log' }, 'one'],
    [{ name: 'a/', type: 'directory' }],
    [{ name: long }, 'two'],
    [{ name: 'größe.log' }, 'three'],
  ]);

  const { files, problems } = await read(bytes);

  expect(files).toEqual({ 'a/b.log': 'one', [long]: 'two', 'größe.log': 'three' });
  expect(problems).toEqual([]);
  const names: string[] = [];
  for await (const { path } of archiveFiles(inPieces(bytes), {
    name: 't',
    onProblem: () => undefined,
  })) {
    names.push(path);
  }
  expect(names).toHaveLength(3);
});

test('archiveFiles skips and reports paths that climb out, links and devices', async () => {
  const { files, problems } = await read(
    await tar([
      [{ name: '../../etc/passwd' }, 'x'],
      [{ name: '/etc/shadow' }, 'x'],
      [{ name: 'a/../../b' }, 'x'],
      [{ name: 'link', type: 'symlink', linkname: '/etc/passwd' }],
      [{ name: 'hard', type: 'link', linkname: '../x' }],
      [{ name: 'null', type: 'character-device' }],
      [{ name: 'good.log' }, 'fine'],
    ]),
  );

  expect(files).toEqual({ 'good.log': 'fine' });
  expect(problems).toEqual([
    '../../etc/passwd: its path climbs out of the archive',
    '/etc/shadow: its path is absolute',
    'a/../../b: its path climbs out of the archive',
    'link: it is a symbolic link',
    'hard: it is a hard link',
    'null: it is not a regular file (type "3")',
  ]);
});

test('archiveFiles reports an archive that ends early and keeps what came before', async () => {
  const bytes = await tar([
    [{ name: 'whole.log' }, 'one'],
    [{ name: 'cut.log' }, 'x'.repeat(5000)],
  ]);

  const { files, problems } = await read(bytes.subarray(0, 3000));

  expect(files['whole.log']).toBe('one');
  expect(problems).toContain('cut.log: the archive ends in it');
});

test('archiveFiles stops at a damaged header', async () => {
  const bytes = await tar([
    [{ name: 'a' }, 'one'],
    [{ name: 'b' }, 'two'],
  ]);
  bytes[1024 + 3] = 0x7f;

  const { files, problems } = await read(bytes);

  expect(files).toEqual({ a: 'one' });
  expect(problems).toEqual([': the header at byte 1024 is damaged; the rest was not read']);
});

test('archiveFiles refuses more entries, bytes or header than the limits', async () => {
  const bytes = await tar(Array.from({ length: 12 }, (_, at) => [{ name: `${at}` }, 'xxxx']));
  const huge = Buffer.alloc(512);
  huge.write('pax', 0);
  huge.write('77777777777\0', 124);
  huge.write('x', 156);
  const sum = huge.reduce((total, byte) => total + byte, 8 * 32);
  huge.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);

  await expect(read(bytes, { ...DEFAULT_LIMITS, maxEntries: 10 })).rejects.toThrow(
    'more than 10 entries',
  );
  await expect(read(bytes, { ...DEFAULT_LIMITS, maxBytes: 20 })).rejects.toThrow(
    'more than 20 bytes',
  );
  await expect(read(huge)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

async function unreadOf(
  path: string,
  limits = DEFAULT_LIMITS,
): Promise<[string[], UnreadEvidence[]]> {
  const unread: UnreadEvidence[] = [];
  const names: string[] = [];
  const options = { limits, onUnread: (one: UnreadEvidence) => unread.push(one) };
  for await (const file of sourceFiles(silentContext(), [path], options)) {
    for await (const _ of file.content);
    names.push(file.path);
  }
  return [names, unread];
}

test('sourceFiles refuses a bomb by how much it unfolds', async () => {
  const path = join(await tempDir(), 'bomb.tar.gz');
  const limits = { ...DEFAULT_LIMITS, ratioFloorBytes: 1024 * 1024, maxRatio: 100 };
  await writeFile(path, gzipSync(await tar([[{ name: 'zeros.log' }, '0'.repeat(8_000_000)]])));

  await expect(unreadOf(path, limits)).rejects.toThrow(/unfolds more than 100 times/);
});

test('sourceFiles opens no archive inside an archive and unfolds no file twice', async () => {
  const path = join(await tempDir(), 'nested.tar');
  const inner = await tar([[{ name: 'x' }, 'x']]);
  const twice = gzipSync(gzipSync('text'));
  const archive = pack();
  archive.entry({ name: 'inner.tar' }, inner);
  archive.entry({ name: 'twice.log.gz' }, twice);
  archive.entry({ name: 'once.log.gz' }, gzipSync('text'));
  archive.finalize();
  await writeFile(path, archive as AsyncIterable<Buffer>);

  const [names, unread] = await unreadOf(path);

  expect(names).toEqual(['once.log']);
  expect(unread.map(({ reason }) => reason)).toEqual([
    'an archive inside an archive, not opened',
    'compressed with gzip more than once, which cannot be read here',
  ]);
});

test('sourceFiles follows no link out of a directory', async () => {
  const directory = await tempDir();
  await mkdir(join(directory, 'logs'));
  await symlink('/etc', join(directory, 'logs', 'etc'));
  await writeFile(join(directory, 'logs', 'a.log'), 'text');

  const [names, unread] = await unreadOf(directory);

  expect(names).toEqual(['logs/a.log']);
  expect(unread).toMatchObject([{ reason: 'a link, not followed' }]);
});

test('diagnose says what it could read of a bundle that was cut off, and that it was', async () => {
  const path = join(await tempDir(), 'cut.tar.gz');
  const whole = await logBundleArchive(logBundle('node-image-pull'));
  await writeFile(path, whole.subarray(0, whole.length - 200));

  const diagnosis = await diagnose(silentContext(), [path]);

  expect(diagnosis.unread.map(({ reason }) => reason)).toContain('it ends early');
});

test('diagnose names a path that is not there', async () => {
  await expect(diagnose(silentContext(), ['/nowhere/at/all'])).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
  });
});

test('diagnose survives any damage to an archive with an answer or an error of ours', async () => {
  const directory = await tempDir();
  const whole = await logBundleArchive(logBundle('node-image-pull'));
  const plain = gunzipSync(whole);
  const damage = fc.array(fc.tuple(fc.nat(plain.length - 1), fc.nat(255)), {
    minLength: 1,
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(damage, fc.nat(plain.length), fc.boolean(), async (bytes, length, zipped) => {
      const broken = Buffer.from(zipped ? whole : plain).subarray(
        0,
        zipped ? whole.length : length + 512,
      );
      for (const [at, value] of bytes) broken[at % broken.length] = value;
      const path = join(directory, 'broken.tar');
      await writeFile(path, broken);

      const outcome = await diagnose(silentContext(), [path]).catch((error: unknown) => error);

      expect(outcome instanceof Error ? outcome.name : 'answered').toMatch(
        /^(?:AtollError|answered)$/,
      );
    }),
    { numRuns: 40 },
  );
});
