import { appendFile, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { localHost } from './local-host.ts';

const ctx = silentContext();
const host = localHost();

test('run gives status and both streams, line by line as they come', async () => {
  const lines: string[] = [];

  const result = await host.run(
    ctx,
    'sh',
    ['-c', 'echo out; echo err >&2; read x; echo "$x-$MORE"; exit 3'],
    {
      input: 'typed\n',
      env: { MORE: 'env' },
      onLine: (line, stream) => lines.push(`${stream}:${line}`),
    },
  );

  expect(result).toEqual({ status: 3, stdout: 'out\ntyped-env\n', stderr: 'err\n' });
  expect(lines.toSorted()).toEqual(['stderr:err', 'stdout:out', 'stdout:typed-env']);
});

test('run names a program that is not installed', async () => {
  await expect(host.run(ctx, 'no-such-program-here', [])).rejects.toMatchObject({
    code: 'PROGRAM_MISSING',
  });
});

test('run ends a program that takes too long, and says so', async () => {
  await expect(host.run(ctx, 'sleep', ['60'], { timeoutMs: 50 })).rejects.toMatchObject({
    code: 'TIMED_OUT',
  });
});

test('run stops when the signal aborts', async () => {
  const stop = new AbortController();
  const running = host.run(silentContext({ signal: stop.signal }), 'sleep', ['60']);
  stop.abort(new Error('enough'));

  await expect(running).rejects.toThrow('enough');
});

test('run is not over before the program is, when it takes its leave', async () => {
  const folder = await tempDir();
  const stop = new AbortController();
  const context = silentContext({ signal: stop.signal });
  const script = `trap 'sleep 0.2; echo bye > ${folder}/bye; exit 1' TERM; echo on; while :; do sleep 0.05; done`;
  const running = host.run(context, 'sh', ['-c', script], {
    onLine: () => stop.abort(new Error('enough')),
  });

  await expect(running).rejects.toThrow('enough');

  expect(await readFile(join(folder, 'bye'), 'utf8')).toBe('bye\n');
});

test('run does not start what is stopped already', async () => {
  const folder = await tempDir();
  const context = silentContext({ signal: AbortSignal.abort(new Error('enough')) });

  await expect(host.run(context, 'touch', [join(folder, 'a')])).rejects.toThrow('enough');

  expect(await readdir(folder)).toEqual([]);
});

test('run fails, and ends the program, when a line cannot be told', async () => {
  const onLine = (): never => {
    throw new Error('the disk is full');
  };

  await expect(host.run(ctx, 'sh', ['-c', 'echo a; exec sleep 300'], { onLine })).rejects.toThrow(
    'the disk is full',
  );
});

test('run ends with the program, whatever it left running', async () => {
  const result = await host.run(ctx, 'sh', ['-c', 'sleep 300 & echo $!']);
  process.kill(Number(result.stdout), 'SIGKILL');

  expect(result.status).toBe(0);
});

test('put and get carry bytes and modes', async () => {
  const path = join(await tempDir(), 'deep', 'file');
  await host.put(ctx, path, 'secret', { mode: 0o600 });

  const chunks: Uint8Array[] = [];
  for await (const chunk of host.get(ctx, path)) chunks.push(chunk);

  expect(Buffer.concat(chunks).toString()).toBe('secret');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, 'utf8')).toBe('secret');
});

test('get names a file that is not there', async () => {
  const reading = async () => {
    for await (const _ of host.get(ctx, '/no/such/file'));
  };

  await expect(reading()).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
});

test('follow gives lines as they are added, also to a file that comes later', async () => {
  const path = join(await tempDir(), 'log');
  const stop = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const line of host.follow(silentContext({ signal: stop.signal }), path)) {
      seen.push(line);
      if (seen.length === 1) await appendFile(path, 'tw');
      if (seen.length === 1) await appendFile(path, 'o\n');
      if (seen.length === 2) stop.abort();
    }
  })();
  await appendFile(path, 'one\n');

  await following;

  expect(seen).toEqual(['one', 'two']);
});
