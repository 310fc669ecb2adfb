import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type FakeProcess, fakeProcess } from '../../test/support/fake-process.ts';
import { tempDir } from '../../test/support/temp.ts';
import { AtollError } from '../core/errors.ts';
import { sleep } from '../core/retry.ts';
import { type Command, defineCommand } from './command.ts';
import { runCommandLine } from './run.ts';

const greet = defineCommand({
  name: 'greet',
  summary: 'Say hello',
  arguments: [{ name: 'whom', summary: 'Whom' }],
  examples: {},
  async run(ctx, { args }) {
    ctx.emit({ type: 'note.added', message: 'thinking' });
    return { hello: args.whom };
  },
  text: ({ hello }) => `hello ${hello}`,
  exitCode: ({ hello }) => (hello === 'some' ? 7 : 0),
});

/** A command whose body a test brings. */
const doing = (run: Command['run']) =>
  defineCommand({ name: 'do', summary: 'Do', examples: {}, run, text: () => 'done' });

async function run(process: FakeProcess, command: Command, ...argv: string[]): Promise<number> {
  return runCommandLine(argv, { commands: [command], groups: {} }, process);
}

test('runCommandLine prints the result on stdout and all else on stderr', async () => {
  const process = fakeProcess();

  const status = await run(process, greet, 'greet', 'you');

  expect([status, process.stdout.text, process.stderr.text]).toEqual([
    0,
    'hello you\n',
    'thinking\n',
  ]);
});

test('runCommandLine prints one JSON object on stdout and events as NDJSON on stderr', async () => {
  const process = fakeProcess();

  await run(process, greet, 'greet', 'you', '--output', 'json');

  expect(JSON.parse(process.stdout.text)).toEqual({ hello: 'you' });
  expect(JSON.parse(process.stderr.text)).toMatchObject({ seq: 1, type: 'note.added' });
});

test('runCommandLine exits as the result says', async () => {
  expect(await run(fakeProcess(), greet, 'greet', 'some')).toBe(7);
});

test('runCommandLine exits with the status of the error and prints nothing on stdout', async () => {
  const process = fakeProcess();
  const command = doing(async () => {
    throw new AtollError('CONTENT_MISMATCH', 'Cannot accept it', { hint: 'Fetch it again' });
  });

  expect(await run(process, command, 'do')).toBe(5);
  expect(process.stdout.text).toBe('');
  expect(process.stderr.text).toBe('Cannot accept it [CONTENT_MISMATCH]\n  next: Fetch it again\n');
});

test('runCommandLine makes the error the one object on stdout with JSON, usage errors too', async () => {
  const failing = fakeProcess();
  const misspelled = fakeProcess();
  const command = doing(async () => {
    throw new AtollError('DISK_FULL', 'Cannot write');
  });

  await run(failing, command, 'do', '--output', 'json');
  const status = await run(misspelled, command, 'od', '--output=json');

  expect(JSON.parse(failing.stdout.text)).toMatchObject({ error: { code: 'DISK_FULL' } });
  expect(failing.stderr.text).toBe('');
  expect(status).toBe(2);
  expect(JSON.parse(misspelled.stdout.text)).toMatchObject({ error: { code: 'USAGE' } });
});

test('runCommandLine takes a system error about a file for what it is, not for a bug', async () => {
  const process = fakeProcess();
  const folder = await tempDir();
  await writeFile(join(folder, 'file'), '');

  const command = doing(() => mkdir(join(folder, 'file', 'below'), { recursive: true }));

  expect(await run(process, command, 'do')).toBe(3);
  expect(process.stderr.text).toContain(
    `Cannot use "${join(folder, 'file', 'below')}": a file stands`,
  );
  expect(process.stderr.text).toContain('[FILE_UNWRITABLE]');
});

test('runCommandLine exits 1 for a bug, with its stack', async () => {
  const process = fakeProcess();
  const command = doing(async () => {
    throw new TypeError('undefined is not a function');
  });

  expect(await run(process, command, 'do')).toBe(1);
  expect(process.stderr.text).toContain('TypeError: undefined is not a function\n    at ');
});

test('runCommandLine shows help on stdout when asked, and on stderr when a command is missing', async () => {
  const asked = fakeProcess();
  const missing = fakeProcess();

  expect(await run(asked, greet, '--help')).toBe(0);
  expect(await run(missing, greet)).toBe(2);
  expect(asked.stdout.text).toContain('Say hello');
  expect(missing.stdout.text).toBe('');
  expect(missing.stderr.text).toContain('Say hello');
});

