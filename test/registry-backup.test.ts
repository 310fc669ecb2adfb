import { execFile } from 'node:child_process';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { REGISTRY_COMMANDS } from '../src/cli/commands/registry/index.ts';
import { silentContext } from '../src/core/context.ts';
import type { Digest } from '../src/oci/digest.ts';
import { backupRegistry } from '../src/registry/backup/backup.ts';
import { restoreRegistry } from '../src/registry/backup/restore.ts';
import { chooseSnapshot, contentPath, listSnapshots } from '../src/registry/backup/snapshot.ts';
import { initRegistry } from '../src/registry/init.ts';
import { checkRegistry } from '../src/registry/upkeep/check.ts';
import { collectRegistry } from '../src/registry/upkeep/gc.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { imageManifest, registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);
const ctx = silentContext();

async function serve(root?: string) {
  const registry = await startEmbeddedRegistry(root === undefined ? {} : { root });
  onTestFinished(registry.stop);
  return { ...registry, http: registryHttp(registry.url) };
}

/** Restores into a fresh store and serves it. */
async function restored(backup: string, snapshot?: string) {
  const root = await tempDir();
  const store = await openDiskStore(root);
  await restoreRegistry(ctx, store, backup, await chooseSnapshot(backup, snapshot));
  return await serve(root);
}

/** A second that never comes twice: snapshots are named by it. */
function clock() {
  let now = Date.parse('2030-01-01T00:00:00Z');
  return silentContext({
    now: () => {
      now += 1000;
      return new Date(now);
    },
  });
}

test('a backup copies only what is new, and each snapshot can be restored', async () => {
  const { http, store } = await serve();
  const to = join(await tempDir(), 'backup');
  const one = await http.pushImage('a/b', 'v1', 5000);
  const subject = {
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    digest: one.digest,
    size: one.manifest.length,
  };
  await http.pushManifest('a/b', 'signature', { ...imageManifest(Buffer.from('{}'), []), subject });
  const time = clock();
  const first = await backupRegistry(time, store, { to, files: [] });
  await http.pushImage('a/b', 'v2', 5000);
  await http.send('DELETE', '/v2/a/b/manifests/v1');

  const second = await backupRegistry(time, store, { to, files: [], verify: true });

  expect(second).toMatchObject({ copiedBlobs: 2, removedSnapshots: 0 });
  expect(await listSnapshots(to)).toEqual([first.snapshot, second.snapshot]);
  const older = await restored(to, first.snapshot);
  const tags = async (http_: typeof http) =>
    JSON.parse((await http_.send('GET', '/v2/a/b/tags/list')).bytes.toString()).tags;
  expect(await tags(older.http)).toEqual(['signature', 'v1']);
  const { bytes } = await older.http.send('GET', `/v2/a/b/referrers/${one.digest}`);
  expect(JSON.parse(bytes.toString()).manifests).toHaveLength(1);
  const newer = await restored(to);
  expect(await tags(newer.http)).toEqual(['signature', 'v2']);
  expect((await checkRegistry(ctx, newer.store)).problems).toEqual([]);
});

test('a backup that keeps some snapshots drops what only others needed', async () => {
  const { http, store } = await serve();
  const to = join(await tempDir(), 'backup');
  const gone = await http.pushImage('a/b', 'v1', 5000);
  const time = clock();
  await backupRegistry(time, store, { to, files: [] });
  await http.send('DELETE', `/v2/a/b/manifests/${gone.digest}`);
  await http.pushImage('a/b', 'v2', 5000);

  const report = await backupRegistry(time, store, { to, files: [], keep: 1 });

  expect(report).toMatchObject({ removedSnapshots: 1, removedBlobs: 2 });
  const content = await openDiskStore(contentPath(to));
  expect(await content.blobs.stat(ctx, gone.layer as Digest)).toBeUndefined();
  await restored(to);
});

