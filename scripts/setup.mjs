// Makes a fresh clone ready: installs what the lockfile names, then builds. Quick when nothing changed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');

// "npm install -g ." on a clone prepares it, and so does the "npm ci" below, which this script started.
const STARTED = 'ATOLL_SETUP_STARTED';
if (process.argv.includes('--prepare') && process.env[STARTED]) process.exit(0);
process.env[STARTED] = '1';

/** What "npm install -g" told its scripts holds for it, not for the dependencies of this clone. */
const OF_THE_CALLER = ['npm_config_global', 'npm_config_location', 'npm_config_prefix'];

function run(file, args) {
  const env = { ...process.env };
  for (const name of OF_THE_CALLER) delete env[name];
  const { status, error } = spawnSync(file, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
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

const lockfile = join(root, 'package-lock.json');
once(join(root, 'node_modules', '.atoll-lock'), [lockfile], () =>
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']),
);
if (!process.argv.includes('--no-build')) {
  const sources = [...filesIn(join(root, 'src')), ...filesIn(join(root, 'web'))].filter(
    (file) => !file.endsWith('.test.ts'),
  );
  const makers = ['build.mjs', 'build-page.mjs', 'bundle.mjs', 'notices.mjs'].map((name) =>
    join(import.meta.dirname, name),
  );
  once(join(root, 'dist', '.built'), [lockfile, ...makers, ...sources], () =>
    run(process.execPath, [join(import.meta.dirname, 'build.mjs')]),
  );
  // Rules change more often than code.
  const catalogue = join(import.meta.dirname, 'catalogue.mjs');
  once(
    join(root, 'dist', '.failures'),
    [catalogue, ...filesIn(join(root, 'assets', 'failures'))],
    () => run(process.execPath, [catalogue]),
  );
}
