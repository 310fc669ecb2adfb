import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { collect, once } from '../src/core/bytes.ts';
import { silentContext } from '../src/core/context.ts';
import { runProgram } from '../src/core/process.ts';
import type { BundleIndex } from '../src/mirror/bundle/bundle-index.ts';
import { makeLayerDelta } from '../src/mirror/delta/make-layer-delta.ts';
import { rebuildInProcesses } from '../src/mirror/delta/rebuild-job.ts';
import { openRecompressor } from '../src/mirror/delta/recompressor.ts';
import { blobOf, buildImage } from '../src/oci/build-image.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type SlowProxy, startSlowProxy } from './support/slow-proxy.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const FILE_BYTES = 400_000;
const BYTES_PER_SECOND = 8_000_000;
const NAMES = ['one', 'two'];
const ctx = silentContext();
const folder = mkdtempSync(join(tmpdir(), 'atoll-delta-'));
const program = join(folder, 'atoll.mjs');
const digests = new Map<string, string>();

let upstream: EmbeddedRegistry;
let mirror: EmbeddedRegistry;
let registries: Registries;

/** Runs the real program; with `kill` it dies without warning when so many bytes have passed the proxy. */
async function atoll(argv: readonly string[], kill?: { proxy: SlowProxy; after: number }) {
  const child = spawn(process.execPath, [program, 'mirror', ...argv, '--insecure'], {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      said += chunk;
    });
  kill?.proxy.after(kill.after, () => {
    child.kill('SIGKILL');
    kill.proxy.cut();
  });
  const status = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  kill?.proxy.after(Number.POSITIVE_INFINITY, () => undefined);
  return { status, said };
}

async function done(argv: readonly string[]): Promise<string> {
  const { status, said } = await atoll(argv);
  if (status !== 0) throw new Error(said);
  return said;
}

/** Noise that does not compress, in which a later version differs here and there. */
function content(name: string, version: number): Buffer {
  const blocks = Array.from({ length: FILE_BYTES / 32 }, (_, at) =>
    createHash('sha256')
      .update(`${name} ${at % 997 === 0 ? version : 0} ${at}`)
      .digest(),
  );
  return Buffer.concat(blocks);
}

async function publish(name: string, version: number): Promise<void> {
  const tar = pack();
  tar.entry({ name: 'usr/bin/tool' }, content(name, version));
  tar.entry({ name: 'etc/version' }, String(version));
  tar.finalize();
  const bytes = await collect(tar as AsyncIterable<Buffer>);
  const gzip = openRecompressor({ program: 'pgzip', version: '1.16.7', level: -1 });
  const layer = Buffer.concat([Buffer.from(gzip.write(bytes)), Buffer.from(gzip.finish())]);
  const blob = blobOf(MEDIA_TYPES.ociLayerGzip, layer);
  const image = buildImage({
    layers: [{ ...blob, diffId: digestOf(bytes) }],
    platform: { os: 'linux', architecture: 'amd64' },
  });
  const repository = registries.repository(upstream.host, `app/${name}`);
  for (const each of image.blobs) await repository.putBlob(ctx, each.descriptor, once(each.bytes));
  await repository.putManifest(ctx, image.manifest, `v${version}`);
  digests.set(`${name}:v${version}`, image.manifest.descriptor.digest);
}

async function configOf(host: string, version: number, images = NAMES): Promise<string> {
  const path = join(folder, `imageset-${version}.yaml`);
  const head = 'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n';
  const names = images.map((name) => `  - name: ${host}/app/${name}:v${version}\n`);
  await writeFile(path, `${head}mirror:\n  additionalImages:\n${names.join('')}`);
  return path;
}

const indexOf = async (path: string): Promise<BundleIndex> =>
  JSON.parse(await readFile(join(path, 'bundle.json'), 'utf8'));
const bytesOf = ({ chunks }: BundleIndex) => chunks.reduce((sum, { size }) => sum + size, 0);

async function expectVersion(host: string, version: number): Promise<void> {
  for (const name of NAMES) {
    const repository = registries.repository(host, `app/${name}`);
    const root = await repository.resolve(ctx, `v${version}`);
    expect(root?.digest).toBe(digests.get(`${name}:v${version}`));
    if (!root) continue;
    for (const child of (await repository.manifest(ctx, root)).children)
      expect(digestOf(await collect(repository.blob(ctx, child)))).toBe(child.digest);
  }
}

