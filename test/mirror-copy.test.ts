import { execFile } from 'node:child_process';
import { setMaxListeners } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import type { AtollEvent } from '../src/core/events.ts';
import { copyImages } from '../src/mirror/copy/copy-images.ts';
import type { CopyOptions, ImageJob } from '../src/mirror/copy/job.ts';
import { copyImage } from '../src/mirror/copy-image.ts';
import { parseImageLocation } from '../src/mirror/image-location.ts';
import { parsePlatform } from '../src/oci/platform.ts';
import { parseReference, tagOrDigestOf } from '../src/oci/reference.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { openDiskStore } from '../src/store/disk/disk-store.ts';
import { layoutSource } from '../src/store/layout/source.ts';
import { layoutTarget } from '../src/store/layout/target.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { MemoryRegistry } from './support/memory-content.ts';
import { describeWithPeers } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { publishUpstream, upstreamEntries } from './support/upstream.ts';

const HELLO = 'openshifttest/hello-openshift:multiarch';
const run = promisify(execFile);

let upstream: DockerRegistry;
let mirror: DockerRegistry;
let embedded: EmbeddedRegistry;
let registries: Registries;

beforeAll(async () => {
  [upstream, mirror] = await Promise.all([startDockerRegistry(), startDockerRegistry()]);
  embedded = await startEmbeddedRegistry();
  registries = createRegistries({ insecure: true, env: {} });
  await publishUpstream(upstream.url);
});

afterAll(async () => {
  await registries.close();
  await Promise.all([upstream.stop(), mirror.stop(), embedded.stop()]);
});

/** Every image of the upstream, each to the same path of another registry. */
async function jobsTo(host: string): Promise<ImageJob[]> {
  const entries = await upstreamEntries();
  return entries.map((entry) => {
    const reference = parseReference(entry.reference.replace(/^[^/]+/, upstream.host));
    const { repository, tag } = reference;
    return {
      source: registries.source(reference),
      target: registries.repository(host, repository),
      reference: tagOrDigestOf(reference),
      tags: tag === undefined ? [] : [tag],
      from: entry.reference,
      to: `${host}/${repository}`,
      sourceRepository: `${upstream.host}/${repository}`,
    };
  });
}

const copyAll = (images: ImageJob[], options: Partial<CopyOptions> = {}) =>
  copyImages(silentContext(), {
    images,
    limiter: (registry) => registries.limiter(registry),
    ...options,
  });

function copiedIn(events: readonly AtollEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'blob.copied' ? [event.digest] : []));
}

function copy(from: string, to: string, options = {}) {
  return copyImage(silentContext(), {
    from: parseImageLocation(from),
    to: parseImageLocation(to),
    registries,
    platforms: [],
    sparse: false,
    signatures: true,
    ...options,
  });
}

async function digestsAt(host: string): Promise<string[]> {
  const entries = await upstreamEntries();
  const asked = entries.map(async (entry) => {
    const { repository, tag, digest } = parseReference(entry.reference);
    const found = await registries
      .repository(host, repository)
      .resolve(silentContext(), digest ?? tag ?? '');
    return `${entry.reference} ${found?.digest}`;
  });
  return await Promise.all(asked);
}

