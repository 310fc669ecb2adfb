import { createHash, randomBytes } from 'node:crypto';
import { appendFile, chmod, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { silentContext } from '../../../src/core/context.ts';
import { identityOf } from '../../../src/core/process-identity.ts';
import type { Host } from '../../../src/host/host.ts';
import { tempDir } from '../temp.ts';

const ctx = silentContext();
const PATIENT = { timeout: 20_000 };

async function bytesOf(host: Host, path: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of host.get(ctx, path)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

/** What every host promises, be it this machine or another. It shares its files with us. */
export function hostSuite(name: string, theHost: () => Host): void {
  describe(`${name}: run`, () => {
    test('gives status and both streams, line by line as they come', async () => {
      const lines: string[] = [];

      const result = await theHost().run(
        ctx,
        'sh',
        ['-c', 'echo out; echo err >&2; read x; echo "$x-$MORE"; exit 3'],
        {
          input: 'typed\n',
          env: { MORE: "an env's" },
          onLine: (line, stream) => lines.push(`${stream}:${line}`),
        },
      );

      expect(result).toMatchObject({
        status: 3,
        stdout: "out\ntyped-an env's\n",
        stderr: 'err\n',
      });
      expect(lines.toSorted()).toEqual(['stderr:err', 'stdout:out', "stdout:typed-an env's"]);
    });

    test('gives words as they are: quotes, spaces, patterns, nothing at all', async () => {
      const words = ["it's", '"two"', 'a  b', '*', '$HOME', '', '`id`', '-n', 'new\nline', 'é\\'];

      const { stdout } = await theHost().run(ctx, 'printf', ['%s|', ...words]);

      expect(stdout).toBe(`${words.join('|')}|`);
    });

    test('keeps what is printed without a last line break, and a status of 255', async () => {
      const lines: string[] = [];
      const result = await theHost().run(
        ctx,
        'sh',
        ['-c', 'printf out; printf err >&2; exit 255'],
        { onLine: (line) => lines.push(line) },
      );

      expect(result).toMatchObject({ status: 255, stdout: 'out', stderr: 'err' });
      expect(lines.toSorted()).toEqual(['err', 'out']);
    });

    test('begins in the folder it is told, and names one that is not there', async () => {
      const cwd = await tempDir();

      expect((await theHost().run(ctx, 'pwd', [], { cwd })).stdout).toBe(`${cwd}\n`);
      await expect(theHost().run(ctx, 'pwd', [], { cwd: '/no/such/folder' })).rejects.toMatchObject(
        {
          code: 'PROGRAM_FAILED',
          message: expect.stringContaining('/no/such/folder'),
        },
      );
    });

    test('names a program that is not installed', async () => {
      await expect(theHost().run(ctx, 'no-such-program-here', [])).rejects.toMatchObject({
        code: 'PROGRAM_MISSING',
      });
    });

    test('ends a program that takes too long, and says so', async () => {
      const folder = await tempDir();
      const script = `echo $$ > ${folder}/pid; exec sleep 60`;
      await expect(
        theHost().run(ctx, 'sh', ['-c', script], { timeoutMs: 3000 }),
      ).rejects.toMatchObject({ code: 'TIMED_OUT' });

      const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
      await vi.waitFor(async () => expect(await identityOf(pid)).toBeUndefined(), PATIENT);
    });

    test('stops when the signal aborts', async () => {
      const stop = new AbortController();
      const running = theHost().run(silentContext({ signal: stop.signal }), 'sleep', ['60']);
      stop.abort(new Error('enough'));

      await expect(running).rejects.toThrow('enough');
    });

    test('is not over before the program is, when it takes its leave', async () => {
      const folder = await tempDir();
      const stop = new AbortController();
      const context = silentContext({ signal: stop.signal });
      const script = `trap 'sleep 0.2; echo bye > ${folder}/bye; exit 1' TERM; echo on; while :; do sleep 0.05; done`;
      const running = theHost().run(context, 'sh', ['-c', script], {
        onLine: () => stop.abort(new Error('enough')),
      });

      await expect(running).rejects.toThrow('enough');

      expect(await readFile(join(folder, 'bye'), 'utf8')).toBe('bye\n');
    });

    test('does not start what is stopped already', async () => {
      const folder = await tempDir();
      const context = silentContext({ signal: AbortSignal.abort(new Error('enough')) });

      await expect(theHost().run(context, 'touch', [join(folder, 'a')])).rejects.toThrow('enough');

      expect(await readdir(folder)).toEqual([]);
    });

    test('fails, and ends the program, when a line cannot be told', async () => {
      let pid = 0;
      const onLine = (line: string): never => {
        pid = Number(line);
        throw new Error('the disk is full');
      };

      await expect(
        theHost().run(ctx, 'sh', ['-c', 'echo $$; exec sleep 300'], { onLine }),
      ).rejects.toThrow('the disk is full');

      await vi.waitFor(async () => expect(await identityOf(pid)).toBeUndefined(), PATIENT);
    });

    test('ends with the program, whatever it left running', async () => {
      const result = await theHost().run(ctx, 'sh', ['-c', 'sleep 300 & echo $!']);
      process.kill(Number(result.stdout), 'SIGKILL');

      expect(result.status).toBe(0);
    });

    test('takes its input from a stream', async () => {
      const pieces = async function* () {
        for (let count = 0; count < 40; count += 1) yield Buffer.alloc(50_000, 65);
      };

      const { stdout } = await theHost().run(ctx, 'wc', ['-c'], { input: pieces() });

      expect(Number(stdout)).toBe(2_000_000);
    });
  });

  describe(`${name}: put and get`, () => {
    test('carry bytes and modes, and keep folders of secrets to their owner', async () => {
      const path = join(await tempDir(), 'deep', 'file');
      await theHost().put(ctx, path, 'secret', { mode: 0o600 });

      expect((await bytesOf(theHost(), path)).toString()).toBe('secret');
      expect(await modeOf(path)).toBe(0o600);
      expect(await modeOf(join(path, '..'))).toBe(0o700);
    });

    test('carry a file of this machine, and one that comes as a stream', async () => {
      const folder = await tempDir();
      const bytes = randomBytes(3 * 1024 ** 2 + 17);
      await writeFile(join(folder, 'from'), bytes);
      const pieces = async function* () {
        yield bytes.subarray(0, 1000);
        yield bytes.subarray(1000);
      };

      await theHost().put(ctx, join(folder, 'to'), { file: join(folder, 'from') }, { mode: 0o755 });
      await theHost().put(ctx, join(folder, 'stream'), pieces());

      const sum = (value: Buffer) => createHash('sha256').update(value).digest('hex');
      expect(sum(await bytesOf(theHost(), join(folder, 'to')))).toBe(sum(bytes));
      expect(sum(await bytesOf(theHost(), join(folder, 'stream')))).toBe(sum(bytes));
      expect(await modeOf(join(folder, 'to'))).toBe(0o755);
      expect((await readdir(folder)).toSorted()).toEqual(['from', 'stream', 'to']);
    });

    test('put keeps the mode of what it replaces, and goes through a link', async () => {
      const folder = await tempDir();
      await writeFile(join(folder, 'real'), 'old');
      await chmod(join(folder, 'real'), 0o640);
      await symlink('real', join(folder, 'link'));

      await theHost().put(ctx, join(folder, 'link'), 'new');

      expect(await readFile(join(folder, 'real'), 'utf8')).toBe('new');
      expect(await modeOf(join(folder, 'real'))).toBe(0o640);
    });

    test('put leaves what was there when what comes fails', async () => {
      const folder = await tempDir();
      await writeFile(join(folder, 'file'), 'old');
      const broken = async function* () {
        yield Buffer.from('half');
        throw new Error('the source is gone');
      };

      await expect(theHost().put(ctx, join(folder, 'file'), broken())).rejects.toThrow('is gone');

      expect(await readFile(join(folder, 'file'), 'utf8')).toBe('old');
      expect(await readdir(folder)).toEqual(['file']);
    });

    test('put names a place where nothing can be written', async () => {
      await expect(theHost().put(ctx, '/proc/none/file', 'x')).rejects.toMatchObject({
        code: 'FILE_UNWRITABLE',
      });
    });

    test('put as root gives the file to its owner', async () => {
      const path = join(await tempDir(), 'owned');

      await theHost().put(ctx, path, 'x', { mode: 0o640, owner: 'root:root', sudo: true });

      expect(await stat(path)).toMatchObject({ uid: 0, gid: 0 });
      expect(await modeOf(path)).toBe(0o640);
    });

    test('get names a file that is not there', async () => {
      await expect(bytesOf(theHost(), '/no/such/file')).rejects.toMatchObject({
        code: 'FILE_UNREADABLE',
      });
    });

    test('get is over when nobody reads on', async () => {
      const path = join(await tempDir(), 'long');
      await writeFile(path, Buffer.alloc(8 * 1024 ** 2));
      let first = 0;

      for await (const chunk of theHost().get(ctx, path)) {
        first = chunk.length;
        break;
      }

      expect(first).toBeGreaterThan(0);
    });
  });

  describe(`${name}: follow`, () => {
    test('gives lines as they are added, also to a file that comes later', async () => {
      const path = join(await tempDir(), 'log');
      const stop = new AbortController();
      const seen: string[] = [];
      const next = async () => {
        await appendFile(path, 'tw');
        await appendFile(path, 'ö\n');
      };
      setTimeout(() => appendFile(path, 'one\n'), 50);

      for await (const line of theHost().follow(silentContext({ signal: stop.signal }), path)) {
        seen.push(line);
        if (seen.length === 2) stop.abort();
        else await next();
      }

      expect(seen).toEqual(['one', 'twö']);
    });
  });
}
