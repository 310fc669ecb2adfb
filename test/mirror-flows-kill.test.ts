import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { silentContext } from '../src/core/context.ts';
import { BundleReader } from '../src/mirror/bundle/bundle-reader.ts';
import { blobOf, buildImage, type Blob as ImageBlob } from '../src/oci/build-image.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { type SlowProxy, startSlowProxy } from './support/slow-proxy.ts';

// Whole programs start here, thirty times and more, and a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const KILLS = 10;
const IMAGES = 8;
const LAYERS = 2;
const LAYER_BYTES = 1_500_000;
const TOTAL_BYTES = IMAGES * LAYERS * LAYER_BYTES;
const BYTES_PER_SECOND = 12_000_000;

const ctx = silentContext();
const folder = mkdtempSync(join(tmpdir(), 'atoll-kill-'));
const program = join(folder, 'atoll.mjs');
const config = join(folder, 'imageset.yaml');
const digests = new Map<string, string>();

let upstream: EmbeddedRegistry;
let line: SlowProxy;
let docker: DockerRegistry;
let registries: Registries;

/** Runs the real program; with `killAfter` it dies without warning when so many bytes have passed. */
async function atoll(proxy: SlowProxy, argv: string[], killAfter?: number): Promise<number | null> {
  const child = spawn(process.execPath, [program, 'mirror', ...argv, '--insecure'], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  if (killAfter !== undefined) {
    proxy.after(killAfter, () => {
      child.kill('SIGKILL');
      proxy.cut();
    });
  }
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  proxy.after(Number.POSITIVE_INFINITY, () => undefined);
  if (killAfter === undefined && status !== 0) throw new Error(stderr);
  return status;
}

/** Ten kills, each after a different part of the work, then a run to the end. */
async function killed(proxy: SlowProxy, argv: string[], twice: () => number | Promise<number>) {
  const lost: number[] = [];
  for (let count = 0; count < KILLS; count += 1) {
    const part = (TOTAL_BYTES / (KILLS + 2)) * (0.4 + 0.6 * Math.random());
    const status = await atoll(proxy, argv, Math.round(part));
    expect(status).toBeNull();
    lost.push(await twice());
  }
  await atoll(proxy, argv);
  lost.push(await twice());
  return lost.slice(1).map((bytes, index) => bytes - (lost[index] ?? 0));
}

async function expectEverythingAt(host: string): Promise<void> {
  for (const [name, digest] of digests) {
    const repository = registries.repository(host, `app/${name}`);
    const root = await repository.resolve(ctx, 'v1');
    expect(root?.digest).toBe(digest);
    if (!root) continue;
    for (const child of (await repository.manifest(ctx, root)).children) {
      const hash = createHash('sha256');
      for await (const chunk of repository.blob(ctx, child)) hash.update(chunk);
      expect(`sha256:${hash.digest('hex')}`).toBe(child.digest);
    }
  }
}

describeWithPeers(['docker-registry'], 'atoll mirror, killed ten times', () => {
  beforeAll(async () => {
    await bundle({ outfile: program, format: 'esm' });
    [upstream, docker] = await Promise.all([startEmbeddedRegistry(), startDockerRegistry()]);
    line = await startSlowProxy(upstream.url, BYTES_PER_SECOND);
    registries = createRegistries({ insecure: true, env: {} });
    for (let count = 0; count < IMAGES; count += 1) await publish(`image-${count}`);
    const names = [...digests.keys()].map((name) => `  - name: ${line.host}/app/${name}:v1\n`);
    const head = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n';
    await writeFile(config, `${head}mirror:\n  additionalImages:\n${names.join('')}`);
  });
  afterAll(async () => {
    await registries?.close();
    await line?.stop();
    await Promise.all([upstream?.stop(), docker?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  test('sync asks upstream for no more than one blob again, whatever the mirror is', async () => {
    const argv = [
      'sync',
      '-c',
      config,
      '--to',
      `docker://${docker.host}`,
      '--dir',
      join(folder, 'sync'),
    ];
    const before = line.downTwice();

    const lost = await killed(line, argv, () => line.downTwice() - before);

    tell('sync', lost);
    expect(Math.max(...lost)).toBeLessThanOrEqual(LAYER_BYTES);
    await expectEverythingAt(docker.host);
    expect(await readdir(join(folder, 'sync', 'working-dir', 'partial'))).toEqual([]);
  });

  test('save asks upstream for no more than one blob again', async () => {
    const slow = await startSlowProxy(upstream.url, BYTES_PER_SECOND);
    const to = join(folder, 'bundle');
    const argv = ['save', '-c', await configFor(slow), '--to', to, '--dir', join(folder, 'save')];

    const lost = await killed(slow, [...argv, '--chunk-size', '4M'], () => slow.downTwice());

    await slow.stop();
    tell('save', lost);
    expect(Math.max(...lost)).toBeLessThanOrEqual(LAYER_BYTES);
    const reader = await BundleReader.open(ctx, to);
    expect(await reader.damaged(ctx)).toEqual([]);
    expect(reader.index.images).toHaveLength(IMAGES);
    await reader.close();
  });

  test('load sends no more than one blob again', async () => {
    const mirror = await startEmbeddedRegistry();
    const slow = await startSlowProxy(mirror.url, BYTES_PER_SECOND);
    const argv = ['load', '--from', join(folder, 'bundle'), '--to', `docker://${slow.host}`];

    // What the registry has of the blobs is never sent again; the rest was sent for nothing.
    const lost = await killed(slow, [...argv, '--dir', join(folder, 'load')], async () => {
      await settled(() => storedBytes(mirror.root));
      return slow.up() - (await storedBytes(mirror.root));
    });

    tell('load', lost);
    expect(Math.max(...lost)).toBeLessThanOrEqual(LAYER_BYTES);
    expect(slow.up() - (await uniqueBytes())).toBeLessThanOrEqual(LAYER_BYTES);
    await expectEverythingAt(mirror.host);
    await slow.stop();
    await mirror.stop();
  });
});

function tell(flow: string, lost: readonly number[]): void {
  const total = lost.reduce((sum, bytes) => sum + bytes, 0);
  process.stderr.write(
    `${flow}: ${lost.length} kills, ${Math.max(...lost)} bytes twice at most, ${total} in all, of ${TOTAL_BYTES}\n`,
  );
}

async function publish(name: string): Promise<void> {
  const layers: ImageBlob[] = Array.from({ length: LAYERS }, () =>
    blobOf(MEDIA_TYPES.ociLayerGzip, randomBytes(LAYER_BYTES)),
  );
  const image = buildImage({
    layers: layers.map((layer) => ({ ...layer, diffId: layer.descriptor.digest })),
    platform: { os: 'linux', architecture: 'amd64' },
  });
  const repository = registries.repository(upstream.host, `app/${name}`);
  for (const { descriptor, bytes } of image.blobs) {
    await repository.putBlob(
      ctx,
      descriptor,
      (async function* () {
        yield bytes;
      })(),
    );
  }
  await repository.putManifest(ctx, image.manifest, 'v1');
  digests.set(name, image.manifest.descriptor.digest);
}

async function configFor(proxy: SlowProxy): Promise<string> {
  const path = join(folder, `imageset-${proxy.host.split(':')[1]}.yaml`);
  const names = [...digests.keys()].map((name) => `  - name: ${proxy.host}/app/${name}:v1\n`);
  const head = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n';
  await writeFile(path, `${head}mirror:\n  additionalImages:\n${names.join('')}`);
  return path;
}

/** Bytes of all blobs that a mirror needs. */
async function uniqueBytes(): Promise<number> {
  const reader = await BundleReader.open(ctx, join(folder, 'bundle'));
  await reader.close();
  return reader.index.blobs.reduce((sum, { size }) => sum + size, 0);
}

/** Everything the registry keeps of blobs: whole ones and uploads. */
async function storedBytes(root: string): Promise<number> {
  await mkdir(root, { recursive: true });
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const sizes = names
    .filter((entry) => entry.isFile())
    .map((entry) =>
      stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      ),
    );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Waits until a value stops changing: what was under way has arrived or is lost. */
async function settled(value: () => Promise<number>): Promise<void> {
  for (let last = -1; ; ) {
    const now = await value();
    if (now === last) return;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
