import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isSea } from 'node:sea';

/** A program and its leading arguments. */
export interface SelfCommand {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * How to start atoll once more, as a child or on another machine of the same kind. The binary is its
 * own program; the bundle is one file for Node; otherwise it is the built command line.
 */
export function selfCommand(): SelfCommand {
  if (isSea()) return { file: process.execPath, args: [] };
  const main = globalThis.ATOLL_ASSETS ? import.meta.filename : builtMain();
  return { file: process.execPath, args: [main] };
}

/** `cli/main.js` beside us when we are built, and in `dist/` when we run from the sources. */
function builtMain(): string {
  const beside = join(import.meta.dirname, '..', 'cli', 'main.js');
  if (existsSync(beside)) return beside;
  return join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
}
