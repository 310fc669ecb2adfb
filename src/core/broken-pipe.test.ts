import type { ChildProcess, spawn } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { silentContext } from './context.ts';
import { runProgram } from './process.ts';

const started = vi.hoisted((): ChildProcess[] => []);

// The real one, of which the pipes can be reached.
vi.mock('node:child_process', async (importOriginal) => {
  const real = await importOriginal<{ spawn: typeof spawn }>();
  return {
    ...real,
    spawn: (...all: Parameters<typeof spawn>) => {
      const child = real.spawn(...all);
      started.push(child);
      return child;
    },
  };
});

test.each(['stdout', 'stderr'] as const)(
  'a broken %s of a program ends nothing else',
  async (name) => {
    const result = await runProgram(silentContext(), process.execPath, ['-e', 'process.exit(7)'], {
      onStart: async () => {
        started.at(-1)?.[name]?.destroy(new Error('read ECONNRESET'));
      },
    });

    expect(result.status).toBe(7);
  },
);
