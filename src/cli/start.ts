import { exitCodeOf } from '../core/errors.ts';
import { fileTrouble } from '../core/files.ts';
import { errorText } from './error-text.ts';
import type { CommandSet } from './parse.ts';
import { runCommandLine } from './run.ts';
import { createStyle } from './style.ts';

const leave = (exitCode: number) => process.exit(exitCode);

function onBug(error: unknown): void {
  const trouble = fileTrouble(error);
  const text = `${errorText(trouble, createStyle(false))}\n`;
  process.stderr.write(text, () => leave(exitCodeOf(trouble)));
}

/** Runs the command line of this process, then ends the process. */
export function start(set: CommandSet): void {
  // `atoll … | head` closes our stdout early; that is no failure of ours.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  process.on('uncaughtException', onBug);
  process.on('unhandledRejection', onBug);
  const { stdout, stderr, env, argv } = process;
  const isWorker = process.send !== undefined;
  const own = {
    get stdin() {
      return process.stdin;
    },
    ...{ stdout, stderr, env, signals: process, isWorker, leave },
  };
  // Node ends when nothing is left to wait for, and would call that a success.
  process.on('beforeExit', () => onBug(new Error('The command came to no end')));
  runCommandLine(argv.slice(2), set, own).then(leave, onBug);
}
