#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPack } from './code-pack.ts';
import { CODE_PACK, HELP_FILE, helpKey, PROGRAM } from './files.ts';
import { type CompiledChunk, chunkLoader } from './load-chunks.ts';

/** Help that was written when this was built; undefined for anything else that is asked for. */
function readyHelp(): string | undefined {
  const key = helpKey(process.argv.slice(2), process.stdout.columns);
  if (key === undefined) return undefined;
  const texts = present(HELP_FILE);
  return texts && (JSON.parse(texts.toString('utf8')) as Record<string, string>)[key];
}

function compiled(): ReadonlyMap<string, CompiledChunk> | undefined {
  const pack = present(CODE_PACK);
  return pack && readPack(pack);
}

function present(name: string): Buffer | undefined {
  try {
    return readFileSync(join(import.meta.dirname, name));
  } catch {
    // Without it everything works as well, only later.
    return undefined;
  }
}

const help = readyHelp();
if (help === undefined) {
  chunkLoader({ root: join(import.meta.dirname, '..'), compiled: compiled() })(PROGRAM);
} else {
  // Who reads only the beginning hangs up early.
  process.stdout.on('error', () => {});
  process.stdout.write(help);
}