describeWithPeers(['docker-registry', 'skopeo'], 'copyImages between real registries', () => {
  test('moves the whole upstream, each blob once, and then has nothing to do', async () => {
    const images = await jobsTo(mirror.host);
    const expected = (await upstreamEntries()).map(
      ({ reference, digest }) => `${reference} ${digest}`,
    );

    const first = await copyAll(images);
    const second = await copyAll(images);

    expect(first.images.filter(({ error }) => error)).toEqual([]);
    expect(await digestsAt(mirror.host)).toEqual(expected);
    expect(first.blobs.mounted).toBeGreaterThan(0);
    expect(second).toMatchObject({ skipped: images.length, failed: 0 });
    expect(second.blobs).toMatchObject({ copied: 0, mounted: 0, reused: 0 });
  });

  test('moves the whole upstream into the embedded registry', async () => {
    const images = await jobsTo(embedded.host);

    const report = await copyAll(images);

    expect(report.failed).toBe(0);
    expect(await digestsAt(embedded.host)).toEqual(await digestsAt(upstream.host));
    const uploads = embedded.access.filter(
      ({ method, status }) => method === 'PUT' && status === 201,
    );
    expect(uploads.length).toBeGreaterThan(images.length);
  });

  test('fills a layout and empties it into another registry', async () => {
    const store = await openDiskStore(join(await tempDir(), 'layout'));
    const images = (await jobsTo(mirror.host)).slice(0, 12);

    const saved = await copyAll(images.map((job) => ({ ...job, target: layoutTarget(store) })));
    const loaded = await copyAll(
      images.map((job, n) => ({
        ...job,
        source: layoutSource(store),
        sourceRepository: undefined,
        reference: saved.images[n]?.digest ?? '',
        target: registries.repository(mirror.host, `loaded/${n}`),
      })),
    );

    expect([saved.failed, loaded.failed]).toEqual([0, 0]);
    expect(loaded.blobs.copiedBytes).toBeGreaterThan(0);
  });

  test('goes on after an interruption without moving again what has arrived', async () => {
    const images = (await jobsTo(mirror.host)).slice(0, 30);
    const target = registries.repository(mirror.host, 'again');
    const jobs = images.map((job, n) => ({ ...job, target, tags: [`n${n}`] }));
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const [first, second] = [recordingContext({ signal: stop.signal }), recordingContext()];
    const emit: typeof first.emit = (event) => {
      first.emit(event);
      if (copiedIn(first.events).length === 15) {
        stop.abort(new AtollError('INTERRUPTED', 'Stopped'));
      }
    };

    await expect(copyImages({ ...first, emit }, { images: jobs })).rejects.toMatchObject({
      code: 'INTERRUPTED',
    });
    const report = await copyImages(second, { images: jobs });

    expect(report.failed).toBe(0);
    const arrived = copiedIn(first.events);
    expect(arrived.length).toBeGreaterThanOrEqual(15);
    expect(report.blobs.copied).toBeGreaterThan(0);
    expect(copiedIn(second.events).filter((digest) => arrived.includes(digest))).toEqual([]);
  });

  test('mounts what the images of an earlier run have, in whatever repository', async () => {
    const source = new MemoryRegistry('made.test');
    const base = 'a base of a megabyte'.repeat(52_429);
    const names = ['old', 'new', 'newer'];
    for (const name of names) source.repository(name).addImage([base, `only ${name}`], 'v1');
    for (const { host } of [mirror, embedded]) {
      const images = names.map((name) => ({
        source: source.repository(name),
        target: registries.repository(host, `grown/${name}`),
        reference: 'v1',
        tags: ['v1'],
        from: `made.test/${name}:v1`,
        to: `${host}/grown/${name}:v1`,
      }));

      await copyAll(images.slice(0, 1));
      const report = await copyAll(images);

      expect(report).toMatchObject({ skipped: 1, copied: 2, failed: 0 });
      expect(report.blobs).toMatchObject({ copied: 4, mounted: 2, mountedBytes: 2 * base.length });
    }
  });

  test('refuses a sparse index where the registry does, and makes one where it may', async () => {
    const options = { platforms: [parsePlatform('linux/arm64')], sparse: true };
    const source = `docker://${upstream.host}/${HELLO}`;

    const refused = copy(source, `docker://${mirror.host}/sparse/hello:v1`, options);
    const made = copy(source, `docker://${embedded.host}/sparse/hello:v1`, options);

    await expect(refused).rejects.toMatchObject({ code: 'INDEX_SPARSE_REFUSED' });
    expect(await made).toMatchObject({ outcome: 'copied' });
  });

  test('skopeo reads what we wrote, and we what it wrote', async () => {
    const folder = await tempDir();
    const ours = await copy(
      `docker://${upstream.host}/${HELLO}`,
      `docker://${mirror.host}/ours:v1`,
    );

    const flags = ['--all', '--preserve-digests', '--insecure-policy'];
    const insecure = ['--src-tls-verify=false', '--dest-tls-verify=false'];
    const theirs = `docker://${mirror.host}/theirs:v1`;
    await run('skopeo', ['copy', ...flags, ...insecure, `docker://${mirror.host}/ours:v1`, theirs]);
    const back = await copy(theirs, `oci:${folder}/back:v1`);

    expect(back.digest).toBe(ours.digest);
  });
});

describeWithPeers(['docker-registry'], 'atoll mirror copy', () => {
  const atoll = (...args: string[]) =>
    run(process.execPath, [join(import.meta.dirname, '..', 'dist', 'cli', 'main.js'), ...args]);

  test('copies one image with its signature and prints its digest', async () => {
    const signed = (await upstreamEntries()).find(({ reference }) => reference.endsWith('.sig'));
    const [, path = '', hex = ''] =
      /^[^/]+\/(.+):sha256-([0-9a-f]+)\.sig$/.exec(signed?.reference ?? '') ?? [];
    const image = `sha256:${hex}`;

    const { stdout } = await atoll(
      ...['mirror', 'copy', '--insecure', '--output', 'json'],
      ...[`docker://${upstream.host}/${path}@${image}`, `docker://${mirror.host}/cli/signed:v1`],
    );

    expect(JSON.parse(stdout)).toMatchObject({ digest: image, outcome: 'copied' });
    const target = registries.repository(mirror.host, 'cli/signed');
    expect(await target.resolve(silentContext(), `sha256-${hex}.sig`)).toBeDefined();
    expect((await target.resolve(silentContext(), 'v1'))?.digest).toBe(image);
  });

  test('ends with 4 and a hint for an image that is not there, with 2 for nonsense', async () => {
    const nowhere = join(await tempDir(), 'x');
    const absent = `docker://${upstream.host}/nope:v1`;

    await expect(
      atoll('mirror', 'copy', '--insecure', absent, `oci:${nowhere}`),
    ).rejects.toMatchObject({
      code: 4,
      stderr: expect.stringContaining('IMAGE_UNKNOWN') as string,
    });
    await expect(
      atoll('mirror', 'copy', 'quay.io/org/app:v1', `oci:${nowhere}`),
    ).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining('docker://quay.io/org/app:v1') as string,
    });
  });
});
