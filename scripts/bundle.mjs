// Makes dist/atoll.mjs: one file that any Node from 20.19 runs, without node_modules.
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');
// Dependencies in CommonJS ask for builtins at run time; a file of modules has no `require` of its own.
const REQUIRE = `import { createRequire as atollRequire } from 'node:module';
const require = atollRequire(import.meta.url);`;

/** The texts that ship with atoll, by their path under a folder. One file has no folder beside it. */
function assets(folder = join(root, 'assets')) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

/** Names stay as they are: the file is read by auditors, and a bug prints its stack. */
const READABLE = { minifyWhitespace: true, minifySyntax: true, keepNames: false };

const MAIN = join(root, 'src', 'cli', 'main.ts');

/** Bundles the command line into one file: a module, or CommonJS for the executable. */
export async function bundle({ outfile, format, entry = MAIN }) {
  const isModule = format === 'esm';
  const inlined = `globalThis.ATOLL_ASSETS = ${JSON.stringify(assets())};`;
  const partial = `${outfile}.partial`;
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    entryPoints: [entry],
    outfile: partial,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format,
    ...READABLE,
    legalComments: 'none',
    logLevel: 'error',
    banner: { js: isModule ? `${REQUIRE}\n${inlined}` : inlined },
    ...(isModule ? {} : COMMONJS),
  });
  renameSync(partial, outfile);
}

/** In an executable there are no modules: a path is that of the program, an import a require. */
const COMMONJS = {
  define: {
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
    'import.meta.url': '__filename',
  },
  supported: { 'dynamic-import': false },
};

if (process.argv[1] === import.meta.filename) {
  const outfile = process.argv[2] ?? join(root, 'dist', 'atoll.mjs');
  await bundle({ outfile, format: 'esm' });
  console.error(`wrote ${outfile}`);
}
