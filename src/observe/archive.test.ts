import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { type Header, pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { logBundle, logBundleArchive } from '../../test/support/log-bundle.ts';
import { describeWithPeers } from '../../test/support/peers.ts';
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

test('archiveFiles skips and reports paths that are too long or hold what cannot be seen', async () => {
  const long = `${'d/'.repeat(50)}x`;
  const { files, problems } = await read(
    await tar([
      [{ name: long }, 'x'],
      [{ name: `${long}y` }, 'x'],
      [{ name: 'a\u0007b' }, 'x'],
      [{ name: 'a\\..\\b' }, 'x'],
    ]),
    { ...DEFAULT_LIMITS, maxPathBytes: long.length },
  );

  expect(Object.keys(files)).toEqual([long]);
  expect(problems).toEqual([
    `${long}y: its path is too long`,
    'a?b: its path holds a control character',
    'a\\..\\b: its path climbs out of the archive',
  ]);
});

test('archiveFiles shows no more of a name than fits', async () => {
  const { problems } = await read(await tar([[{ name: `../${'x'.repeat(300)}` }, 'x']]));

  expect(problems).toEqual([`../${'x'.repeat(197)}: its path climbs out of the archive`]);
});

test('archiveFiles cleans paths of what says nothing', async () => {
  expect((await read(await tar([[{ name: './a//b/./c.log' }, 'x']]))).files).toEqual({
    'a/b/c.log': 'x',
  });
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

test('sourceFiles opens archives inside archives and what is packed twice, and no deeper', async () => {
  const path = join(await tempDir(), 'nested.tar');
  let nested = await tar([[{ name: 'x.log' }, 'x']]);
  const deep = pack();
  for (const name of ['two.tar', 'three.tar']) {
    deep.entry({ name }, nested);
    const archive = pack();
    archive.entry({ name }, nested);
    archive.finalize();
    nested = gzipSync(await buffer(archive));
  }
  deep.entry({ name: 'four.tar' }, await tar([[{ name: 'four.tar.gz' }, '']]));
  deep.entry({ name: 'deep.tar.gz' }, nested);
  deep.entry({ name: 'twice.log.gz' }, gzipSync(gzipSync('text')));
  deep.entry({ name: 'thrice.log.gz' }, gzipSync(gzipSync(gzipSync('text'))));
  deep.finalize();
  await writeFile(path, deep as AsyncIterable<Buffer>);

  const [names, unread] = await unreadOf(path);

  expect(names).toEqual(['x.log', 'x.log', 'four.tar.gz', 'twice.log']);
  expect(unread).toEqual([
    {
      path: `${path}!deep.tar.gz!three.tar!two.tar`,
      reason: 'an archive inside 3 archives, not opened',
    },
    { path: `${path}!thrice.log.gz`, reason: 'compressed more than 2 times, not opened' },
  ]);
});

describeWithPeers(['bzip2', 'xz', 'zstd', 'zip'], 'diagnose of a packed log', () => {
  const LINE = 'Aug 20 10:11:12 bootstrap crio[1]: no space left on device\n';
  const BOMB = { ...DEFAULT_LIMITS, ratioFloorBytes: 1024 * 1024, maxRatio: 100 };

  async function packed(program: string, args: readonly string[], content: string | Buffer) {
    const folder = await tempDir();
    await writeFile(join(folder, 'crio.log'), content);
    execFileSync(program, args, { cwd: folder, stdio: 'ignore' });
    return folder;
  }

  test.each([
    ['xz', ['crio.log']],
    ['bzip2', ['crio.log']],
    ['zstd', ['--rm', 'crio.log']],
    ['zip', ['-m', 'logs.zip', 'crio.log']],
    ['tar', ['--remove-files', '-cJf', 'logs.tar.xz', 'crio.log']],
    ['tar', ['--remove-files', '-cjf', 'logs.tbz', 'crio.log']],
    ['sh', ['-c', 'zip -qm - crio.log | cat > piped.zip && xz piped.zip']],
  ])('reads what %s %j made', async (program, args) => {
    const folder = await packed(program, args, LINE);

    const { findings, unread } = await diagnose(silentContext(), [folder]);

    expect(findings.map(({ id, count }) => [id, count])).toEqual([['boot-disk-full', 1]]);
    expect(unread).toEqual([]);
  });

  test('steps over what nobody read in a zip, and tells of a wrong checksum', async () => {
    const folder = await packed('zip', ['-mn', '.log', 'logs.zip', 'crio.log'], LINE);
    execFileSync('sh', ['-c', `seq 90000 > b; zip -q logs.zip b; echo c > c; zip -q logs.zip c`], {
      cwd: folder,
    });
    const bytes = await readFile(join(folder, 'logs.zip'));
    const names: string[] = [];
    const problems: string[] = [];
    const options = {
      name: 'logs.zip',
      onProblem: (path: string, reason: string) => problems.push(`${path}: ${reason}`),
    };

    for await (const { path, content } of archiveFiles(inPieces(bytes), options, 'zip')) {
      names.push(path);
      if (path === 'b') for await (const _ of content) break;
    }
    expect([names, problems]).toEqual([['crio.log', 'b', 'c'], []]);

    const at = bytes.indexOf('no space');
    bytes.write('NO', at);
    for await (const { content } of archiveFiles(inPieces(bytes), options, 'zip'))
      for await (const _ of content);
    expect(problems).toEqual([
      'crio.log: it is damaged (its checksum is wrong); the rest was not read',
    ]);
  });

  test.each([
    ['xz', ['-1', 'crio.log']],
    ['bzip2', ['-1', 'crio.log']],
    ['zstd', ['--rm', 'crio.log']],
    ['zip', ['-m', 'logs.zip', 'crio.log']],
  ])('refuses a bomb that %s made by name', async (program, args) => {
    const folder = await packed(program, args, Buffer.alloc(8_000_000, '0'));

    await expect(unreadOf(folder, BOMB)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringMatching(/(?:crio|logs)\..*unfolds more than 100 times/),
    });
  });

  test.each([
    ['xz', ['crio.log']],
    ['bzip2', ['crio.log']],
    ['zstd', ['--rm', 'crio.log']],
    ['zip', ['-m', 'logs.zip', 'crio.log']],
  ])('says of what %s made that it was cut off', async (program, args) => {
    const folder = await packed(program, args, LINE.repeat(20));
    const [name = ''] = await readdir(folder);
    const whole = await readFile(join(folder, name));
    await writeFile(join(folder, name), whole.subarray(0, Math.floor(whole.length / 2)));

    const [, unread] = await unreadOf(folder);

    expect(unread[0]?.reason).toMatch(/ends early|archive ends in it/);
  });
});

test('sourceFiles refuses a bomb of many layers that are modest alone', async () => {
  const path = join(await tempDir(), 'layers.tar.gz');
  const limits = { ...DEFAULT_LIMITS, ratioFloorBytes: 1024 * 1024, maxRatio: 100 };
  const small = gzipSync('0'.repeat(900_000));
  const archive = pack();
  for (let at = 0; at < 40; at += 1) archive.entry({ name: `${at}.log.gz` }, small);
  archive.finalize();
  await writeFile(path, gzipSync(await buffer(archive)));

  await expect(unreadOf(path, limits)).rejects.toThrow(/layers.tar.gz.*more than 100 times/);
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
