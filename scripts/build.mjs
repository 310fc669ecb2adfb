// Makes dist/: the command line in a few dozen files, of which a command reads those that it needs.
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { MAIN, MODULE, root } from './bundle.mjs';
import { legalTexts } from './notices.mjs';

const dist = process.argv[2] ?? join(root, 'dist');

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
  entryPoints: { 'cli/main': MAIN },
  outdir: dist,
  chunkNames: 'chunks/[name]-[hash]',
  splitting: true,
  // As people would read it: space is dear only where one file has all.
  minifyWhitespace: false,
});
const legal = await legalTexts(root, { ...MODULE, entryPoints: [MAIN], splitting: true });
for (const [name, text] of Object.entries(legal)) writeFileSync(join(dist, name), text);
chmodSync(join(dist, 'cli', 'main.js'), 0o755);
