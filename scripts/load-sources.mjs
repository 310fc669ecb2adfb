// For scripts that use the sources as they are now, not as they were last built.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
let loaded = 0;

/** What `contents`, a module in the folder of the project, exports. */
export async function loadSources(contents) {
  const folder = join(root, 'node_modules', '.cache', 'atoll');
  loaded += 1;
  const outfile = join(folder, `sources-${process.pid}-${loaded}.mjs`);
  mkdirSync(folder, { recursive: true });
  try {
    await build({
      stdin: { contents, resolveDir: root },
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      outfile,
      logLevel: 'error',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
