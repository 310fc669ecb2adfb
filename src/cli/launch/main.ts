#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELP_FILE, wantedHelp } from './files.ts';

/** Help that was written when this was built; undefined for anything else that is asked for. */
function readyHelp(): { readonly text: string; readonly asked: boolean } | undefined {
  const wanted = wantedHelp(process.argv.slice(2), process.stdout.columns);
  if (wanted === undefined) return undefined;
  try {
    const texts = readFileSync(join(import.meta.dirname, HELP_FILE), 'utf8');
    const text = (JSON.parse(texts) as Record<string, string>)[wanted.key];
    return text === undefined ? undefined : { text, asked: wanted.asked };
  } catch {
    // The program says the same, only later.
    return undefined;
  }
}

const help = readyHelp();
if (help === undefined) {
  // Help is there before the parts of Node are loaded that programs need.
  void import('./run-program.ts').then(({ runProgram }) => runProgram());
} else {
  const stream = help.asked ? process.stdout : process.stderr;
  // A reader such as `head` may close the pipe early.
  stream.on('error', () => {});
  stream.write(help.text);
  process.exitCode = help.asked ? 0 : 2;
}
