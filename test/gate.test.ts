import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { tempDir } from './support/temp.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');
const CONFIGURATION = ['package.json', 'package-lock.json', 'biome.json', 'tsconfig.json'];
const ONE_FILE = ['src/core/nearest.ts'];
const LOWEST_LAYERS = ['src/core', 'src/oci'];
const ARCHITECTURE = ['architecture.test.ts', 'layers.ts', 'support/architecture.ts'];

/** A copy of part of the project in which something can be broken. */
async function copyOf(parts: readonly string[]): Promise<string> {
  const copy = await tempDir();
  for (const part of [...CONFIGURATION, 'vitest.config.ts', 'scripts', ...parts]) {
    cpSync(join(ROOT, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

function plant(copy: string, path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

/** Runs one part of the gate in a copy. */
function gate(copy: string, part: string): { status: number | null; output: string } {
  const script = join(copy, 'scripts', 'check.mjs');
  const { status, stderr } = spawnSync(process.execPath, [script, part], { encoding: 'utf8' });
  return { status, output: stderr };
}

describe('the gate', () => {
  test('is green for a clean file and turns red for an any and a console.log', async () => {
    const copy = await copyOf(ONE_FILE);
    expect(gate(copy, 'lint')).toMatchObject({ status: 0 });

    plant(copy, 'src/oci/planted.ts', 'export const planted: any = 1;\n');
    plant(copy, 'src/oci/printing.ts', "console.log('planted');\n");

    const { status, output } = gate(copy, 'lint');
    expect(status).toBe(1);
    expect(output).toMatch(/src\/oci\/planted\.ts.* lint\/suspicious\/noExplicitAny/);
    expect(output).toMatch(/src\/oci\/printing\.ts.* lint\/suspicious\/noConsole/);
    expect(output).toContain('The gate is red: lint');
  });

  test('turns red for a type error', async () => {
    const copy = await copyOf(ONE_FILE);

    plant(copy, 'src/oci/planted.ts', "export const planted: number = 'one';\n");

    expect(gate(copy, 'types').output).toContain('src/oci/planted.ts(1,14): error TS2322');
  });

  test('is green for the lowest layers and turns red for a layer violation', async () => {
    const tests = ARCHITECTURE.map((file) => `test/${file}`);
    const copy = await copyOf([...LOWEST_LAYERS, ...tests, 'ARCHITECTURE.md']);
    expect(gate(copy, 'architecture')).toMatchObject({ status: 0 });

    plant(copy, 'src/oci/planted.ts', "import '../store/store.ts';\nconsole.log(1);\n");

    const { status, output } = gate(copy, 'architecture');
    expect(status).toBe(1);
    expect(output).toContain('oci/planted.ts may not import store/');
    expect(output).toContain('oci/planted.ts prints');
  });

  test('turns red for a file and a name that nobody uses', async () => {
    const copy = await copyOf(['src', 'knip.json']);
    plant(copy, 'src/core/planted.ts', 'export const planted = 1;\n');
    plant(copy, 'src/core/half.ts', 'export const used = 1;\nexport const idle = 2;\n');
    plant(copy, 'src/cli/main.ts', "import { used } from '../core/half.ts';\nvoid used;\n");

    const { status, output } = gate(copy, 'unused');

    expect(status).toBe(1);
    expect(output).toContain('src/core/planted.ts');
    expect(output).toMatch(/idle\s+src\/core\/half\.ts/);
  });

  test('turns red for a document that was not generated again', async () => {
    const copy = await copyOf(['src', 'docs', 'schemas', 'assets']);
    expect(gate(copy, 'docs')).toMatchObject({ status: 0 });

    const codes = join(copy, 'src', 'core', 'error-codes.ts');
    const planted = "PLANTED: { exit: 3, transient: false, summary: 'Planted' },\n  USAGE:";
    writeFileSync(codes, readFileSync(codes, 'utf8').replace('USAGE:', planted));

    const { status, output } = gate(copy, 'docs');
    expect(status).toBe(1);
    expect(output).toContain('docs/errors.md is not up to date');
  });

  test('turns red for a lockfile with download addresses', async () => {
    const copy = await copyOf([]);
    expect(gate(copy, 'lockfile')).toMatchObject({ status: 0 });

    const packages = { 'node_modules/a': { resolved: 'https://packages.example/a.tgz' } };
    plant(copy, 'package-lock.json', JSON.stringify({ packages }));

    expect(gate(copy, 'lockfile').output).toContain('node_modules/a has a download address');
  });

  test('turns red for a lockfile that npm ci refuses', async () => {
    const copy = await copyOf([]);
    const packages = { 'node_modules/a': { optionalDependencies: { '@a/win32': '1.0.0' } } };

    plant(copy, 'package-lock.json', JSON.stringify({ packages }));

    expect(gate(copy, 'lockfile').output).toContain('@a/win32 is missing');
  });

  test('turns red for a lockfile with an entry whose content is not pinned', async () => {
    const copy = await copyOf([]);

    plant(
      copy,
      'package-lock.json',
      JSON.stringify({ packages: { '': {}, 'node_modules/a': {} } }),
    );

    expect(gate(copy, 'lockfile').output).toContain('node_modules/a has no integrity');
  });

  test('turns red for a link between documents that leads nowhere', async () => {
    const copy = await copyOf([]);
    spawnSync('git', ['init', '-q'], { cwd: copy });
    plant(copy, 'docs/other.md', '[here](other.md#part), [there](https://example.com)\n');
    expect(gate(copy, 'links')).toMatchObject({ status: 0 });

    plant(copy, 'docs/planted.md', '[away](gone.md)\n');

    expect(gate(copy, 'links').output).toContain('docs/planted.md links to gone.md');
  });

  test('turns red for a path of the machine it is worked on', async () => {
    const copy = await copyOf([]);
    spawnSync('git', ['init', '-q'], { cwd: copy });
    expect(gate(copy, 'paths')).toMatchObject({ status: 0 });

    plant(copy, 'docs/guide/planted.md', `cd ${copy}/docs\n`);

    expect(gate(copy, 'paths').output).toContain('docs/guide/planted.md names a path');
  });

  test('says so when asked for a part that does not exist', async () => {
    expect(gate(await copyOf([]), 'everything').output).toContain('no part "everything"');
  });
});
