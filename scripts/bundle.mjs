// Makes dist/atoll.mjs: one file that any Node from 20.19 runs, without node_modules.
import { mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { pageText } from './build-page.mjs';
import { failuresJson } from './catalogue.mjs';
import { legalTexts } from './notices.mjs';

export const root = join(import.meta.dirname, '..');
// Dependencies in CommonJS ask for builtins at run time; a file of modules has no `require` of its own.
const REQUIRE = `import { createRequire as atollRequire } from 'node:module';
const require = atollRequire(import.meta.url);`;

/** The catalogue of failures is there as JSON, which is read faster: once is enough. */
const isCatalogue = (file) => file.startsWith(join(root, 'assets', 'failures'));

/** The texts that ship with atoll, by their path under a folder. One file has no folder beside it. */
function assets(folder = join(root, 'assets')) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !isCatalogue(file))
    .sort();
  return Object.fromEntries(
    files.map((file) => [relative(folder, file), readFileSync(file, 'utf8')]),
  );
}

export const MAIN = join(root, 'src', 'cli', 'main.ts');

/** Names stay as they are: the file is read by auditors, and a bug prints its stack. */
const COMMON = {
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'eof',
  logLevel: 'error',
};

/**
 * For modules, of one file or of many. Libraries that come in both forms are taken as modules: of a CommonJS one that
 * is imported when needed, only `default` is left.
 */
export const MODULE = {
  ...COMMON,
  format: 'esm',
  mainFields: ['module', 'main'],
  banner: { js: REQUIRE },
};

/** Where there are no modules, a path is that of the file, and an import a require. */
export const COMMONJS = {
  ...COMMON,
  format: 'cjs',
  define: {
    'import.meta.dirname': '__dirname',
    'import.meta.filename': '__filename',
    'import.meta.url': '__filename',
  },
  supported: { 'dynamic-import': false },
};

/** Bundles the command line into one file: a module, or CommonJS for the executable. */
export async function bundle({ outfile, format, entry = MAIN }) {
  const settings = format === 'esm' ? MODULE : COMMONJS;
  const texts = {
    ...assets(),
    ...(await legalTexts(root, { ...settings, entryPoints: [entry] })),
    'dashboard.html': await pageText(),
    // Packed: it is data, and more than all the rest of the texts.
    'failures.json.br': brotliCompressSync(await failuresJson({ withTests: false })).toString(
      'base64',
    ),
  };
  const inlined = `globalThis.ATOLL_ASSETS = ${JSON.stringify(texts)};`;
  const partial = `${outfile}.partial`;
  mkdirSync(dirname(outfile), { recursive: true });
  await build({
    ...settings,
    entryPoints: [entry],
    outfile: partial,
    banner: { js: `${settings.banner?.js ?? ''}\n${inlined}` },
  });
  renameSync(partial, outfile);
}

if (process.argv[1] === import.meta.filename) {
  const outfile = process.argv[2] ?? join(root, 'dist', 'atoll.mjs');
  await bundle({ outfile, format: 'esm' });
  console.error(`wrote ${outfile}`);
}
