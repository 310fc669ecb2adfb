import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { createLineQueue } from '../src/core/line-queue.ts';
import { runProgram } from '../src/core/process.ts';
import { makeLayerDelta } from '../src/mirror/delta/make-layer-delta.ts';
import { rebuildInProcesses } from '../src/mirror/delta/rebuild-processes.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { BYTES_PER_SECOND, bytesOf, DeltaLab, FILE_BYTES, indexOf } from './support/delta-lab.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { startSlowProxy } from './support/slow-proxy.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const NAMES = ['one', 'two'];
const ctx = silentContext();

describe('atoll mirror save and load with deltas inside layers', () => {
  let lab: DeltaLab;
  let mirror: EmbeddedRegistry;

  beforeAll(async () => {
    [lab, mirror] = await Promise.all([DeltaLab.start(), startEmbeddedRegistry()]);
    for (const version of [1, 2, 3]) for (const name of NAMES) await lab.publish(name, version);
    await lab.done(lab.save(await lab.configOf(1, NAMES), 'first'));
    await lab.done(lab.load('first', mirror.host));
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), mirror?.stop()]);
  });

  test('carry two versions across, killed on both sides, with every digest as it was', async () => {
    for (const [version, since] of [
      [2, 'first'],
      [3, 'bundle-2'],
    ] as const) {
      const to = `bundle-${version}`;
      const argv = lab.save(await lab.configOf(version, NAMES), to, '--since', lab.at(since));
      const cut = await lab.atoll(argv, { proxy: lab.line, after: FILE_BYTES });
      expect(cut.status).toBeNull();
      expect(await lab.done(argv)).toContain('2 layers as deltas spared');

      const inside = await startSlowProxy(mirror.url, BYTES_PER_SECOND);
      const load = lab.load(to, inside.host);
      expect((await lab.atoll(load, { proxy: inside, after: FILE_BYTES })).status).toBeNull();
      await lab.done(load);
      await inside.stop();

      const index = await indexOf(lab.at(to));
      expect(index.deltas?.map(({ recompress }) => recompress.program)).toEqual([
        'symbols',
        'symbols',
      ]);
      expect(bytesOf(index)).toBeLessThan((NAMES.length * FILE_BYTES) / 5);
      await lab.expectVersion(mirror.host, version, NAMES);
    }
  });

  test('finds older layers through an inventory, and says what each image was spared', async () => {
    const inventory = lab.at('inventory.json');
    const place = ['--at', `docker://${mirror.host}`, '--dir', lab.at('inside')];
    await lab.done(['inventory', ...place, '--to', inventory]);
    const known = JSON.parse(await readFile(inventory, 'utf8'));
    expect(known.images.length).toBeGreaterThan(0);
    const empty = await startEmbeddedRegistry();
    await lab.done([
      'load',
      '--from',
      lab.at('first'),
      '--to',
      `docker://${empty.host}`,
      '--dir',
      lab.at('e'),
    ]);
    const list = ['inventory', '--at', `docker://${empty.host}`, '--dir', lab.at('e')];
    await lab.done([...list, '--to', inventory]);

    await lab.done(lab.save(await lab.configOf(2, NAMES), 'have', '--have', inventory));

    const report = JSON.parse(await readFile(lab.at('outside/working-dir/report.json'), 'utf8'));
    for (const { sparedBytes } of report.images)
      expect(sparedBytes).toBeGreaterThan((FILE_BYTES * 4) / 5);
    expect(report.deltas).toHaveLength(NAMES.length);
    await empty.stop();
  });

  test('a slow --link carries less, and layers are compressed again inside', async () => {
    for (const version of [1, 2]) await lab.publish('words', version);
    const inside = await startEmbeddedRegistry();
    await lab.done(lab.save(await lab.configOf(1, ['words']), 'old-words'));
    await lab.done(lab.load('old-words', inside.host, 'inside-words'));
    const since = ['--since', lab.at('old-words')];
    const config = await lab.configOf(2, ['words']);

    await lab.done(lab.save(config, 'slow', ...since, '--link', '1K'));
    await lab.done(lab.load('slow', inside.host, 'inside-words'));

    const [delta] = (await indexOf(lab.at('slow'))).deltas ?? [];
    expect(delta?.recompress).toMatchObject({ program: 'pgzip' });
    await lab.expectVersion(inside.host, 2, ['words']);
    await inside.stop();
  });

  test('--no-delta carries layers whole', async () => {
    const config = await lab.configOf(2, NAMES);
    await lab.done(lab.save(config, 'whole', '--since', lab.at('first'), '--no-delta'));

    const index = await indexOf(lab.at('whole'));
    expect(index.deltas).toBeUndefined();
    expect(bytesOf(index)).toBeGreaterThan(NAMES.length * FILE_BYTES);
  });

  test('a mirror without the older layer is told which one it lacks', async () => {
    const empty = await startEmbeddedRegistry();
    const argv = ['load', '--from', lab.at('bundle-2'), '--to', `docker://${empty.host}`];

    const { status, said } = await lab.atoll([...argv, '--dir', lab.at('empty')]);

    expect(status).toBe(7);
    expect(said).toContain('[BUNDLE_BASE_MISSING]');
    const [delta] = (await indexOf(lab.at('bundle-2'))).deltas ?? [];
    expect(said).toContain(delta?.base.digest.slice(0, 20) ?? 'no delta');
    await empty.stop();
  });

  test('reads older layers from an earlier bundle, and names those that have none', async () => {
    await lab.publish('three', 2);
    const old = lab.registries.repository(lab.upstream.host, 'app/one');
    const root = await old.resolve(ctx, 'v1');
    if (root) await old.remove(ctx, root.digest);
    const config = await lab.configOf(2, ['one', 'three']);

    await lab.done(lab.save(config, 'gone', '--since', lab.at('first')));

    const report = JSON.parse(await readFile(lab.at('outside/working-dir/report.json'), 'utf8'));
    const carried = report.deltas.map(({ whole }: { whole?: string }) => whole ?? 'delta');
    expect(carried.toSorted()).toEqual(['delta', 'the mirror has no older image of it']);
  });

  test('a process of its own puts a layer together, and what it cannot do is told', async () => {
    const work = await mkdtemp(lab.at('job-'));
    const repository = lab.registries.repository(lab.upstream.host, 'app/two');
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
    const lines = createLineQueue();
    lines.write(JSON.stringify(job));
    const command = { file: process.execPath, args: [lab.program] };

    const alone = await runProgram(ctx, command.file, [lab.program, 'rebuild-layers'], {
      input: lines.read(),
      onLine: () => lines.end(),
    });
    expect(alone.stdout).toBe('done\n');
    expect(digestOf(await readFile(to))).toBe(fresh.digest);
    const rebuild = rebuildInProcesses(command, 0);
    for (const each of [to, `${to}-again`]) {
      await rebuild(ctx, { ...job, to: each });
      expect(digestOf(await readFile(each))).toBe(fresh.digest);
    }

    const other = { ...record, digest: digestOf('another layer') };
    await expect(rebuild(ctx, { ...job, layer: other })).rejects.toMatchObject({
      code: 'LAYER_INVALID',
    });
  });
});
