import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from './context.ts';
import { runProgram } from './process.ts';
import { identityOf } from './process-identity.ts';

const ctx = silentContext();
const sh = (script: string, options: Parameters<typeof runProgram>[3] = {}) =>
  runProgram(ctx, 'sh', ['-c', script], options);

test('runProgram gives status and output, with input and environment', async () => {
  const result = await sh('read x; echo "$x-$MORE"; echo err >&2; exit 3', {
    input: 'typed\n',
    env: { MORE: 'env' },
  });

  expect(result).toEqual({ status: 3, stdout: 'typed-env\n', stderr: 'err\n' });
});

test('runProgram tells status and name of the signal that ended it', async () => {
  expect(await sh('kill -KILL $$')).toMatchObject({ status: 137, signal: 'SIGKILL' });
});

test('runProgram shows a program only the environment it is given', async () => {
  const { stdout } = await runProgram(ctx, '/usr/bin/env', [], { environment: { ONLY: 'this' } });

  expect(stdout).toBe('ONLY=this\n');
});

test('runProgram does not mind a program that reads no input', async () => {
  const { status } = await runProgram(ctx, 'true', [], { input: 'x'.repeat(1_000_000) });

  expect(status).toBe(0);
});

test('runProgram keeps the input open for a program that wants to know how long we live', async () => {
  const lines: string[] = [];
  const stop = new AbortController();
  const running = runProgram({ signal: stop.signal }, 'sh', ['-c', 'echo on; cat; echo off'], {
    holdInput: true,
    onLine: (line) => {
      lines.push(line);
      stop.abort(new Error('enough'));
    },
    group: true,
  });

  await expect(running).rejects.toThrow('enough');
  expect(lines).toEqual(['on']);
});

test('runProgram tells lines whole, without their ends, and keeps nothing when told so', async () => {
  const lines: string[] = [];

  const { stdout } = await sh('printf "one\\r\\ntw"; printf "o\\nlast"', {
    discard: true,
    onLine: (line) => lines.push(line),
  });

  expect(lines).toEqual(['one', 'two', 'last']);
  expect(stdout).toBe('');
});

test('runProgram ends a program that prints without end', async () => {
  await expect(runProgram(ctx, 'yes', [], { maxOutputBytes: 100_000 })).rejects.toMatchObject({
    code: 'PROGRAM_FAILED',
    message: expect.stringContaining('"yes"'),
  });
});

test('runProgram names a program that is not installed, with the hint', async () => {
  const running = runProgram(ctx, 'no-such-program-here', [], { hint: 'Install it' });

  await expect(running).rejects.toMatchObject({ code: 'PROGRAM_MISSING', hint: 'Install it' });
});

test('runProgram names a folder that is not there, and not the program', async () => {
  await expect(sh('true', { cwd: '/no/such/folder' })).rejects.toMatchObject({
    code: 'PROGRAM_FAILED',
    message: 'Cannot run "sh": there is no folder "/no/such/folder"',
  });
});

test('runProgram kills a program that does not leave when its time is over', async () => {
  const stubborn = sh('trap "" TERM; while :; do sleep 0.01; done', { timeoutMs: 50, graceMs: 1 });

  await expect(stubborn).rejects.toMatchObject({ code: 'TIMED_OUT' });
});

test('runProgram ends a group with all it left running', async () => {
  const { stdout } = await sh('sleep 300 >/dev/null 2>&1 & echo $!', { group: true });

  await vi.waitFor(async () => expect(await identityOf(Number(stdout))).toBeUndefined());
});

test('runProgram asks with the signal it is given, and is over only when the program is', async () => {
  const folder = await tempDir();
  const stop = new AbortController();
  const script = `trap 'sleep 0.1; echo bye > bye; exit 1' INT; echo on; while :; do sleep 0.01; done`;
  const running = runProgram({ signal: stop.signal }, 'sh', ['-c', script], {
    cwd: folder,
    stopSignal: 'SIGINT',
    onLine: () => stop.abort(new Error('enough')),
  });

  await expect(running).rejects.toThrow('enough');

  expect(await readFile(join(folder, 'bye'), 'utf8')).toBe('bye\n');
});

test.each([
  [
    'onLine',
    {
      onLine: () => {
        throw new Error('the disk is full');
      },
    },
  ],
  ['onStart', { onStart: () => Promise.reject(new Error('the disk is full')) }],
])('runProgram fails only after it has ended the program when %s fails', async (_name, hook) => {
  let pid = 0;
  const onStart = async (started: number) => {
    pid = started;
    if ('onStart' in hook) await hook.onStart();
  };

  await expect(sh('echo a; exec sleep 300', { ...hook, onStart })).rejects.toThrow('the disk');

  expect(await identityOf(pid)).toBeUndefined();
});

test('runProgram feeds a program from a stream, and waits while its output is taken', async () => {
  const pieces = async function* () {
    for (let count = 0; count < 64; count += 1) yield Buffer.alloc(64 * 1024, count);
  };
  let sizeBytes = 0;
  let taking = 0;
  const onChunk = async (chunk: Uint8Array) => {
    taking += 1;
    expect(taking).toBe(1);
    await new Promise((resolve) => setImmediate(resolve));
    sizeBytes += chunk.length;
    taking -= 1;
  };

  await runProgram(ctx, 'cat', [], { input: pieces(), onChunk, discard: true });

  expect(sizeBytes).toBe(64 * 64 * 1024);
});

test('runProgram fails when its input does', async () => {
  const broken = async function* () {
    yield Buffer.from('a');
    throw new Error('the disk is gone');
  };

  await expect(runProgram(ctx, 'cat', [], { input: broken() })).rejects.toThrow('the disk is gone');
});

test('runProgram lets a program go that has said its last word', async () => {
  const over = new AbortController();

  const result = await sh('echo last; exec sleep 300', {
    over: over.signal,
    onLine: () => over.abort(),
  });

  expect(result).toMatchObject({ signal: 'SIGTERM', stdout: 'last\n' });
});

test('runProgram ends when what it prints cannot be taken', async () => {
  const onChunk = () => Promise.reject(new Error('nobody wants it'));

  await expect(runProgram(ctx, 'cat', ['/dev/zero'], { onChunk, discard: true })).rejects.toThrow(
    'nobody wants it',
  );
});
