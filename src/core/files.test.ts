import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { nullDevice } from '../../test/support/null-device.ts';
import { tempDir } from '../../test/support/temp.ts';
import { AtollError } from './errors.ts';
import {
  exists,
  fileTrouble,
  makeFolder,
  readBytes,
  readText,
  readTextIfPresent,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  unwritable,
  writeFileAtomic,
} from './files.ts';

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

test('writeFileAtomic writes text, bytes and streams, and makes the folders on the way', async () => {
  const path = join(await tempDir(), 'a', 'b', 'file');
  async function* chunks() {
    yield 'one ';
    yield Buffer.from('two');
  }

  await writeFileAtomic(path, 'text');
  expect(await readText(path)).toBe('text');
  await writeFileAtomic(path, new Uint8Array([1, 2]));
  expect([...(await readBytes(path))]).toEqual([1, 2]);
  await writeFileAtomic(path, chunks());
  expect(await readText(path)).toBe('one two');
});

test('writeFileAtomic keeps the mode it promised whatever the umask', async () => {
  const folder = join(await tempDir(), 'secrets');
  const path = join(folder, 'auth.json');

  await writeFileAtomic(path, '{}', { mode: SECRET_MODE, directoryMode: SECRET_DIRECTORY_MODE });
  await writeFileAtomic(join(folder, 'run'), '', { mode: 0o777 });

  expect([await modeOf(path), await modeOf(folder)]).toEqual([0o600, 0o700]);
  expect(await modeOf(join(folder, 'run'))).toBe(0o777);
});

test('writeFileAtomic does not open up a file that was closed when no mode is given', async () => {
  const path = join(await tempDir(), 'auth.json');
  await writeFile(path, 'old');
  await chmod(path, 0o600);

  await writeFileAtomic(path, 'new');

  expect([await readText(path), await modeOf(path)]).toEqual(['new', 0o600]);
});

test('writeFileAtomic leaves the old file and no other when its source fails', async () => {
  const folder = await tempDir();
  const path = join(folder, 'file');
  await writeFileAtomic(path, 'old');
  async function* broken() {
    yield 'half';
    throw new Error('the network went away');
  }

  await expect(writeFileAtomic(path, broken())).rejects.toThrow('the network went away');

  expect([await readText(path), await readdir(folder)]).toEqual(['old', ['file']]);
});

test('writeFileAtomic names the path it could not write', async () => {
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');
  await mkdir(join(folder, 'folder', 'full'), { recursive: true });

  for (const path of [join(folder, 'file', 'below'), join(folder, 'folder')]) {
    await expect(writeFileAtomic(path, 'x')).rejects.toMatchObject({
      code: 'FILE_UNWRITABLE',
      details: { path },
    });
  }
  expect((await readdir(folder)).sort()).toEqual(['file', 'folder']);
});

test('writeFileAtomic replaces the file behind a link, and leaves the links', async () => {
  const folder = await tempDir();
  await mkdir(join(folder, 'elsewhere'));
  await writeFile(join(folder, 'elsewhere', 'target'), 'old', { mode: 0o640 });
  await symlink('elsewhere/target', join(folder, 'link'));
  await symlink('link', join(folder, 'outer'));

  await writeFileAtomic(join(folder, 'outer'), 'new');

  const target = join(folder, 'elsewhere', 'target');
  expect([await readText(target), await modeOf(target)]).toEqual(['new', 0o640]);
  expect(await readlink(join(folder, 'outer'))).toBe('link');
  expect(await readdir(join(folder, 'elsewhere'))).toEqual(['target']);
});

test('writeFileAtomic makes the file that a link names before there is one', async () => {
  const folder = await tempDir();
  await symlink('later/target', join(folder, 'link'));

  await writeFileAtomic(join(folder, 'link'), 'new');

  expect(await readText(join(folder, 'later', 'target'))).toBe('new');
  await symlink('round', join(folder, 'round'));
  await expect(writeFileAtomic(join(folder, 'round'), 'x')).rejects.toThrow('Cannot write');
});

test.each(['there before', undefined])(
  'writeFileAtomic follows a link in a linked folder as the system does (%s)',
  async (before) => {
    const folder = await tempDir();
    await mkdir(join(folder, 'far', 'below'), { recursive: true });
    await symlink('far/below', join(folder, 'near'));
    await symlink('../target', join(folder, 'far', 'below', 'link'));
    await writeFile(join(folder, 'target'), 'of somebody else');
    if (before !== undefined) await writeFile(join(folder, 'far', 'target'), before);

    await writeFileAtomic(join(folder, 'near', 'link'), 'new');

    expect(await readText(join(folder, 'far', 'target'))).toBe('new');
    expect(await readText(join(folder, 'target'))).toBe('of somebody else');
  },
);

