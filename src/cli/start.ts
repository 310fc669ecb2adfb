import { errorText } from './error-text.ts';
import type { CommandSet } from './parse.ts';
import { runCommandLine } from './run.ts';
import { createStyle } from './style.ts';

const leave = (exitCode: number) => process.exit(exitCode);

function onBug(error: unknown): void {
  process.stderr.write(`${errorText(error, createStyle(false))}\n`, () => leave(1));
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
  const { stdin, stdout, stderr, env, argv } = process;
  const isWorker = process.send !== undefined;
  const own = { stdin, stdout, stderr, env, signals: process, isWorker, leave };
  runCommandLine(argv.slice(2), set, own).then(leave, onBug);
}
