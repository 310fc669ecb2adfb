import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { UPSTREAM } from './support/upstream.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');
// Outside the project, so that no node_modules is above it.
const folder = mkdtempSync(join(tmpdir(), 'atoll-library-'));
const installed = join(folder, 'node_modules', 'atoll');

beforeAll(() => {
  const dist = join(installed, 'dist');
  mkdirSync(dist, { recursive: true });
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), dist, '--types']);
  cpSync(join(ROOT, 'package.json'), join(installed, 'package.json'));
  cpSync(join(ROOT, 'assets'), join(installed, 'assets'), { recursive: true });
  cpSync(join(UPSTREAM, 'layout'), join(folder, 'layout'), { recursive: true });
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program of somebody else: serves a registry and pushes one image to it, then reads a log. */
const PROGRAM = `
import { copyImage, createRegistries, parseImageLocation, silentContext } from 'atoll/mirror';
import { openDiskStore, startRegistry } from 'atoll/registry';
import { AtollError, diagnose } from 'atoll/diagnose';

const ctx = silentContext();
const store = await openDiskStore('served');
const registry = await startRegistry(ctx, { store, listeners: [{ port: 0 }] });
const registries = createRegistries({ insecure: true });
const copied = await copyImage(ctx, {
  from: parseImageLocation('oci:layout:quay.io/openshifttest/helm:3.17.0'),
  to: parseImageLocation(\`docker://\${registry.host}/tools/helm:3.17.0\`),
  registries,
  platforms: [],
  sparse: false,
  signatures: false,
});
await registries.close();
await registry.close();
const { findings } = await diagnose(ctx, ['kubelet.log']);
const refused: unknown = await diagnose(ctx, ['absent.log']).catch((error: unknown) => error);
console.log(
  JSON.stringify({
    digest: copied.digest,
    outcome: copied.outcome,
    findings: findings.length,
    code: refused instanceof AtollError ? refused.code : 'none',
  }),
);
`;

test('a program that imports the package copies, serves and diagnoses', () => {
  const program = PROGRAM.replace(': unknown', '').replace('(error: unknown)', '(error)');
  writeFileSync(join(folder, 'program.mjs'), program);
  writeFileSync(join(folder, 'kubelet.log'), 'nothing of note\n');

  const { status, stdout, stderr } = spawnSync(process.execPath, ['program.mjs'], {
    cwd: folder,
    encoding: 'utf8',
  });

  expect([status, stderr]).toEqual([0, '']);
  const index = JSON.parse(readFileSync(join(folder, 'layout', 'index.json'), 'utf8'));
  const digests = (index.manifests as { digest: string }[]).map(({ digest }) => digest);
  const said = JSON.parse(stdout) as Record<string, unknown>;
  expect(said).toMatchObject({ outcome: 'copied', findings: 0, code: 'FILE_UNREADABLE' });
  expect(digests).toContain(said.digest);
});

test('the declarations hold such a program to what it may do', () => {
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    module: 'nodenext',
    target: 'es2022',
    types: [],
  };
  writeFileSync(
    join(folder, 'program.mts'),
    `declare const console: { log(x: string): void };${PROGRAM}`,
  );
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['program.mts'] }),
  );
  const tsc = () =>
    spawnSync(join(ROOT, 'node_modules', '.bin', 'tsc'), [], { cwd: folder, encoding: 'utf8' });
  expect(tsc()).toMatchObject({ status: 0, stdout: '' });

  const wrong = PROGRAM.replace('sparse: false', 'sparse: 1');
  writeFileSync(
    join(folder, 'program.mts'),
    `declare const console: { log(x: string): void };${wrong}`,
  );

  expect(tsc().stdout).toContain("'number' is not assignable to type 'boolean'");
});