test('writeFileAtomic writes to a device behind a link, and leaves both what they are', async ({
  skip,
}) => {
  const folder = await tempDir();
  const device = (await nullDevice(folder)) ?? skip();
  await symlink(device, join(folder, 'nowhere'));

  await writeFileAtomic(join(folder, 'nowhere'), 'x', { mode: SECRET_MODE });

  expect((await stat(device)).isCharacterDevice()).toBe(true);
  expect(await readlink(join(folder, 'nowhere'))).toBe(device);
});

test('writeFileAtomic writes to a pipe that somebody reads, and leaves it one', async () => {
  const folder = await tempDir();
  const pipe = join(folder, 'pipe');
  await promisify(execFile)('mkfifo', [pipe]);
  await expect(writeFileAtomic(pipe, 'x')).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
    message: `Cannot write "${pipe}": nobody reads from this pipe`,
  });

  // More than a pipe holds.
  const text = 'x'.repeat(300_000);
  const reader = promisify(execFile)('cat', [pipe], { maxBuffer: 1_000_000 });
  await writtenOnceRead(pipe, text);

  expect((await reader).stdout).toBe(text);
  expect((await stat(pipe)).isFIFO()).toBe(true);
  expect(await readdir(folder)).toEqual(['pipe']);
});

/** Tries until the reader has opened its end. */
async function writtenOnceRead(pipe: string, text: string): Promise<void> {
  for (;;) {
    const error = await writeFileAtomic(pipe, text).catch((reason: unknown) => reason);
    if (error === undefined) return;
    expect(String(error)).toContain('nobody reads');
  }
}

test('writeFileAtomic refuses a socket and keeps it', async () => {
  const path = join(await tempDir(), 'socket');
  const server = createServer().listen(path);
  await once(server, 'listening');

  await expect(writeFileAtomic(path, 'x')).rejects.toThrow(
    `Cannot write "${path}": it is a socket`,
  );

  expect((await stat(path)).isSocket()).toBe(true);
  server.close();
});

test.each(['.', 'there', 'there/', 'link', 'nowhere/', 'nowhere/below/'])(
  'writeFileAtomic says that "%s" is a folder, and leaves all as it was',
  async (name) => {
    const directory = await tempDir();
    await mkdir(join(directory, 'there'));
    await symlink('there', join(directory, 'link'));

    const error = await writeFileAtomic(`${directory}/${name}`, 'text').catch((thrown) => thrown);

    expect(error).toMatchObject({
      code: 'FILE_UNWRITABLE',
      message: `Cannot write "${directory}/${name}": it is a folder`,
      hint: 'Name a file in it',
    });
    expect((await readdir(directory)).toSorted()).toEqual(['link', 'there']);
  },
);

test('writeFileAtomic writes into what a process has open instead of replacing it', async () => {
  const path = join(await tempDir(), 'out');
  const file = await open(path, 'w');

  await writeFileAtomic(`/proc/self/fd/${file.fd}`, 'new');

  expect((await file.stat()).ino).toBe((await stat(path)).ino);
  expect(await readText(path)).toBe('new');
  await file.close();
});

test('writeFileAtomic shows the old or the new content, never a part, also to kill -9', async () => {
  const folder = await tempDir();
  const path = join(folder, 'file');
  const program = join(folder, 'program.mjs');
  await build({
    stdin: { contents: KILLED, resolveDir: import.meta.dirname },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: program,
    logLevel: 'error',
  });
  await writeFile(path, 'old');

  for (const when of ['half', 'written']) {
    const child = spawn(process.execPath, [program, path, when], { stdio: 'pipe' });
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.stdout.once('data', () => child.kill('SIGKILL'));
    await gone;

    const content = await readFile(path, 'utf8');
    expect(['old', 'x'.repeat(2_000_000)]).toContain(content);
    if (when === 'half') expect(content).toBe('old');
  }
});

/** Writes slowly, and says when it is half way or done, so that it can be killed there. */
const KILLED = `
  import { writeFileAtomic } from './files.ts';
  const [path, when] = process.argv.slice(2);
  async function* chunks() {
    yield 'x'.repeat(1_000_000);
    if (when === 'half') {
      process.stdout.write('half');
      await new Promise((resolve) => setTimeout(resolve, 60_000));
    }
    yield 'x'.repeat(1_000_000);
    process.stdout.write('written');
  }
  await writeFileAtomic(path, chunks());
`;

test('makeFolder makes all folders on the way, also when several do at once', async () => {
  const path = join(await tempDir(), 'a', 'b', 'c');

  await Promise.all([
    makeFolder(path, 0o700),
    makeFolder(path, 0o700),
    makeFolder(join(path, 'd'), 0o700),
  ]);

  // All ask for the same mode: whoever comes first makes the folders on the way, with its own.
  expect(await readdir(path)).toEqual(['d']);
  expect(await modeOf(path)).toBe(0o700);
  expect(await modeOf(join(path, 'd'))).toBe(0o700);
});

