#!/usr/bin/env node
import { COMMANDS, GROUPS } from './commands/index.ts';
import { errorText } from './error-text.ts';
import { runCommandLine } from './run.ts';
import { createStyle } from './style.ts';

const leave = (exitCode: number) => process.exit(exitCode);

function onBug(error: unknown): void {
  process.stderr.write(`${errorText(error, createStyle(false))}\n`, () => leave(1));
}

// `atoll … | head` closes our stdout early; that is no failure of ours.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.on('uncaughtException', onBug);
process.on('unhandledRejection', onBug);

runCommandLine(
  process.argv.slice(2),
  { commands: COMMANDS, groups: GROUPS },
  {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signals: process,
    leave,
  },
).then(leave, onBug);
