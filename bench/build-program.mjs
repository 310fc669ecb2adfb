import { basename, dirname } from 'node:path';
import { build } from 'esbuild';
import { MODULE } from '../scripts/bundle.mjs';

/** A program or module with all it imports, as atoll is shipped: what is loaded later is in files of its own. */
export async function buildProgram(entry, outfile) {
  const entryPoints = [{ in: entry, out: basename(outfile, '.mjs') }];
  const outExtension = { '.js': '.mjs' };
  const outdir = dirname(outfile);
  await build({ ...MODULE, entryPoints, outdir, outExtension, splitting: true });
  return outfile;
}
