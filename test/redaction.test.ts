import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Command, defineCommand } from '../src/cli/command.ts';
import { errorText } from '../src/cli/error-text.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { createStyle } from '../src/cli/style.ts';
import { AtollError } from '../src/core/errors.ts';
import type { AtollEvent } from '../src/core/events.ts';
import { forgetSecrets, redactJson, registerPullSecret } from '../src/core/redact.ts';
import { retry } from '../src/core/retry.ts';
import { fakeProcess } from './support/fake-process.ts';

const PASSWORD = 'b3rth4s-pull-password';
const AUTH = Buffer.from(`robot:${PASSWORD}`).toString('base64');
const PULL_SECRET = JSON.stringify({ auths: { 'quay.io': { auth: AUTH, email: 'a@b.c' } } });
/** How careless code might hold it. */
const LEAKS = [
  PULL_SECRET,
  AUTH,
  PASSWORD,
  `https://robot:${PASSWORD}@quay.io/v2/`,
  `authorization: Basic ${AUTH}`,
  Buffer.from(PULL_SECRET).toString('base64'),
];

beforeEach(() => registerPullSecret(PULL_SECRET));
afterEach(forgetSecrets);

function expectClean(text: string): void {
  expect(text).not.toBe('');
  for (const secret of [PASSWORD, AUTH, Buffer.from(PULL_SECRET).toString('base64')]) {
    expect(text).not.toContain(secret);
  }
}

/** All that a command printed, on both streams, in one mode. */
async function printed(run: Command['run'], mode: 'pretty' | 'plain' | 'json'): Promise<string> {
  const process = fakeProcess({ TERM: 'xterm' });
  process.stderr.isTTY = mode === 'pretty';
  const command = defineCommand({
    name: 'leak',
    summary: 'Leak',
    examples: {},
    run,
    text: (result) => JSON.stringify(result),
  });
  const argv = ['leak', '--verbose', ...(mode === 'json' ? ['--output', 'json'] : [])];
  await runCommandLine(argv, { commands: [command], groups: {} }, process);
  return process.stdout.text + process.stderr.text;
}

const eventsWith = (leak: string): AtollEvent[] => [
  { type: 'task.started', task: leak, title: leak },
  { type: 'task.progressed', task: leak, note: leak, doneItems: 1 },
  { type: 'task.failed', task: leak, title: leak, message: leak },
  { type: 'note.added', message: leak },
  { type: 'warning.raised', message: leak, hint: leak, subject: leak },
  { type: 'image.failed', source: leak, target: leak, message: leak },
  { type: 'step.failed', step: leak, message: leak, hint: leak },
  { type: 'server.started', server: 'registry', url: leak },
  { type: 'later.added', [leak]: [leak] } as unknown as AtollEvent,
];

describe.each(['pretty', 'plain', 'json'] as const)('a pull secret, printed as %s', (mode) => {
  test.each(LEAKS)('does not leave through events: %#', async (leak) => {
    const text = await printed(async (ctx) => {
      for (const event of eventsWith(leak)) ctx.emit(event);
    }, mode);

    expectClean(text);
  });

  test.each(LEAKS)('does not leave through the result: %#', async (leak) => {
    expectClean(await printed(async () => ({ [leak]: leak, list: [leak] }), mode));
  });

  test.each(LEAKS)(
    'does not leave through an error, its cause, hint or details: %#',
    async (leak) => {
      const text = await printed(async () => {
        throw new AtollError('REGISTRY_DENIED', `Cannot log in with ${leak}`, {
          hint: `Do not use ${leak}`,
          details: { header: leak },
          cause: new Error(leak, { cause: new Error(`deeper ${leak}`) }),
        });
      }, mode);

      expectClean(text);
      expect(text).toContain('REGISTRY_DENIED');
    },
  );

  test.each(LEAKS)('does not leave through the stack of a bug: %#', async (leak) => {
    const text = await printed(async () => {
      throw new TypeError(`Cannot read ${leak}`, { cause: new Error(leak) });
    }, mode);

    expectClean(text);
    expect(text).toContain('TypeError');
  });

  test.each(LEAKS)('does not leave through a retry: %#', async (leak) => {
    const text = await printed(async (ctx) => {
      const options = { operation: `get ${leak}`, attempts: 2, firstDelayMs: 0 };
      return retry(ctx, options, async () => {
        throw new AtollError('REGISTRY_UNAVAILABLE', leak);
      });
    }, mode);

    expectClean(text);
  });

  test('does not leave through the command line that an interruption repeats', async () => {
    const process = fakeProcess();
    const command = defineCommand({
      name: 'leak',
      summary: 'Leak',
      arguments: [{ name: 'url', summary: 'URL' }],
      examples: {},
      async run() {
        process.signals.emit('SIGINT');
        throw new Error('stopped');
      },
    });
    const argv = [
      'leak',
      `https://robot:${PASSWORD}@quay.io`,
      '--output',
      mode === 'json' ? mode : 'text',
    ];

    await runCommandLine(argv, { commands: [command], groups: {} }, process);

    expectClean(process.stdout.text + process.stderr.text);
  });
});

test('a pull secret does not leave through an error that is printed apart, or a stored event', () => {
  for (const leak of LEAKS) {
    expectClean(errorText(new Error(leak), createStyle(true)));
    expectClean(errorText(leak, createStyle(false)));
    expectClean(JSON.stringify(redactJson(eventsWith(leak))));
  }
});

test('a pull secret leaves only through a command whose result is meant to hold it', async () => {
  const process = fakeProcess();
  const command = defineCommand({
    name: 'render auth',
    summary: 'Auth file',
    examples: {},
    verbatim: true,
    run: async () => ({ text: PULL_SECRET }),
    text: ({ text }) => text,
  });

  await runCommandLine(['render', 'auth'], { commands: [command], groups: {} }, process);

  expect(process.stdout.text).toBe(`${PULL_SECRET}\n`);
});
