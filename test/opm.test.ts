import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const SET = `mirror:
  operators:
  - catalog: registry.redhat.io/redhat/redhat-operator-index:v4.18
    packages:
    - name: quay-operator
`;

interface Declared {
  readonly schema: string;
  readonly name?: string;
  readonly package?: string;
}

describeWithPeers(['docker-registry', 'skopeo', 'opm'], 'a rebuilt catalog', () => {
  let lab: MirrorLab;
  let embedded: EmbeddedRegistry;
  let configs: string;

  beforeAll(async () => {
    [lab, embedded] = await Promise.all([startMirrorLab(), startEmbeddedRegistry()]);
    const to = ['--to', `docker://${embedded.host}`, '--dir', await lab.folder('dir')];
    const config = await lab.imageSet(SET);
    expect((await lab.atoll('sync', '-c', config, ...to, ...lab.collectFlags)).status).toBe(0);
    configs = await unpack(embedded.host, await lab.folder('catalog'));
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), embedded?.stop()]);
  });

  test('is valid for opm, which renders the chosen package and no other', async () => {
    await run('opm', ['validate', configs]);
    const { stdout } = await run('opm', ['render', configs, '--output', 'json']);

    const documents: Declared[] = stdout
      .trim()
      .split(/\n(?=\{)/)
      .map((text) => JSON.parse(text));
    const packages = documents.filter(({ schema }) => schema === 'olm.package');
    expect(packages.map(({ name }) => name)).toEqual(['quay-operator']);
    expect(documents.some(({ schema }) => schema === 'olm.bundle')).toBe(true);
    expect(new Set(documents.flatMap((each) => each.package ?? []))).toEqual(
      new Set(['quay-operator']),
    );
  });

  test('fills the cache that opm serves from', async () => {
    const cache = await lab.folder('cache');

    await run('opm', ['serve', configs, '--cache-dir', cache, '--cache-only']);

    expect((await readdir(cache)).length).toBeGreaterThan(0);
  });
});

/** The files of the catalog as a machine would have them: all its layers, one over the other. */
async function unpack(host: string, folder: string): Promise<string> {
  const image = `docker://${host}/redhat/redhat-operator-index:v4.18`;
  const layout = join(folder, 'image');
  await run('skopeo', [
    'copy',
    '--src-tls-verify=false',
    '--override-arch',
    'amd64',
    image,
    `dir:${layout}`,
  ]);
  const root = join(folder, 'root');
  await mkdir(root, { recursive: true });
  const { stdout } = await run('skopeo', ['inspect', '--raw', `dir:${layout}`]);
  const { layers } = JSON.parse(stdout) as { layers: { digest: string }[] };
  for (const { digest } of layers)
    await layOver(root, join(layout, digest.slice('sha256:'.length)));
  return join(root, 'configs');
}

/** As a container runtime does: what a layer takes away goes first. */
async function layOver(root: string, layer: string): Promise<void> {
  const { stdout } = await run('tar', ['-tzf', layer]);
  for (const path of stdout.split('\n').filter((each) => basename(each).startsWith('.wh.'))) {
    const isOpaque = basename(path) === '.wh..wh..opq';
    const gone = isOpaque
      ? dirname(path)
      : join(dirname(path), basename(path).slice('.wh.'.length));
    await rm(join(root, gone), { recursive: true, force: true });
  }
  await run('tar', ['-xzf', layer, '--exclude=.wh.*', '-C', root]);
}
