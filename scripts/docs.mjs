// Writes the generated documents from the sources; with --check only says which of them are stale.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** The sources as they are now, not as they were last built. */
async function loadSources() {
  const folder = join(root, 'node_modules', '.cache', 'atoll');
  const outfile = join(folder, `docs-${process.pid}.mjs`);
  mkdirSync(folder, { recursive: true });
  try {
    await build({
      stdin: {
        contents: `
          export { COMMANDS, GROUPS } from './src/cli/commands/index.ts';
          export { commandsManual, errorsManual } from './src/cli/manual.ts';`,
        resolveDir: root,
      },
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

function present(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

const { COMMANDS, GROUPS, commandsManual, errorsManual } = await loadSources();
const documents = {
  'docs/errors.md': errorsManual(),
  'docs/commands.md': commandsManual(COMMANDS, GROUPS),
};
const stale = Object.entries(documents).filter(
  ([path, text]) => present(join(root, path)) !== text,
);

if (process.argv.includes('--check')) {
  for (const [path] of stale) console.error(`${path} is not up to date: run "npm run docs"`);
  process.exitCode = stale.length === 0 ? 0 : 1;
} else {
  for (const [path, text] of stale) {
    writeFileSync(join(root, path), text);
    console.error(`wrote ${path}`);
  }
}