test('makeFolder says so where no folder can be, instead of asking for ever', async () => {
  const file = join(await tempDir(), 'file');
  await writeFile(file, '');

  await expect(makeFolder('/proc/none/deep')).rejects.toMatchObject({
    code: 'FILE_UNWRITABLE',
    message: expect.stringContaining('nothing can be made there'),
  });
  await expect(makeFolder(file)).rejects.toThrow('a file stands where a folder is meant');
});

test('readText and readBytes name the file they cannot read', async () => {
  const path = join(await tempDir(), 'missing');

  await expect(readText(path)).rejects.toMatchObject({
    code: 'FILE_UNREADABLE',
    details: { path },
  });
  await expect(readBytes(path)).rejects.toThrow(`Cannot read "${path}"`);
});

test('unreadable says what was found instead of a file, and what to do', async () => {
  const folder = await tempDir();
  const file = join(folder, 'file');
  await writeFile(file, '');
  const messages = await Promise.all(
    [folder, join(folder, 'missing'), join(file, 'below')].map((path) =>
      readText(path).catch(({ message, hint }) => `${message}; ${hint}`),
    ),
  );

  expect(messages).toEqual([
    `Cannot read "${folder}": it is a folder; Name a file in it`,
    `Cannot read "${join(folder, 'missing')}": there is no such file or folder; Check the name, and the folder it is looked for in`,
    `Cannot read "${join(file, 'below')}": a file stands where a folder is meant; Check the path`,
  ]);
});

test('readTextIfPresent tells an absent file from an unreadable one', async () => {
  const folder = await tempDir();

  expect(await readTextIfPresent(join(folder, 'missing'))).toBeUndefined();
  await expect(readTextIfPresent(folder)).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

/** As the system throws it. */
const system = (code: string, more: object = {}) =>
  Object.assign(new Error(`it says ${code}`), { code, ...more });

test.each([
  ['ENOSPC', 'DISK_FULL', 'the disk is full'],
  ['EDQUOT', 'DISK_FULL', 'the disk is full'],
  ['EROFS', 'FILE_UNWRITABLE', 'the disk is read-only'],
  ['EPERM', 'FILE_UNWRITABLE', 'permission denied'],
  ['EMFILE', 'FILE_UNWRITABLE', 'it says EMFILE'],
])('unwritable makes a named error of %s', (code, named, found) => {
  expect(unwritable('/a', system(code))).toMatchObject({
    code: named,
    message: `Cannot write "/a": ${found}`,
    hint: expect.any(String),
    details: { path: '/a' },
  });
});

test.each([
  ['reading', { syscall: 'open', path: '/a' }, 'FILE_UNREADABLE'],
  ['writing', { syscall: 'rename', path: '/a' }, 'FILE_UNWRITABLE'],
])('fileTrouble tells trouble with %s by the call that failed', (_what, more, code) => {
  expect(fileTrouble(system('EACCES', more))).toMatchObject({
    code,
    message: 'Cannot use "/a": permission denied',
    details: { path: '/a' },
  });
});

test('fileTrouble knows a full disk also without a path', () => {
  expect(fileTrouble(system('ENOSPC'))).toMatchObject({ code: 'DISK_FULL' });
});

test.each([
  ['an error that has its name', new AtollError('LOCKED', 'ENOSPC')],
  ['what is no error', { code: 'ENOSPC', path: '/a', syscall: 'open' }],
  ['an error of the network', system('ECONNRESET', { syscall: 'read' })],
  ['an error that only has a path', system('ODD', { path: '/a' })],
])('fileTrouble passes %s on as it is', (_what, cause) => {
  expect(fileTrouble(cause)).toBe(cause);
});

test('unwritable passes on what is not of the system, and what has its name', () => {
  const plain = new Error('of ours');
  const named = new AtollError('LOCKED', 'x');

  expect([unwritable('/a', plain), unwritable('/a', named)]).toEqual([plain, named]);
});

test('exists sees files, folders and what a link leads to', async () => {
  const folder = await tempDir();
  await symlink(folder, join(folder, 'good'));
  await symlink(join(folder, 'nowhere'), join(folder, 'bad'));

  const seen = await Promise.all(
    ['', 'good', 'bad', 'missing'].map((name) => exists(join(folder, name))),
  );

  expect(seen).toEqual([true, true, false, false]);
});

test('writeFileAtomic makes folders with the mode it is given', async () => {
  const folder = await tempDir();

  await writeFileAtomic(join(folder, 'made', 'a'), 'x', { directoryMode: 0o700 });

  expect(await modeOf(join(folder, 'made'))).toBe(0o700);
});
