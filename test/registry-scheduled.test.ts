import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { bundle } from '../scripts/bundle.mjs';
import { silentContext } from '../src/core/context.ts';
import { runUpkeepJob } from '../src/registry/upkeep/run-job.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { freePort } from './support/docker-registry.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { registryHttp } from './support/registry-http.ts';
import { runBundle, serveBundle } from './support/registry-process.ts';
import { tempDir } from './support/temp.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const folder = mkdtempSync(join(tmpdir(), 'atoll-registry-scheduled-'));
const program = join(folder, 'atoll.mjs');
beforeAll(() => bundle({ outfile: program, format: 'esm' }));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OLD = new Date(Date.now() - 48 * 3_600_000);

test('registry serve collects and scrubs by itself, and says so', async () => {
  const dir = await tempDir();
  const store = await openDiskStore(join(dir, 'data'));
  const port = await freePort();
  await writeFile(
    join(dir, 'config.yaml'),
    `storage: { path: data }
listeners: [{ address: "127.0.0.1:${port}" }]
workers: 2
limits: { minFree: 0 }
upkeep: { gc: 1s, scrub: 1s }
`,
  );
  const seed = await startEmbeddedRegistry({ root: store.root });
  const http = registryHttp(seed.url);
  const bad = await http.pushImage('a/bad', 'v1', 4096);
  const loose = await http.pushBlob('a/loose', Buffer.from('nobody needs me'));
  await seed.stop();
  await writeFile(store.blobPath(bad.layer), 'not what it was');
  await utimes(store.blobPath(loose), OLD, OLD);

  const child = await serveBundle(program, ['--dir', dir]);
  onTestFinished(() => void child.kill('SIGTERM'));
  const metrics = async () =>
    (await registryHttp(`http://127.0.0.1:${port}`).send('GET', '/metrics')).bytes.toString();

  await vi.waitFor(
    async () => {
      const text = await metrics();
      expect(text).toContain('atoll_registry_upkeep_success_seconds{job="gc"}');
      expect(text).toMatch(/^atoll_registry_upkeep_problems 1$/m);
    },
    { timeout: 110_000, interval: 200 },
  );
  await expect(readFile(store.blobPath(loose))).rejects.toThrow('ENOENT');
  expect(await readdir(join(store.root, 'damaged'))).toEqual([bad.layer.replace(':', '-')]);
  const { status, stdout } = await runBundle(program, [
    ...['registry', 'status', '--dir', dir],
    ...['--output', 'json'],
  ]);
  const told = JSON.parse(stdout) as { upkeep: { gc: object; scrub: object } };
  expect(status).toBe(5);
  expect(told.upkeep.gc).toMatchObject({ failures: 0, removedBlobs: expect.any(Number) });
  expect(told.upkeep.scrub).toMatchObject({ problems: 1 });
});

test('upkeep that fails says why, and what went well before stays known', async () => {
  const { store, stop, url } = await startEmbeddedRegistry();
  onTestFinished(stop);
  const { digest } = await registryHttp(url).pushImage('a/b', 'v1');
  const ctx = silentContext();
  const well = await runUpkeepJob(ctx, store, 'gc');
  await writeFile(store.blobPath(digest), '{');

  const failed = await runUpkeepJob(ctx, store, 'gc');

  expect(failed).toMatchObject({ outcome: 'failed', runs: 2, failures: 1 });
  expect(failed.succeededAt).toBe(well.succeededAt);
  expect(failed.message).toContain('is damaged');
});

test('upkeep runs beside pushes, and loses none of them', async () => {
  const { store, stop, url } = await startEmbeddedRegistry();
  onTestFinished(stop);
  const http = registryHttp(url);
  const ctx = silentContext();
  const pushing = Promise.all(
    Array.from({ length: 20 }, (_, index) => http.pushImage(`a/r${index % 4}`, `v${index}`)),
  );
  const jobs = (async () => {
    for (const job of ['gc', 'scrub', 'gc'] as const) {
      expect(await runUpkeepJob(ctx, store, job)).toMatchObject({ outcome: 'done' });
    }
  })();
  const images = await pushing;
  await jobs;

  for (const [index, { layer }] of images.entries()) {
    const got = await http.send('GET', `/v2/a/r${index % 4}/blobs/${layer}`);
    expect(got.status).toBe(200);
  }
});
