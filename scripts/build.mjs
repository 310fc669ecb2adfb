// Makes dist/: the command line in many files, of which a command reads those that it needs, their code
// as V8 compiled it, and every help text.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build, transform } from 'esbuild';
import { writePage } from './build-page.mjs';
import { COMMONJS, MAIN, MODULE, root } from './bundle.mjs';
import { failuresJson } from './catalogue.mjs';
import { chunksWith, joinChunks, readBefore } from './join-chunks.mjs';
import { legalTexts } from './notices.mjs';

const withTypes = process.argv.includes('--types');
const [folder] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const dist = folder ?? join(root, 'dist');

/** The command line, and what other programs import from the package. */
const ENTRIES = {
  'cli/program': MAIN,
  'cli/help-texts': join(root, 'src', 'cli', 'launch', 'help-texts.ts'),
  ...Object.fromEntries(
    ['mirror', 'registry', 'diagnose'].map((name) => [
      `library/${name}`,
      join(root, 'src', 'library', `${name}.ts`),
    ]),
  ),
};

/** Declarations are for those who import: only a package needs them, and they take a while. */
function writeTypes() {
  const types = ['-p', 'tsconfig.types.json', '--outDir', join(dist, 'types')];
  run(join(root, 'node_modules', '.bin', 'tsc'), types);
}

/** What an earlier build left; what other scripts put into dist/ stays. */
function clean() {
  if (!existsSync(dist)) return;
  const folders = readdirSync(dist, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) rmSync(join(dist, name), { recursive: true });
}

/** Cut into chunks as modules, which esbuild does for them alone, then written as CommonJS, which starts faster. */
async function writeChunks() {
  const { outputFiles, metafile } = await build({
    ...MODULE,
    banner: {},
    absWorkingDir: root,
    entryPoints: ENTRIES,
    outdir: dist,
    // Two folders deep, so that `assets/` is in the same place for sources, entry and chunks.
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    write: false,
    metafile: true,
  });
  const { format, platform, target, define, supported } = COMMONJS;
  const settings = { format, platform, target, define, supported };
  const files = new Map();
  // As people would read it: space is dear only where one file has all.
  for (const { path, text } of outputFiles)
    files.set(relative(dist, path), (await transform(text, settings)).code);
  for (const [path, text] of joinChunks(files, ...together(metafile))) {
    mkdirSync(dirname(join(dist, path)), { recursive: true });
    writeFileSync(join(dist, path), text);
  }
  writeFileSync(join(dist, 'package.json'), '{ "type": "commonjs" }\n');
}

/** What every command starts with, and what the one does that is run most often. */
function together(metafile) {
  // Patterns of RE2 are a fifth of it, and few image sets have one.
  const late = chunksWith(metafile, 're2js');
  const start = readBefore(metafile, ['src/cli/main.ts']);
  const sync = readBefore(metafile, ['src/cli/commands/mirror/sync.ts']);
  const run = readBefore(metafile, [
    'src/cli/commands/mirror/sync-run.ts',
    'src/mirror/flow/mirror-images.ts',
  ]);
  const without = (names, ...others) =>
    [...names].filter((name) => ![...others, late].some((known) => known.has(name)));
  const groups = {
    'start.js': start,
    'mirror-sync.js': without(sync, start),
    // Loaded while registries answer.
    'mirror-sync-run.js': without(run, start, sync),
  };
  return [groups, late];
}

/** What starts first: it prints help that is ready, or loads the program. */
async function writeLauncher() {
  const launch = join(root, 'src', 'cli', 'launch');
  const settings = { ...COMMONJS, minifyWhitespace: false };
  const main = join(dist, 'cli', 'main.js');
  await build({ ...settings, entryPoints: [join(launch, 'main.ts')], outfile: main });
  chmodSync(main, 0o755);
  for (const name of ['prepare', 'record']) {
    const entryPoints = [join(launch, `${name}.ts`)];
    await build({ ...settings, entryPoints, outfile: join(dist, 'cli', `${name}.js`) });
  }
  run(process.execPath, [join(dist, 'cli', 'prepare.js')]);
  for (const name of ['prepare.js', 'record.js', 'help-texts.js']) rmSync(join(dist, 'cli', name));
}

function run(file, args) {
  const { status } = spawnSync(file, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
}

clean();
await writeChunks();
await writeLauncher();
const legal = await legalTexts(root, { ...MODULE, entryPoints: ENTRIES, splitting: true });
for (const [name, text] of Object.entries(legal)) writeFileSync(join(dist, name), text);
await writePage(join(dist, 'dashboard.html'));
writeFileSync(join(dist, 'failures.json'), await failuresJson());
if (withTypes) writeTypes();