test('a backup beside pushes, deletes and garbage collection is whole', async () => {
  const { http, store } = await serve();
  const to = join(await tempDir(), 'backup');
  const pushed = await Promise.all(
    Array.from({ length: 10 }, (_, index) => http.pushImage(`a/r${index}`, 'v1', 20_000)),
  );
  let done = false;
  const churn = (async () => {
    for (let index = 0; !done; index += 1) {
      const image = pushed[index % 5];
      if (image) await http.send('DELETE', `/v2/a/r${index % 5}/manifests/${image.digest}`);
      await http.pushImage('churn', `v${index}`, 3000);
      await collectRegistry(ctx, store);
    }
  })();

  for (let round = 0; round < 3; round += 1) await backupRegistry(ctx, store, { to, files: [] });
  done = true;
  await churn;

  for (const id of await listSnapshots(to)) {
    const { store: copy, http: copied } = await restored(to, id);
    expect((await checkRegistry(ctx, copy)).problems).toEqual([]);
    for (const [index, { layer }] of pushed.slice(5).entries()) {
      const answer = await copied.send('GET', `/v2/a/r${index + 5}/blobs/${layer}`);
      expect(answer.status).toBe(200);
    }
  }
});

test('a backup that was damaged is not restored, and says so', async () => {
  const { http, store } = await serve();
  const to = join(await tempDir(), 'backup');
  const { layer } = await http.pushImage('a/b', 'v1', 5000);
  const { snapshot } = await backupRegistry(ctx, store, { to, files: [] });
  const content = await openDiskStore(contentPath(to));
  await writeFile(content.blobPath(layer), Buffer.alloc(5000));

  await expect(restored(to)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
  await expect(backupRegistry(ctx, store, { to, files: [], verify: true })).rejects.toMatchObject({
    code: 'CONTENT_MISMATCH',
  });
  const path = join(to, 'snapshots', `${snapshot}.json`);
  await writeFile(path, (await readFile(path, 'utf8')).replace('a/b', 'a/c'));
  await expect(chooseSnapshot(to, snapshot)).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
});

test('a restore that was interrupted goes on, and one over other images does not begin', async () => {
  const { http, store } = await serve();
  const to = join(await tempDir(), 'backup');
  await http.pushImage('a/b', 'v1', 5000);
  await backupRegistry(ctx, store, { to, files: [] });
  const target = await openDiskStore(await tempDir());
  const snapshot = await chooseSnapshot(to, undefined);
  const stop = new AbortController();
  const stopped = { ...ctx, signal: stop.signal };
  const records = {
    ...target.records,
    put: async (context: typeof ctx, key: string, value: unknown) => {
      await target.records.put(context, key, value);
      if (key.includes('/_manifests/')) throw new Error('pulled the plug');
    },
  };
  await expect(restoreRegistry(stopped, { ...target, records }, to, snapshot)).rejects.toThrow();

  expect(await restoreRegistry(ctx, target, to, snapshot)).toMatchObject({ copiedBlobs: 0 });
  await expect(restoreRegistry(ctx, target, to, snapshot)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
});

const command = (name: string) => {
  const found = REGISTRY_COMMANDS.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return (options: Record<string, unknown>) =>
    found.run(ctx, { args: { rest: [] }, options, given: new Set(), terminal: {} } as never);
};

describeWithPeers(['skopeo'], 'a registry from a backup', () => {
  test('has its users, certificates and images, and skopeo pulls from it', async () => {
    const [dir, other] = [join(await tempDir(), 'r'), join(await tempDir(), 'new')];
    const to = join(await tempDir(), 'backup');
    const made = { directory: dir, hosts: ['127.0.0.1'], port: 0, user: 'admin' };
    const { password } = await initRegistry(ctx, made);
    const seed = await startEmbeddedRegistry({ root: join(dir, 'data') });
    await registryHttp(seed.url).pushImage('a/b', 'v1', 5000);
    await seed.stop();

    await command('registry backup')({ dir, to, verify: false });
    await command('registry restore')({ dir: other, from: to });

    expect((await stat(to)).mode & 0o777).toBe(0o700);
    expect((await stat(join(other, 'htpasswd'))).mode & 0o777).toBe(0o600);
    expect(await readdir(join(other, 'tls'))).toEqual(await readdir(join(dir, 'tls')));
    const registry = await startEmbeddedRegistry({
      root: join(other, 'data'),
      auth: { htpasswd: join(other, 'htpasswd'), grants: join(other, 'grants.yaml') },
    });
    onTestFinished(registry.stop);
    const { stdout } = await run('skopeo', [
      ...['inspect', '--raw', '--tls-verify=false', '--creds', `admin:${password}`],
      `docker://${registry.host}/a/b:v1`,
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 2 });
  });
});
