import { build } from 'esbuild';
import { MODULE } from '../scripts/bundle.mjs';

/** A program or module with all it imports as one file, as atoll is shipped. */
export async function oneFile(entry, outfile) {
  await build({ ...MODULE, entryPoints: [entry], outfile });
  return outfile;
}