describe('atoll mirror save and load with deltas inside layers', () => {
  let line: SlowProxy;
  const at = (name: string) => join(folder, name);
  const save = (config: string, to: string, ...more: string[]) =>
    ['save', '-c', config, '--to', at(to), '--dir', at('outside'), ...more] as const;

  beforeAll(async () => {
    await bundle({ outfile: program, format: 'esm' });
    [upstream, mirror] = await Promise.all([startEmbeddedRegistry(), startEmbeddedRegistry()]);
    registries = createRegistries({ insecure: true, env: {} });
    line = await startSlowProxy(upstream.url, BYTES_PER_SECOND);
    for (const version of [1, 2, 3]) for (const name of NAMES) await publish(name, version);
    await done(save(await configOf(line.host, 1), 'first'));
    await done(loadOf('first', mirror.host));
  });
  afterAll(async () => {
    await registries?.close();
    await line?.stop();
    await Promise.all([upstream?.stop(), mirror?.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });

  const loadOf = (from: string, host: string) =>
    ['load', '--from', at(from), '--to', `docker://${host}`, '--dir', at('inside')] as const;

  test('carry two versions across, killed on both sides, with every digest as it was', async () => {
    for (const [version, since] of [
      [2, 'first'],
      [3, 'bundle-2'],
    ] as const) {
      const to = `bundle-${version}`;
      const argv = save(await configOf(line.host, version), to, '--since', at(since));
      const cut = await atoll(argv, { proxy: line, after: FILE_BYTES });
      expect(cut.status).toBeNull();
      expect(await done(argv)).toContain('2 layers as deltas spared');

      const inside = await startSlowProxy(mirror.url, BYTES_PER_SECOND);
      const load = loadOf(to, inside.host);
      expect((await atoll(load, { proxy: inside, after: FILE_BYTES })).status).toBeNull();
      await done(load);
      await inside.stop();

      const index = await indexOf(at(to));
      expect(index.deltas?.map(({ recompress }) => recompress.program)).toEqual([
        'symbols',
        'symbols',
      ]);
      expect(bytesOf(index)).toBeLessThan((NAMES.length * FILE_BYTES) / 5);
      await expectVersion(mirror.host, version);
    }
  });

  test('finds older layers through an inventory, and says what each image was spared', async () => {
    const inventory = at('inventory.json');
    const place = ['--at', `docker://${mirror.host}`, '--dir', at('inside')];
    await done(['inventory', ...place, '--to', inventory]);
    const known = JSON.parse(await readFile(inventory, 'utf8'));
    expect(known.images.length).toBeGreaterThan(0);
    const empty = await startEmbeddedRegistry();
    await done(['load', '--from', at('first'), '--to', `docker://${empty.host}`, '--dir', at('e')]);
    const list = ['inventory', '--at', `docker://${empty.host}`, '--dir', at('e')];
    await done([...list, '--to', inventory]);

    await done(save(await configOf(line.host, 2), 'have', '--have', inventory));

    const report = JSON.parse(await readFile(at('outside/working-dir/report.json'), 'utf8'));
    for (const { sparedBytes } of report.images)
      expect(sparedBytes).toBeGreaterThan((FILE_BYTES * 4) / 5);
    expect(report.deltas).toHaveLength(NAMES.length);
    await empty.stop();
  });

  test('--no-delta carries layers whole', async () => {
    const config = await configOf(line.host, 2);
    await done(save(config, 'whole', '--since', at('first'), '--no-delta'));

    const index = await indexOf(at('whole'));
    expect(index.deltas).toBeUndefined();
    expect(bytesOf(index)).toBeGreaterThan(NAMES.length * FILE_BYTES);
  });

  test('a mirror without the older layer is told which one it lacks', async () => {
    const empty = await startEmbeddedRegistry();
    const argv = ['load', '--from', at('bundle-2'), '--to', `docker://${empty.host}`];

    const { status, said } = await atoll([...argv, '--dir', at('empty')]);

    expect(status).toBe(7);
    expect(said).toContain('[BUNDLE_BASE_MISSING]');
    const [delta] = (await indexOf(at('bundle-2'))).deltas ?? [];
    expect(said).toContain(delta?.base.digest.slice(0, 20) ?? 'no delta');
    await empty.stop();
  });

  test('reads older layers from an earlier bundle, and names those that have none', async () => {
    await publish('three', 2);
    const old = registries.repository(upstream.host, 'app/one');
    const root = await old.resolve(ctx, 'v1');
    if (root) await old.remove(ctx, root.digest);
    const config = await configOf(line.host, 2, ['one', 'three']);

    await done(save(config, 'gone', '--since', at('first')));

    const report = JSON.parse(await readFile(at('outside/working-dir/report.json'), 'utf8'));
    const carried = report.deltas.map(({ whole }: { whole?: string }) => whole ?? 'delta');
    expect(carried.toSorted()).toEqual(['delta', 'the mirror has no older image of it']);
  });

  test('a process of its own puts a layer together, and what it cannot do is told', async () => {
    const work = await mkdtemp(at('job-'));
    const repository = registries.repository(upstream.host, 'app/two');
    const [old, fresh] = await Promise.all(
      ['v1', 'v2'].map(async (tag) => {
        const root = await repository.resolve(ctx, tag);
        const manifest = root && (await repository.manifest(ctx, root));
        return manifest?.children.find(({ mediaType }) => mediaType === MEDIA_TYPES.ociLayerGzip);
      }),
    );
    if (!old || !fresh) throw new Error('There are no layers');
    const pair = { old, fresh, freshSource: repository, oldSources: [repository] };
    const { record, path } = await makeLayerDelta(
      ctx,
      { ...pair, oldRepository: undefined },
      { folder: work, linkBytesPerSecond: undefined },
    );
    const to = join(work, 'made');
    const job = { layer: record, base: join(work, 'old'), delta: path, to };
    await writeFile(join(work, 'job'), JSON.stringify(job));
    const command = { file: process.execPath, args: [program] };

    const alone = await runProgram(
      ctx,
      command.file,
      [program, 'rebuild-layer', join(work, 'job')],
      {
        holdInput: true,
      },
    );
    expect(alone).toMatchObject({ status: 0 });
    expect(digestOf(await readFile(to))).toBe(fresh.digest);
    const rebuild = rebuildInProcesses(command, 0);
    await rebuild(ctx, job);
    expect(digestOf(await readFile(to))).toBe(fresh.digest);

    const other = { ...record, digest: digestOf('another layer') };
    await expect(rebuild(ctx, { ...job, layer: other })).rejects.toMatchObject({
      code: 'LAYER_INVALID',
    });
  });
});
