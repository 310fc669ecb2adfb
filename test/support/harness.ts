// A small program on the real command line, with commands that no user needs.
import { setTimeout as pause } from 'node:timers/promises';
import { defineCommand } from '../../src/cli/command.ts';
import { start } from '../../src/cli/start.ts';
import { sleep } from '../../src/core/retry.ts';
import { selfCommand } from '../../src/core/self.ts';

const command = (
  name: string,
  run: Parameters<typeof defineCommand>[0]['run'],
  text?: (result: unknown) => string,
) => defineCommand({ name, summary: name, examples: {}, run, ...(text ? { text } : {}) });

start({
  groups: {},
  commands: [
    command('progress', async (ctx) => {
      const task = 'images';
      ctx.emit({ type: 'task.started', task, title: 'images of the release', totalBytes: 10 });
      for (let doneBytes = 1; doneBytes <= 10; doneBytes += 1) {
        await pause(30);
        ctx.emit({ type: 'task.progressed', task, doneBytes });
      }
      ctx.emit({ type: 'task.finished', task, title: 'images of the release' });
    }),
    command('wait', async (ctx) => {
      ctx.emit({ type: 'note.added', message: 'waiting' });
      await sleep(ctx, 60_000);
    }),
    command('stubborn', async (ctx) => {
      ctx.emit({ type: 'note.added', message: 'waiting' });
      await pause(60_000);
    }),
    command(
      'long',
      async () => 'line\n'.repeat(200_000),
      (result) => String(result),
    ),
    command(
      'ask',
      async (_ctx, { terminal }) => terminal.confirm('Remove everything?'),
      (result) => `answer: ${result}`,
    ),
    command('bug', async () => {
      setTimeout(() => {
        throw new TypeError('planted');
      }, 1);
      await pause(60_000);
    }),
    command('endless', () => new Promise(() => undefined)),
    command(
      'self',
      async () => selfCommand(),
      (result) => JSON.stringify(result),
    ),
  ],
});
