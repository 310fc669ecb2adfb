import { join } from 'node:path';
import { openPack } from './code-pack.ts';
import { CODE_PACK, PROGRAM } from './files.ts';
import { chunkLoader } from './load-chunks.ts';

/** Loads the program, which runs the command line of this process. */
export function runProgram(): void {
  const compiled = openPack(join(import.meta.dirname, CODE_PACK));
  chunkLoader({ root: join(import.meta.dirname, '..'), compiled })(PROGRAM);
}
