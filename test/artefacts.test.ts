import {
  type ChildProcessWithoutNullStreams,
  execFileSync,
  spawn,
  spawnSync,
} from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MAIN, MODULE } from '../scripts/bundle.mjs';
import { bundledPackages } from '../scripts/notices.mjs';
import { freePort } from './support/docker-registry.ts';
import { UPSTREAM } from './support/upstream.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');
const IMAGE = 'quay.io/openshifttest/helm:3.17.0';
const MIB = 1024 ** 2;
const SITE = `name: north
release: { version: 4.18.2 }
platform: { type: none }
registry: { host: localhost }
cluster: { name: north, baseDomain: example.com, pullSecret: pull-secret.json }
`;

// Outside the project, so that no node_modules is above them.
const folder = mkdtempSync(join(tmpdir(), 'atoll-artefact-'));
const bundle = join(folder, 'atoll.mjs');
const binary = join(folder, 'atoll');
const chunks = join(folder, 'package', 'dist', 'cli', 'main.js');

beforeAll(() => {
  const script = (name: string, outfile: string) =>
    execFileSync(process.execPath, [join(ROOT, 'scripts', name), outfile], { stdio: 'ignore' });
  script('bundle.mjs', bundle);
  script('binary.mjs', binary);
  script('build.mjs', join(folder, 'package', 'dist'));
  cpSync(join(ROOT, 'assets'), join(folder, 'package', 'assets'), { recursive: true });
  cpSync(join(UPSTREAM, 'layout'), join(folder, 'layout'), { recursive: true });
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface SpdxDocument {
  readonly packages: readonly Readonly<Record<string, unknown>>[];
}

/** Bundle and chunks are given Node by its full path, the binary nothing at all. */
const ARTEFACTS = [
  { name: 'the bundle', file: process.execPath, args: [bundle], mostBytes: 8 * MIB, path: bundle },
  { name: 'dist/', file: process.execPath, args: [chunks], mostBytes: MIB, path: chunks },
  { name: 'the binary', file: binary, args: [], mostBytes: 150 * MIB, path: binary },
];

/** What it has said by the time it says these words. */
function said(child: ChildProcessWithoutNullStreams, words: string): Promise<string> {
  let stderr = '';
  return new Promise((resolve, reject) => {
    child.once('close', () => reject(new Error(`It ended early: ${stderr}`)));
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      if (stderr.includes(words)) resolve(stderr);
    });
  });
}

function statusOf(url: string, ca: Buffer): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { ca, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });
}

describe.each(ARTEFACTS)('$name, with an empty environment', (artefact) => {
  const { file, args, mostBytes, path } = artefact;
  const own = (name: string) => `${name}-${ARTEFACTS.indexOf(artefact)}`;

  const atoll = (...words: string[]) => {
    const options = { cwd: folder, env: { PATH: '' }, encoding: 'utf8' } as const;
    return spawnSync(file, [...args, ...words], options);
  };

  test('knows its version, which is in the assets it carries', () => {
    const version = readFileSync(join(ROOT, 'assets', 'version.txt'), 'utf8').trim();

    const { status, stdout, stderr } = atoll('version', '--output', 'json');

    expect([status, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toMatchObject({ version });
  });

  test('shows help', () => {
    expect(atoll('--help')).toMatchObject({ status: 0, stderr: '' });
    expect(atoll('mirror', 'copy', '--help').stdout).toContain('Usage: atoll mirror copy');
  });

  test('copies an image with all it refers to', () => {
    const copy = own('copy');
    mkdirSync(join(folder, copy));

    const copied = atoll('mirror', 'copy', `oci:layout:${IMAGE}`, `oci:${copy}:helm`);

    expect([copied.status, copied.stderr]).toEqual([0, expect.not.stringContaining('bug')]);
    const index = JSON.parse(readFileSync(join(folder, copy, 'index.json'), 'utf8'));
    const [helm] = index.manifests as { digest: string }[];
    const blob = join(folder, copy, 'blobs', ...(helm?.digest ?? '').split(':'));
    expect(readFileSync(blob)).toEqual(
      readFileSync(join(folder, 'layout', 'blobs', ...(helm?.digest ?? '').split(':'))),
    );
  });

  test('serves a registry with processes of its own kind', async () => {
    const registry = own('registry');
    const port = await freePort();
    const made = atoll('registry', 'init', '--dir', registry, '--port', `${port}`);
    expect([made.status, made.stderr]).toEqual([0, '']);

    const words = [...args, 'registry', 'serve', '--dir', registry, '--workers', '2'];
    const server = spawn(file, words, { cwd: folder, env: { PATH: '' }, stdio: 'pipe' });
    let told = '';
    server.stderr.on('data', (chunk) => {
      told += chunk;
    });
    const ended = new Promise((resolve) => server.once('close', resolve));
    try {
      await said(server, 'listens on');
      const ca = readFileSync(join(folder, registry, 'tls', 'ca.crt'));
      expect(await statusOf(`https://localhost:${port}/v2/`, ca)).toBe(401);
    } finally {
      server.kill('SIGTERM');
    }
    expect([await ended, told]).toEqual([0, expect.stringContaining('registry stopped')]);
  });

  test('carries the licence and the place in the bill of materials of every package in it', async () => {
    const packages = await bundledPackages(ROOT, { ...MODULE, entryPoints: [MAIN] });
    expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining(['openpgp', 'zod']));

    const notices = atoll('version', '--notices').stdout;
    const { packages: listed } = JSON.parse(atoll('version', '--sbom').stdout) as SpdxDocument;

    const [, ...others] = listed;
    expect(others).toMatchObject(
      packages.map(({ name, version, license }) => ({
        name,
        versionInfo: version,
        licenseDeclared: license,
        checksums: [
          { algorithm: 'SHA512', checksumValue: expect.stringMatching(/^[0-9a-f]{128}$/) },
        ],
      })),
    );
    for (const { name, version, text } of packages) {
      expect(notices).toContain(`${name} ${version} (`);
      expect(notices, name).toContain(text);
    }
    expect(notices).toContain('GNU LESSER GENERAL PUBLIC LICENSE');
  });

  test('carries the page of the dashboard', async () => {
    const site = own('site');
    mkdirSync(join(folder, site));
    writeFileSync(join(folder, site, 'atoll.yaml'), SITE);
    const words = [...args, 'ui', '--site', join(site, 'atoll.yaml')];
    const server = spawn(file, words, { cwd: folder, env: { PATH: '' }, stdio: 'pipe' });
    const ended = new Promise((resolve) => server.once('close', resolve));
    try {
      const told = await said(server, '/open/');
      const [link = ''] = /http:\S+/.exec(told) ?? [];
      const entered = await fetch(link, { redirect: 'manual' });
      const [cookie = ''] = entered.headers.getSetCookie();
      const page = await fetch(new URL('/', link), { headers: { cookie } });
      expect(await page.text()).toMatch(/"site":\{"name":"north".*<script type="module">/s);
    } finally {
      server.kill('SIGTERM');
    }
    expect(await ended).toBe(0);
  });

  test('answers a misspelled command as the sources do', () => {
    expect(atoll('mirror', 'cpoy')).toMatchObject({ status: 2, stdout: '' });
    expect(atoll('mirror', 'cpoy').stderr).toContain('Did you mean "atoll mirror copy"?');
  });

  test('is not larger than it has to be', () => {
    expect(statSync(path).size).toBeLessThan(mostBytes);
  });
});
