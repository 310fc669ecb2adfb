// Makes dist/: the command line in a few dozen files, of which a command reads those that it needs.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { writePage } from './build-page.mjs';
import { MAIN, MODULE, root } from './bundle.mjs';
import { legalTexts } from './notices.mjs';

const withTypes = process.argv.includes('--types');
const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const dist = folder ?? join(root, 'dist');

/** The command line, and what other programs import from the package. */
const ENTRIES = {
  'cli/main': MAIN,
  ...Object.fromEntries(
    ['mirror', 'registry', 'diagnose'].map((name) => [
      `library/${name}`,
      join(root, 'src', 'library', `${name}.ts`),
    ]),
  ),
};

/** Declarations are for those who import: only a package needs them, and they take a while. */
function writeTypes() {
  const { status } = spawnSync(
    join(root, 'node_modules', '.bin', 'tsc'),
    ['-p', 'tsconfig.types.json', '--outDir', join(dist, 'types')],
    {
      cwd: root,
      stdio: ['ignore', 2, 2],
    },
  );
  if (status !== 0) process.exit(1);
}

/** What an earlier build left; what other scripts put into dist/ stays. */
function clean() {
  if (!existsSync(dist)) return;
  const folders = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) rmSync(join(dist, name), { recursive: true });
}

clean();
// Two folders deep, so that `assets/` is in the same place for sources, entry and chunks.
await build({
  ...MODULE,
  entryPoints: ENTRIES,
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  // As people would read it: space is dear only where one file has all.
  minifyWhitespace: false,
});
const legal = await legalTexts(root, { ...MODULE, entryPoints: ENTRIES, splitting: true });
for (const [name, text] of Object.entries(legal)) writeFileSync(join(dist, name), text);
await writePage(join(dist, 'dashboard.html'));
chmodSync(join(dist, 'cli', 'main.js'), 0o755);
if (withTypes) writeTypes();
