import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startEmbeddedRegistry } from '../../../test/support/embedded-registry.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { diagnose } from '../../observe/diagnose.ts';
import { readTimeline } from '../../observe/timeline/read-timeline.ts';
import { buildImage, buildLayer, putBuilt } from '../../oci/build-image.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { digestOf } from '../../oci/digest.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import { gatherLogBundle } from '../watch-lab.ts';
import { Board } from './board.ts';
import { ImageStorage } from './image-storage.ts';
import { NodeJournal } from './node-journal.ts';
import { NODE_FILES, nodeNetwork } from './node-network.ts';
import { NodePuller } from './node-puller.ts';

const ctx = silentContext();

const blobOf = (text: string): [Descriptor, Buffer] => {
  const bytes = Buffer.from(text);
  const mediaType = 'application/octet-stream';
  return [{ mediaType, digest: digestOf(bytes), size: bytes.length }, bytes];
};
async function* chunks(...parts: readonly Buffer[]) {
  yield* parts;
}

describe('ImageStorage', () => {
  test('keeps whole, verified blobs and counts them again when it is opened', async () => {
    const root = await tempDir();
    const storage = await ImageStorage.open(root);
    const [blob, bytes] = blobOf('a layer');

    await storage.put(ctx, blob, chunks(bytes));

    expect(await storage.has(blob)).toBe(true);
    expect((await ImageStorage.open(root)).usedBytes).toBe(bytes.length);
  });

  test('refuses bytes that are not what they claim, and leaves nothing of them', async () => {
    const root = await tempDir();
    const storage = await ImageStorage.open(root);
    const [blob] = blobOf('a layer');

    await expect(storage.put(ctx, blob, chunks(Buffer.from('a lager')))).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
    expect(await readdir(join(root, 'var/lib/containers/storage/blobs'))).toEqual([]);
    expect(storage.usedBytes).toBe(0);
  });

  test('counts nothing of a blob that was cut when the node died', async () => {
    const root = await tempDir();
    await ImageStorage.open(root);
    const folder = join(root, 'var/lib/containers/storage/blobs');
    const [blob, bytes] = blobOf('a layer');
    await writeFile(join(folder, `${blob.digest.slice('sha256:'.length)}.partial`), bytes);

    expect((await ImageStorage.open(root)).usedBytes).toBe(0);
    expect(await readdir(folder)).toEqual([]);
  });

  test('is full when the disk is', async () => {
    const storage = await ImageStorage.open(await tempDir(), 10);
    const [small, bytes] = blobOf('small');
    await storage.put(ctx, small, chunks(bytes));

    const [large] = blobOf('too large');
    await expect(storage.put(ctx, large, chunks())).rejects.toMatchObject({ code: 'DISK_FULL' });
  });
});

describe('NodePuller', () => {
  async function nodeAt(files: Readonly<Record<string, string>>) {
    const root = await tempDir();
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), text);
    }
    const network = await nodeNetwork(root);
    onTestFinished(() => network.registries.close());
    return new NodePuller(network, await ImageStorage.open(root));
  }

  async function mirrorWithImage() {
    const registry = await startEmbeddedRegistry();
    const registries = createRegistries({ env: {}, insecure: true });
    onTestFinished(async () => {
      await registries.close();
      await registry.stop();
    });
    const layer = await buildLayer([{ path: 'usr/bin/app', content: 'app' }]);
    const image = buildImage({ layers: [layer], platform: { os: 'linux', architecture: 'amd64' } });
    await putBuilt(ctx, registries.repository(registry.host, 'mirror/app'), image);
    return { registry, digest: image.manifest.descriptor.digest };
  }

  const conf = (host: string) => `[[registry]]
prefix = "quay.io/lab/app"
location = "quay.io/lab/app"
blocked = false
[[registry.mirror]]
location = "${host}/mirror/app"
insecure = true
[[registry]]
location = "quay.io"
blocked = true
`;

  test('pulls through the registries.conf of the node, every layer once', async () => {
    const { registry, digest } = await mirrorWithImage();
    const puller = await nodeAt({ [NODE_FILES.registriesConf]: conf(registry.host) });
    const image = `quay.io/lab/app@${digest}`;

    const pulled = await puller.pull(ctx, image);

    expect(pulled).toMatchObject({ image, digest, endpoint: `${registry.host}/mirror/app` });
    expect(pulled.bytes).toBeGreaterThan(0);
    const asked = registry.access.length;
    expect(await puller.pull(ctx, image)).toBe(pulled);
    expect(registry.access.length).toBe(asked);
  });

  test('speaks plain HTTP to a mirror that its rule calls insecure', async () => {
    const { registry, digest } = await mirrorWithImage();
    const puller = await nodeAt({
      [NODE_FILES.registriesConf]: `[[registry]]
location = "quay.io/lab/app"
[[registry.mirror]]
location = "${registry.host}/mirror/app"
insecure = true
`,
    });

    const pulled = await puller.pull(ctx, `quay.io/lab/app@${digest}`);

    expect(pulled.endpoint).toBe(`${registry.host}/mirror/app`);
  });

  test('fails with the words of a container runtime, and asks nobody whose name is unknown', async () => {
    const { registry } = await mirrorWithImage();
    const puller = await nodeAt({ [NODE_FILES.registriesConf]: conf(registry.host) });
    const missing = `quay.io/lab/app@${digestOf(Buffer.from('missing'))}`;

    await expect(puller.pull(ctx, missing)).rejects.toThrow(
      /Mirrors also failed.*manifest unknown/,
    );
    await expect(puller.pull(ctx, 'quay.io/other/app:v1')).rejects.toThrow('is blocked');
    await expect(puller.pull(ctx, 'nowhere.example/app:v1')).rejects.toThrow('no such host');
  });
});

test('Board tells one node what another knows, and waits for it', async () => {
  const folder = await tempDir();
  const [one, other] = [new Board(folder), new Board(folder)];
  const waiting = Promise.all([
    other.waitFor(ctx, 'control-plane-up'),
    other.waitForNodes(ctx, 'master', 2),
  ]);

  await one.tell('control-plane-up');
  for (const name of ['worker-0', 'master-0', 'master-1']) await one.tell(`node-joined/${name}`);

  await waiting;
  expect(await other.names('node-joined')).toEqual(['master-0', 'master-1', 'worker-0']);
  await one.tell('failed/master-0', { message: 'no' });
  expect(await other.read('failed/master-0')).toEqual({ message: 'no' });
});

test('NodeJournal writes what the readers of log bundles understand', async () => {
  const root = await tempDir();
  const journal = new NodeJournal(ctx, root, 'bootstrap');
  await journal.record('release-image', { phase: 'service start' });
  const stage = journal.stage('release-image', 'pull-release-image', async () => {
    journal.write('release-image', 'release-image-download.sh', 'no space left on device');
    throw new Error('no space left on device');
  });
  await expect(stage).rejects.toThrow('no space left');
  const bundle = join(root, 'log-bundle');
  await gatherLogBundle(bundle, [{ name: 'bootstrap', root, failed: true }]);

  const { findings } = await diagnose(ctx, [bundle]);
  const { steps } = await readTimeline(ctx, [bundle]);

  expect(findings[0]).toMatchObject({ id: 'boot-disk-full', kind: 'root' });
  expect(steps.find(({ id }) => id === 'release-image')).toMatchObject({ state: 'failed' });
  expect(await readFile(join(bundle, 'failed-units.txt'), 'utf8')).toContain(
    'release-image.service',
  );
});
