import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CODE_PACK, HELP_FILE } from '../src/cli/launch/files.ts';
import { helpTexts } from '../src/cli/launch/help-texts.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'atoll-launch-'));
const cli = join(folder, 'dist', 'cli');

beforeAll(() => {
  const script = join(ROOT, 'scripts', 'build.mjs');
  execFileSync(process.execPath, [script, join(folder, 'dist')], { stdio: 'ignore' });
  cpSync(join(ROOT, 'assets'), join(folder, 'assets'), { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const atoll = (...argv: string[]) =>
  spawnSync(process.execPath, [join(cli, 'main.js'), ...argv], { encoding: 'utf8' });

test('the launcher prints help that is what the program would say', () => {
  const ready = JSON.parse(readFileSync(join(cli, HELP_FILE), 'utf8'));
  expect(ready).toEqual(helpTexts());
  const texts = [['mirror', 'sync', '--help'], ['mirror', '-h'], ['--help']].map((argv) => {
    const { stdout, status } = atoll(...argv);
    expect(status).toBe(0);
    return stdout;
  });

  // The same words through commander, which a width that is not kept goes to.
  writeFileSync(join(cli, HELP_FILE), '{}');
  const slow = [['mirror', 'sync', '--help'], ['mirror', '-h'], ['--help']].map(
    (argv) => atoll(...argv).stdout,
  );

  expect(texts[0]).toContain('Usage: atoll mirror sync');
  expect(texts).toEqual(slow);
});

test('the launcher prints the help of a group at once where the command is missing, as the program does', () => {
  const lines = [[], ['mirror'], ['registry', 'user']];
  const run = () =>
    lines
      .map((argv) => atoll(...argv))
      .map(({ stdout, stderr, status }) => ({ stdout, stderr, status }));
  const texts = helpTexts();
  writeFileSync(join(cli, HELP_FILE), JSON.stringify(texts));
  const ready = run();
  writeFileSync(join(cli, HELP_FILE), '{}');
  const slow = run();

  expect(ready.map(({ status }) => status)).toEqual([2, 2, 2]);
  expect(ready[0]).toMatchObject({ stdout: '', stderr: texts['100'] });
  expect(ready).toEqual(slow);
});

test('the launcher runs a chunk as it is now, though one of the same length was compiled', () => {
  const chunks = join(folder, 'dist', 'chunks');
  const paths = readdirSync(chunks).map((name) => join(chunks, name));
  const path = paths.find((file) => readFileSync(file, 'utf8').includes('(node ${')) ?? '';
  const source = readFileSync(path, 'utf8');
  writeFileSync(path, source.replaceAll('(node ${', '(NODE ${'));

  expect(atoll('version').stdout).toContain('(NODE ');

  writeFileSync(path, source);
  expect(atoll('version').stdout).toContain('(node ');
});

test('the launcher does without compiled code where it is of no use', () => {
  const pack = join(cli, CODE_PACK);
  const kept = readFileSync(pack);
  // What another V8 wrote begins otherwise.
  const other = Buffer.from(kept);
  const first = 4 + kept.readUInt32LE();
  other.fill(0, first, first + 64);
  writeFileSync(pack, other);
  expect(atoll('version').status).toBe(0);

  truncateSync(pack, first + 1000);
  expect(atoll('version').stdout).toMatch(/^atoll \d/);

  rmSync(pack);
  expect(atoll('version').stdout).toMatch(/^atoll \d/);
  writeFileSync(pack, kept);
});
