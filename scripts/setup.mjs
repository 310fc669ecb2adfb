// Makes a fresh clone ready: installs what the lockfile names, then builds. Quick when nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

function run(file, args) {
  const { status, error } = spawnSync(file, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(`setup: "${[file, ...args].join(' ')}" failed${error ? `: ${error.message}` : ''}`);
  process.exit(1);
}

function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function hashOf(files) {
  const hash = createHash('sha256').update(process.version);
  for (const file of files) hash.update(`\n${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Does the work unless it was done for the same input before. */
function once(stamp, files, work) {
  const hash = hashOf(files);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  work();
  mkdirSync(join(stamp, '..'), { recursive: true });
  writeFileSync(stamp, hash);
}

/** Output of sources that no longer exist; what other scripts put into dist/ has no source folder. */
function pruneDist() {
  if (!existsSync(dist)) return;
  const modules = readdirSync(join(root, 'src'));
  for (const module of modules.filter((name) => existsSync(join(dist, name)))) {
    for (const file of filesIn(join(dist, module))) {
      const source = file.replace(dist, join(root, 'src')).replace(/(\.d\.ts|\.js)$/, '.ts');
      if (!existsSync(source)) rmSync(file);
    }
  }
}

function build() {
  pruneDist();
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']);
  chmodSync(join(dist, 'cli', 'main.js'), 0o755);
}

once(join(root, 'node_modules', '.atoll-lock'), [join(root, 'package-lock.json')], () =>
  run('npm', ['ci', '--no-audit', '--no-fund']),
);
if (!process.argv.includes('--no-build')) {
  const sources = filesIn(join(root, 'src')).filter((file) => !file.endsWith('.test.ts'));
  const settings = ['tsconfig.json', 'tsconfig.build.json'].map((name) => join(root, name));
  once(join(dist, '.built'), [...settings, ...sources], build);
}
