// Makes dist/atoll: one Linux executable with Node inside, for machines that have none.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { inject } from 'postject';
import { bundle } from './bundle.mjs';

const root = join(import.meta.dirname, '..');
/** Where Node looks for the program it carries; a fixed word of Node's own build. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The program in the form Node embeds. */
async function blobIn(folder) {
  const main = join(folder, 'atoll.cjs');
  const output = join(folder, 'atoll.blob');
  const config = join(folder, 'sea.json');
  await bundle({ outfile: main, format: 'cjs' });
  const settings = { main, output, disableExperimentalSEAWarning: true, useCodeCache: true };
  writeFileSync(config, JSON.stringify(settings));
  execFileSync(process.execPath, ['--experimental-sea-config', config], { stdio: 'ignore' });
  return readFileSync(output);
}

/** This Node, without the symbols that only a debugger reads, where `strip` is at hand. */
function nodeIn(folder) {
  const copy = join(folder, 'node');
  copyFileSync(process.execPath, copy);
  chmodSync(copy, 0o755);
  const stripped = spawnSync('strip', ['--strip-unneeded', copy], { stdio: 'ignore' });
  if (stripped.status !== 0) console.error('strip is not at hand: the executable stays larger');
  return copy;
}

export async function binary(outfile) {
  mkdirSync(dirname(outfile), { recursive: true });
  const folder = mkdtempSync(join(dirname(outfile), '.binary-'));
  try {
    const program = nodeIn(folder);
    await inject(program, 'NODE_SEA_BLOB', await blobIn(folder), { sentinelFuse: FUSE });
    renameSync(program, outfile);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const outfile = process.argv[2] ?? join(root, 'dist', 'atoll');
await binary(outfile);
console.error(`wrote ${outfile}`);