test('runCommandLine makes a missing command the one object on stdout with JSON', async () => {
  const process = fakeProcess();

  expect(await run(process, greet, '--output', 'json')).toBe(2);
  expect(JSON.parse(process.stdout.text)).toMatchObject({ error: { code: 'USAGE' } });
  expect(process.stderr.text).toBe('');
});

test('runCommandLine stops cleanly at the first Ctrl-C, says how to resume, and exits 130', async () => {
  const process = fakeProcess();
  const cleaned: string[] = [];
  const command = doing(async (ctx) => {
    queueMicrotask(() => process.signals.emit('SIGINT'));
    try {
      await sleep(ctx, 60_000);
    } finally {
      cleaned.push('yes');
    }
  });

  const status = await run(process, command, 'do', '--yes');

  expect([status, cleaned, process.left]).toEqual([130, ['yes'], []]);
  expect(process.stderr.text).toContain('press Ctrl-C again to leave at once');
  expect(process.stderr.text).toContain('what is finished is kept: atoll do --yes');
  expect(process.signals.listenerCount('SIGINT')).toBe(0);
});

test('runCommandLine calls whatever breaks after Ctrl-C an interruption', async () => {
  const process = fakeProcess();
  const command = doing(async () => {
    process.signals.emit('SIGTERM');
    throw new TypeError('Cannot read properties of undefined');
  });

  expect(await run(process, command, 'do')).toBe(130);
  expect(process.stderr.text).not.toContain('bug');
});

test('runCommandLine leaves at once at the second Ctrl-C', async () => {
  const process = fakeProcess();
  const command = doing(async () => {
    process.signals.emit('SIGINT');
    process.signals.emit('SIGINT');
  });

  await run(process, command, 'do');

  expect(process.left).toEqual([130]);
});

test('runCommandLine lets a server end well when it is told to stop', async () => {
  const process = fakeProcess();
  const command = doing(async (ctx) => {
    const stopped = new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
    process.signals.emit('SIGTERM');
    await stopped;
  });

  expect(await run(process, command, 'do')).toBe(0);
});

test('runCommandLine asks before it destroys: --yes answers, and a pipe cannot', async () => {
  const answers: boolean[] = [];
  const command = doing(async (_ctx, { terminal }) => {
    answers.push(await terminal.confirm('Remove everything?'));
  });
  const piped = fakeProcess();

  await run(fakeProcess(), command, 'do', '--yes');
  const status = await run(piped, command, 'do');

  expect(answers).toEqual([true]);
  expect(status).toBe(2);
  expect(piped.stderr.text).toContain('Give --yes');
});

test('runCommandLine reads an answer from a terminal, and takes silence for no', async () => {
  const answers: unknown[] = [];
  const command = doing(async (_ctx, { terminal }) => {
    answers.push(await terminal.confirm('Remove?'), await terminal.ask('Name', 'lab'));
  });
  for (const typed of ['y\nsite\n', '\n\n']) {
    const process = fakeProcess();
    process.stdin.isTTY = true;
    process.stderr.isTTY = true;
    const [first = '', second = ''] = typed.split('\n');
    process.stdin.write(`${first}\n`);
    const done = run(process, command, 'do');
    await expect.poll(() => process.stderr.text).toContain('Name [lab]');
    process.stdin.write(`${second}\n`);
    await done;
  }

  expect(answers).toEqual([true, 'site', false, 'lab']);
});

test('runCommandLine hands all of stdin to a command that asks for it', async () => {
  const process = fakeProcess();
  const read: string[] = [];
  process.stdin.end('pull secret\n');

  await run(
    process,
    doing(async (_ctx, { terminal }) => read.push(await terminal.readStdin())),
    'do',
  );

  expect(read).toEqual(['pull secret\n']);
});

test('runCommandLine prints colours only where they are shown', async () => {
  const coloured = defineCommand({
    name: 'do',
    summary: 'Do',
    examples: {},
    run: async () => ({}),
    text: (_result, style) => style.green('ok'),
  });
  const printed = async (isTTY: boolean, env: Record<string, string>) => {
    const process = fakeProcess(env);
    process.stdout.isTTY = isTTY;
    await run(process, coloured, 'do');
    return process.stdout.text;
  };

  expect(await printed(true, { TERM: 'xterm' })).toBe('\x1b[32mok\x1b[39m\n');
  expect(await printed(true, { TERM: 'xterm', NO_COLOR: '1' })).toBe('ok\n');
  expect(await printed(true, { TERM: 'dumb' })).toBe('ok\n');
  expect(await printed(false, {})).toBe('ok\n');
});
