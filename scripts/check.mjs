// The gate: `npm run check`, or `node scripts/check.mjs PART…` for some parts of it.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

function command(file, args) {
  const { status, stdout, stderr } = spawnSync(file, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? [] : [`${stdout ?? ''}${stderr ?? ''}`.trim() || `${file} failed`];
}

/**
 * A lockfile with addresses would tie the project to one download server, one that lacks the
 * packages of other platforms is refused by `npm ci`, and an entry without its hash could be anything.
 */
function lockfile() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const entries = Object.entries(packages);
  const located = entries
    .filter(([, entry]) => /^[a-z+]+:\/\//.test(entry.resolved ?? ''))
    .map(([name]) => `package-lock.json: ${name} has a download address`);
  const absent = entries
    .flatMap(([, entry]) => Object.keys(entry.optionalDependencies ?? {}))
    .filter((name) => !entries.some(([path]) => path.endsWith(`node_modules/${name}`)))
    .map((name) => `package-lock.json: ${name} is missing, so "npm ci" fails`);
  const unsealed = entries
    .filter(([path, entry]) => path !== '' && !entry.link && !entry.integrity)
    .map(([path]) => `package-lock.json: ${path} has no integrity`);
  return [...located, ...absent, ...unsealed];
}

function trackedFiles() {
  const listed = spawnSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  return (listed.stdout ?? '').split('\0').filter((file) => file && !file.includes('fixtures/'));
}

/** Paths of the machine at hand: the clone itself and the home of whoever works on it. */
function paths() {
  const homes = /\/(?:home|Users)\/(?!(?:core|user|u|me|admin|ec2-user)\b)[a-z][\w.-]*\//;
  const own = [root, homedir()].filter((path) => path.split('/').length > 2);
  return trackedFiles().flatMap((file) => {
    const text = textOf(join(root, file));
    const found = own.find((path) => text.includes(`${path}/`)) ?? homes.exec(text)?.[0];
    return found ? [`${file} names a path of one machine: ${found}`] : [];
  });
}

/** Links from one document to another that lead nowhere. */
function links() {
  const documents = trackedFiles().filter((file) => file.endsWith('.md'));
  return documents.flatMap((file) =>
    [...textOf(join(root, file)).matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      .map(([, target]) => target)
      .filter((target) => !existsSync(join(root, dirname(file), target)))
      .map((target) => `${file} links to ${target}, which does not exist`),
  );
}

function textOf(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

const PARTS = {
  lint: () => command(bin('biome'), ['ci', '--error-on-warnings', '--colors=off', '.']),
  types: () => [
    ...command(bin('tsc'), ['--noEmit']),
    ...command(bin('tsc'), ['--noEmit', '-p', 'web']),
  ],
  unused: () => [
    ...command(bin('knip'), ['--no-progress']),
    ...command(bin('knip'), ['--no-progress', '--production', '--include', 'files,dependencies']),
  ],
  architecture: () => command(bin('vitest'), ['run', '--no-color', 'test/architecture.test.ts']),
  docs: () => command(process.execPath, ['scripts/docs.mjs', '--check']),
  lockfile,
  links,
  paths,
};

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(PARTS);
const failed = [];
for (const name of wanted) {
  const started = Date.now();
  const problems = PARTS[name]?.() ?? [`There is no part "${name}"`];
  const took = `${((Date.now() - started) / 1000).toFixed(1)} s`;
  console.error(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name} (${took})`);
  for (const problem of problems) console.error(problem.replace(/^/gm, '  '));
  if (problems.length > 0) failed.push(name);
}
if (failed.length > 0) {
  console.error(`\nThe gate is red: ${failed.join(', ')}`);
  process.exitCode = 1;
}
