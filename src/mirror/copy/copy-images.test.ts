import { expect, test } from 'vitest';
import { forPlatform, MemoryRegistry } from '../../../test/support/memory-content.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { DEFAULT_RETRY } from '../../core/retry.ts';
import { parsePlatform } from '../../oci/platform.ts';
import { copyImages } from './copy-images.ts';
import type { CopyOptions, ImageJob } from './job.ts';

const up = () => new MemoryRegistry('up.test');
const down = () => new MemoryRegistry('down.test');

function job(
  from: MemoryRegistry,
  to: MemoryRegistry,
  path: string,
  reference: string,
  extra: Partial<ImageJob> = {},
): ImageJob {
  return {
    source: from.repository(path),
    target: to.repository(path),
    reference,
    tags: reference.startsWith('sha256:') ? [] : [reference],
    from: `up.test/${path}:${reference}`,
    to: `down.test/${path}:${reference}`,
    ...extra,
  };
}

const copy = (images: ImageJob[], options: Partial<CopyOptions> = {}) =>
  copyImages(silentContext(), { images, ...options });

test('copyImages moves an image with its index and keeps every digest', async () => {
  const [a, b] = [up(), down()];
  const repository = a.repository('lib/app');
  const amd = repository.addImage(['base', 'amd']);
  const arm = repository.addImage(['base', 'arm']);
  const index = repository.addIndex([forPlatform(amd, 'amd64'), forPlatform(arm, 'arm64')], 'v1');

  const report = await copy([job(a, b, 'lib/app', 'v1', { reason: 'asked for' })]);

  const there = b.repository('lib/app');
  expect(there.tagged.get('v1')).toBe(index.digest);
  expect([...there.manifests.keys()].toSorted()).toEqual(
    [amd.digest, arm.digest, index.digest].toSorted(),
  );
  expect(report).toMatchObject({ copied: 1, skipped: 0, failed: 0 });
  expect(report.images[0]).toMatchObject({
    outcome: 'copied',
    digest: index.digest,
    attempts: 1,
    reason: 'asked for',
    copiedBytes: report.blobs.copiedBytes,
  });
});

test('copyImages asks the source once for a blob that many images share', async () => {
  const [a, b] = [up(), down()];
  const paths = ['one', 'two', 'three', 'four'];
  for (const path of paths) a.repository(path).addImage(['shared base', `only ${path}`], 'v1');

  const report = await copy(paths.map((path) => job(a, b, path, 'v1')));

  expect(report.copied).toBe(4);
  const base = a.repository('one').addBlob('shared base').digest;
  expect(a.calls.filter((call) => call.startsWith('get ') && call.endsWith(base))).toHaveLength(1);
  expect(b.calls.filter((call) => call.startsWith('put ') && call.endsWith(base))).toHaveLength(1);
  expect(report.blobs).toMatchObject({ mounted: 3, copied: 9 });
});

test('copyImages mounts what a complete image of another repository has', async () => {
  const [a, b] = [up(), down()];
  a.repository('old').addImage(['shared base', 'only old'], 'v1');
  await copy([job(a, b, 'old', 'v1')]);
  a.repository('new').addImage(['shared base', 'only new'], 'v1');
  a.calls.length = 0;

  const report = await copy([job(a, b, 'old', 'v1'), job(a, b, 'new', 'v1')]);

  expect(report).toMatchObject({ copied: 1, skipped: 1, blobs: { mounted: 1, copied: 2 } });
  const base = a.repository('old').addBlob('shared base').digest;
  expect(a.calls.filter((call) => call.endsWith(base))).toEqual([]);
  expect(b.repository('new').blobs.has(base)).toBe(true);
});

test('copyImages moves what a complete image has lost', async () => {
  const [a, b] = [up(), down()];
  for (const path of ['old', 'new']) a.repository(path).addImage(['shared base', path], 'v1');
  const base = a.repository('old').addBlob('shared base').digest;
  await copy([job(a, b, 'old', 'v1')]);
  b.repository('old').blobs.delete(base);

  const report = await copy([job(a, b, 'old', 'v1'), job(a, b, 'new', 'v1')]);

  expect(report).toMatchObject({ copied: 1, failed: 0 });
  expect(b.repository('new').blobs.has(base)).toBe(true);
});

test('copyImages asks the source once for what a complete image has lost', async () => {
  const [a, b] = [up(), down()];
  const paths = ['old', 'one', 'two', 'three'];
  for (const path of paths) a.repository(path).addImage(['shared base', path], 'v1');
  const base = a.repository('old').addBlob('shared base').digest;
  await copy([job(a, b, 'old', 'v1')]);
  b.repository('old').blobs.delete(base);
  a.calls.length = 0;

  const report = await copy(paths.map((path) => job(a, b, path, 'v1')));

  expect(report).toMatchObject({ copied: 3, skipped: 1, failed: 0, blobs: { mounted: 2 } });
  expect(a.calls.filter((call) => call.startsWith('get ') && call.endsWith(base))).toHaveLength(1);
});

test.each([
  ['mounts', true, { copied: 0, mounted: 3 }],
  ['moves, where mounts are refused,', false, { copied: 3, mounted: 0 }],
] as const)(
  'copyImages %s what another repository of one registry has',
  async (_name, mounts, blobs) => {
    const a = up();
    const image = a.repository('dev/app').addImage(['base', 'app'], 'v1');
    const target = a.repository('prod/app');
    if (!mounts) target.mount = async () => false;

    const report = await copy([job(a, a, 'dev/app', 'v1', { target })]);

    expect(report).toMatchObject({ copied: 1, blobs });
    expect(target.tagged.get('v1')).toBe(image.digest);
    expect(a.count('get')).toBe(blobs.copied);
  },
);

test('copyImages looks into complete images only when something has to be moved, and only if it pays', async () => {
  const [a, b] = [up(), down()];
  const paths = ['one', 'two', 'three'];
  for (const path of paths) a.repository(path).addImage(['shared base', path], 'v1');
  const old = paths.map((path) => job(a, b, path, 'v1'));
  await copy(old);
  b.calls.length = 0;

  await copy(old);
  expect(b.count('read')).toBe(0);

  a.repository('four').addImage(['a few bytes'], 'v1');
  await copy([...old, job(a, b, 'four', 'v1')]);
  expect(b.count('read')).toBe(1);
});

test('copyImages takes the bytes from a neighbour at the target when a mount is refused', async () => {
  const [a, b] = [up(), down()];
  for (const path of ['one', 'two']) a.repository(path).addImage(['shared base'], 'v1');
  for (const path of ['one', 'two']) b.repository(path).mount = async () => false;

  const report = await copy([job(a, b, 'one', 'v1'), job(a, b, 'two', 'v1')]);

  expect(report.copied).toBe(2);
  expect(a.count('get')).toBe(2);
  expect(b.count('get')).toBe(2);
});

test('copyImages asks once for a new image, as soon as it knows that images are new', async () => {
  const [a, b] = [up(), down()];
  const tags = Array.from({ length: 30 }, (_, n) => `v${n}`);
  for (const tag of tags) a.repository('app').addImage(['base', tag], tag);

  await copy(tags.map((tag) => job(a, b, 'app', tag)));

  const [found, resolved, read] = ['find', 'resolve', 'read'].map((verb) => a.count(verb));
  expect(found).toBeGreaterThanOrEqual(20);
  expect([resolved, read]).toEqual([30 - Number(found), 30 - Number(found)]);
  const images = new Set(b.repository('app').manifests.keys());
  expect(b.count('resolve')).toBe(30);
  expect(b.calls.filter((call) => images.has(call.replace('has app ', '')))).toEqual([]);
});

test('copyImages sends nothing of an image that the target has without any of its tags', async () => {
  const [a, b] = [up(), down()];
  const { digest } = a.repository('app').addImage(['base', 'more'], 'v1');
  await copy([job(a, b, 'app', digest)]);
  a.calls.length = 0;

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report).toMatchObject({ copied: 1, blobs: { copied: 0, reused: 3 } });
  expect(b.repository('app').tagged.get('v1')).toBe(digest);
  expect(a.count('get')).toBe(0);
});

test('copyImages has nothing to do the second time, and asks little to know that', async () => {
  const [a, b] = [up(), down()];
  for (const tag of ['v1', 'v2', 'v3']) a.repository('app').addImage(['base', tag], tag);
  const jobs = ['v1', 'v2', 'v3'].map((tag) => job(a, b, 'app', tag));
  await copy(jobs);
  a.calls.length = 0;
  b.calls.length = 0;

  const report = await copy(jobs);

  expect(report).toMatchObject({ copied: 0, skipped: 3, failed: 0 });
  expect(a.calls.filter((call) => !call.startsWith('referrers '))).toEqual([
    'resolve app v1',
    'tags app ',
    'resolve app v2',
    'resolve app v3',
  ]);
  expect(b.calls).toEqual(['resolve app v1', 'resolve app v2', 'resolve app v3']);
});

test('copyImages does not ask the source at all for a digest that the target has', async () => {
  const [a, b] = [up(), down()];
  const { digest } = a.repository('app').addImage(['base']);
  const byDigest = job(a, b, 'app', digest, { tags: ['v1'], signatures: false });
  await copy([byDigest]);
  a.calls.length = 0;

  const report = await copy([byDigest]);

  expect(report.skipped).toBe(1);
  expect(a.calls).toEqual([]);
});

test('copyImages only sets the tag when the target has the image under another one', async () => {
  const [a, b] = [up(), down()];
  const { digest } = a.repository('app').addImage(['base'], 'v1');
  await copy([job(a, b, 'app', 'v1')]);
  a.calls.length = 0;

  const report = await copy([job(a, b, 'app', digest, { tags: ['v1', 'latest'] })]);

  expect(report.copied).toBe(1);
  expect(b.repository('app').tagged.get('latest')).toBe(digest);
  expect(a.count('get')).toBe(0);
});

test('copyImages lets one bad image cost only itself', async () => {
  const [a, b] = [up(), down()];
  for (let n = 0; n < 20; n += 1) a.repository(`app-${n}`).addImage(['base', `layer ${n}`], 'v1');
  a.repository('app-7').blobs.delete(a.repository('app-7').addBlob('layer 7').digest);
  const jobs = Array.from({ length: 20 }, (_, n) => job(a, b, `app-${n}`, 'v1'));
  jobs.push(job(a, b, 'absent', 'v1'));

  const report = await copy(jobs);

  expect(report).toMatchObject({ copied: 19, failed: 2 });
  expect(report.images[7]).toMatchObject({ outcome: 'failed', error: { code: 'CONTENT_MISSING' } });
  expect(report.images[20]).toMatchObject({ outcome: 'failed', error: { code: 'IMAGE_UNKNOWN' } });
  expect(b.repository('app-7').tagged.has('v1')).toBe(false);
});

test('copyImages takes a blob from another repository when the first source fails', async () => {
  const [a, b] = [up(), down()];
  a.repository('one').addImage(['shared'], 'v1');
  a.repository('two').addImage(['shared', 'more'], 'v1');
  const shared = a.repository('two').addBlob('shared').digest;
  a.repository('one').blobs.delete(shared);

  const report = await copy([job(a, b, 'one', 'v1'), job(a, b, 'two', 'v1')]);

  expect(report).toMatchObject({ copied: 2, failed: 0 });
});

test('copyImages refuses bytes that are not what the manifest says', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['good'], 'v1');
  a.repository('app').blobs.set(a.repository('app').addBlob('good').digest, Buffer.from('evil'));

  const report = await copy([job(a, b, 'app', 'v1')], { retry: { rounds: 1 } });

  expect(report.images[0]).toMatchObject({
    outcome: 'failed',
    error: { code: 'CONTENT_MISMATCH' },
  });
});

test('copyImages does not let a descriptor with a wrong size spoil an honest image', async () => {
  const [a, b] = [up(), down()];
  a.repository('good').addImage(['shared'], 'v1');
  const bad = a.repository('bad');
  const layer = bad.addBlob('shared');
  const config = bad.addBlob('{}', 'application/vnd.oci.image.config.v1+json');
  bad.add(
    {
      schemaVersion: 2,
      config,
      layers: [{ ...layer, size: 999 }],
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
    },
    'v1',
  );

  const report = await copy([job(a, b, 'bad', 'v1'), job(a, b, 'good', 'v1')], {
    retry: { rounds: 1 },
  });

  expect(report.images.map(({ outcome }) => outcome)).toEqual(['failed', 'copied']);
});

test('copyImages tries again what failed for a reason that passes', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['base'], 'v1');
  let failures = 1;
  b.repository('app').hook = (operation) => {
    if (operation !== 'putManifest' || failures === 0) return;
    failures -= 1;
    throw new AtollError('REGISTRY_UNAVAILABLE', 'It is restarting');
  };

  const report = await copy([job(a, b, 'app', 'v1')]);

  const { copiedBytes } = report.blobs;
  expect(copiedBytes).toBeGreaterThan(0);
  expect(report.images[0]).toMatchObject({ outcome: 'copied', attempts: 2, copiedBytes });
  expect(a.count('get')).toBe(2);
});

test('copyImages refuses an index that contains itself', async () => {
  const [a, b] = [up(), down()];
  const repository = a.repository('app');
  const inner = repository.addIndex([]);
  const outer = repository.addIndex([inner], 'v1');
  // No honest digest allows this, so the source has to lie.
  const lie = repository.manifests.get(outer.digest);
  if (lie) repository.manifests.set(inner.digest, { ...lie, descriptor: inner, children: [outer] });

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report.images[0]?.error).toMatchObject({
    code: 'MANIFEST_INVALID',
    message: expect.stringContaining('contains itself') as string,
  });
});

test('copyImages refuses indexes that are nested without end', async () => {
  const [a, b] = [up(), down()];
  let inner = a.repository('app').addImage(['base']);
  for (let depth = 0; depth < 12; depth += 1) inner = a.repository('app').addIndex([inner]);

  const report = await copy([job(a, b, 'app', inner.digest)]);

  expect(report.images[0]?.error?.message).toContain('nested more than');
});

test('copyImages names the child that an index promises and the source lacks', async () => {
  const [a, b] = [up(), down()];
  const child = a.repository('elsewhere').addImage(['base']);
  a.repository('app').addIndex([forPlatform(child, 'amd64')], 'v1');

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report.images[0]?.error?.message).toContain(child.digest);
});

test('copyImages leaves foreign layers where they are', async () => {
  const [a, b] = [up(), down()];
  const repository = a.repository('windows');
  const layer = { ...repository.addBlob('here'), urls: [] };
  const foreign = {
    mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip',
    digest: `sha256:${'f'.repeat(64)}`,
    size: 1_000_000,
    urls: ['https://elsewhere.test/layer'],
  };
  const config = repository.addBlob('{}', 'application/vnd.oci.image.config.v1+json');
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  repository.add({ schemaVersion: 2, mediaType, config, layers: [foreign, layer] }, 'v1');

  const report = await copy([job(a, b, 'windows', 'v1')]);

  expect(report.copied).toBe(1);
  expect(a.calls.some((call) => call.includes(foreign.digest))).toBe(false);
});

test('copyImages stops when it is told to, and the next run does not begin again', async () => {
  const [a, b] = [up(), down()];
  const paths = Array.from({ length: 30 }, (_, n) => `app-${n}`);
  for (const path of paths) a.repository(path).addImage(['base', `layer of ${path}`], 'v1');
  const stop = new AbortController();
  let puts = 0;
  for (const path of paths) {
    b.repository(path).hook = (operation) => {
      puts += operation === 'put' ? 1 : 0;
      if (puts === 20) stop.abort(new AtollError('INTERRUPTED', 'Stopped'));
    };
  }
  const jobs = paths.map((path) => job(a, b, path, 'v1'));

  const interrupted = copyImages(silentContext({ signal: stop.signal }), { images: jobs });

  await expect(interrupted).rejects.toMatchObject({ code: 'INTERRUPTED' });
  const before = a.count('get');
  expect(before).toBeLessThan(61);
  for (const path of paths) b.repository(path).hook = () => undefined;
  const report = await copy(jobs);
  expect(report.failed).toBe(0);
  // Only blobs that were on their way are fetched twice.
  expect(a.count('get')).toBeLessThanOrEqual(61 + 8);
});

test('copyImages brings signatures along, also those of the images in an index', async () => {
  const [a, b] = [up(), down()];
  const repository = a.repository('app');
  const amd = repository.addImage(['amd']);
  const index = repository.addIndex([forPlatform(amd, 'amd64')], 'v1');
  const tagOf = (digest: string, suffix: string) => `${digest.replace(':', '-')}.${suffix}`;
  repository.addImage(['signature'], tagOf(index.digest, 'sig'));
  repository.addImage(['child signature'], tagOf(amd.digest, 'sig'));
  repository.addImage(['bill of materials'], tagOf(amd.digest, 'sbom'));
  const sbom = repository.addImage(['referrer'], undefined, { subject: index });
  repository.addImage(['referrer of referrer'], undefined, { subject: sbom });

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report.images[0]).toMatchObject({ outcome: 'copied', attachments: 5 });
  expect([...b.repository('app').tagged.keys()].toSorted()).toEqual(
    [...repository.tagged.keys()].toSorted(),
  );
  expect(b.repository('app').manifests.size).toBe(repository.manifests.size);
});

test('copyImages brings a signature that came later, though the image is there', async () => {
  const [a, b] = [up(), down()];
  const image = a.repository('app').addImage(['base'], 'v1');
  await copy([job(a, b, 'app', 'v1')]);
  a.repository('app').addImage(['signature'], `${image.digest.replace(':', '-')}.sig`);

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report.images[0]).toMatchObject({ outcome: 'copied', attachments: 1 });
  expect(b.repository('app').tagged.size).toBe(2);
});

test('copyImages leaves signatures behind when asked to', async () => {
  const [a, b] = [up(), down()];
  const image = a.repository('app').addImage(['base'], 'v1');
  a.repository('app').addImage(['signature'], `${image.digest.replace(':', '-')}.sig`);

  await copy([job(a, b, 'app', 'v1')], { signatures: false });

  expect(b.repository('app').tagged.size).toBe(1);
});

test('copyImages asks for each signature by name where tags cannot be listed', async () => {
  const [a, b] = [up(), down()];
  const image = a.repository('app').addImage(['base'], 'v1');
  a.repository('app').addImage(['signature'], `${image.digest.replace(':', '-')}.sig`);
  a.repository('app').hook = (operation) => {
    if (operation === 'tags') throw new AtollError('REGISTRY_DENIED', 'No');
  };

  await copy([job(a, b, 'app', 'v1')]);

  expect(b.repository('app').tagged.size).toBe(2);
});

function multiArch(registry: MemoryRegistry) {
  const repository = registry.repository('app');
  const children = ['amd64', 'arm64', 's390x'].map((architecture) =>
    forPlatform(repository.addImage(['base', architecture]), architecture),
  );
  return { index: repository.addIndex(children, 'v1'), children };
}

test('copyImages makes a sparse copy: the index as it is, the chosen platforms below it', async () => {
  const [a, b] = [up(), down()];
  const { index, children } = multiArch(a);
  const there = b.repository('app');
  there.acceptsSparse = true;
  const platforms = [parsePlatform('linux/arm64'), parsePlatform('s390x')];

  const report = await copy([job(a, b, 'app', 'v1', { shape: 'sparse', platforms })]);

  expect(report.copied).toBe(1);
  expect(there.tagged.get('v1')).toBe(index.digest);
  expect(there.manifests.has(children[0]?.digest ?? '')).toBe(false);
  expect(there.manifests.size).toBe(3);

  const whole = await copy([job(a, b, 'app', 'v1')]);

  expect(whole.images[0]?.outcome).toBe('copied');
  expect(there.manifests.size).toBe(4);
});

test('copyImages copies the one image of a platform under its own digest', async () => {
  const [a, b] = [up(), down()];
  const { children } = multiArch(a);
  const platforms = [parsePlatform('linux/arm64')];

  await copy([job(a, b, 'app', 'v1', { shape: 'single', platforms })]);

  expect(b.repository('app').tagged.get('v1')).toBe(children[1]?.digest);
  expect(b.repository('app').manifests.size).toBe(1);
});

test('copyImages says which platforms there are when the chosen one is missing', async () => {
  const [a, b] = [up(), down()];
  multiArch(a);
  const platforms = [parsePlatform('linux/riscv64')];

  const report = await copy([job(a, b, 'app', 'v1', { shape: 'sparse', platforms })]);

  expect(report.images[0]?.error).toMatchObject({
    code: 'IMAGE_UNKNOWN',
    hint: 'It has linux/amd64, linux/arm64, linux/s390x',
  });
});

test('copyImages tells of bytes and images as it goes', async () => {
  const [a, b] = [up(), down()];
  for (const tag of ['v1', 'v2']) a.repository('app').addImage(['base', tag], tag);
  const ctx = recordingContext();

  const report = await copyImages(ctx, {
    images: [job(a, b, 'app', 'v1'), job(a, b, 'app', 'v2')],
  });

  const started = ctx.events.find(
    (event) => event.type === 'task.started' && event.task === 'copy',
  );
  expect(started).toMatchObject({ totalItems: 2, totalBytes: report.blobs.copiedBytes });
  expect(ctx.events.filter((event) => event.type === 'image.copied')).toHaveLength(2);
  expect(ctx.events.filter((event) => event.type === 'blob.copied')).toHaveLength(5);
  expect(ctx.events.at(-1)).toMatchObject({ type: 'task.finished', task: 'copy' });
});

test('copyImages ends its task as failed when an image failed', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['base'], 'v1');
  const ctx = recordingContext();

  await copyImages(ctx, { images: [job(a, b, 'app', 'v1'), job(a, b, 'app', 'absent')] });

  const message = expect.stringContaining('1 image failed, ');
  expect(ctx.events.at(-1)).toMatchObject({ type: 'task.failed', task: 'copy', message });
});

test('copyImages calls no round good after which an image is tried again', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['base'], 'v1');
  let first = true;
  a.repository('app').hook = () => {
    if (first) throw new AtollError('REGISTRY_UNAVAILABLE', 'away for a moment');
  };
  const ctx = recordingContext();
  const emit: typeof ctx.emit = (event) => {
    if (event.type === 'task.failed' && event.task === 'copy') first = false;
    ctx.emit(event);
  };

  const report = await copyImages({ ...ctx, emit }, { images: [job(a, b, 'app', 'v1')] });

  expect(report).toMatchObject({ copied: 1, failed: 0, images: [{ attempts: 2 }] });
  const ends = ctx.events.flatMap((event) =>
    event.type === 'task.failed' || event.type === 'task.finished'
      ? [`${event.type} ${event.task}`]
      : [],
  );
  expect(ends).toEqual([
    'task.failed plan',
    'task.failed copy',
    'task.finished plan',
    'task.finished copy',
  ]);
});

test('copyImages never has more blobs under way than it may', async () => {
  const [a, b] = [up(), down()];
  const layers = Array.from({ length: 40 }, (_, n) => `layer ${n}`);
  a.repository('app').addImage(layers, 'v1');
  let active = 0;
  let most = 0;
  const target = b.repository('app');
  const put = target.putBlob.bind(target);
  target.putBlob = async (ctx, blob, chunks) => {
    active += 1;
    most = Math.max(most, active);
    await put(ctx, blob, chunks);
    active -= 1;
  };

  await copy([job(a, b, 'app', 'v1')], { concurrency: 3 });

  expect(most).toBe(3);
});

test('copyImages sends a blob again that the target said it has and then does not know', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['lost'], 'v1');
  const target = b.repository('app');
  const has = target.has.bind(target);
  target.has = async (ctx, descriptor) =>
    descriptor.mediaType.includes('layer') || (await has(ctx, descriptor));

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report).toMatchObject({ copied: 1, failed: 0 });
  expect(target.blobs.size).toBe(2);
});

test('copyImages tries again to send a blob that the target does not know', async () => {
  const [a, b] = [up(), down()];
  a.repository('app').addImage(['lost'], 'v1');
  const lost = a.repository('app').addBlob('lost').digest;
  const target = b.repository('app');
  const has = target.has.bind(target);
  target.has = async (ctx, descriptor) =>
    descriptor.mediaType.includes('layer') || (await has(ctx, descriptor));
  let failures = DEFAULT_RETRY.attempts;
  a.repository('app').hook = (operation, digest) => {
    if (operation !== 'get' || digest !== lost || failures === 0) return;
    failures -= 1;
    throw new AtollError('REGISTRY_UNAVAILABLE', 'Away', { details: { retryAfterMs: 0 } });
  };

  const report = await copy([job(a, b, 'app', 'v1')]);

  expect(report.images[0]).toMatchObject({ outcome: 'copied', attempts: 2 });
  expect(target.blobs.has(lost)).toBe(true);
});

test('copyImages says what to do when a registry takes no sparse index', async () => {
  const [a, b] = [up(), down()];
  multiArch(a);
  const platforms = [parsePlatform('linux/arm64')];

  const report = await copy([job(a, b, 'app', 'v1', { shape: 'sparse', platforms })]);

  expect(report.images[0]?.error).toMatchObject({
    code: 'INDEX_SPARSE_REFUSED',
    message: expect.stringContaining('sparse index') as string,
    hint: expect.stringContaining('Copy all platforms') as string,
  });
});

test('copyImages believes what the target said ahead of time, and asks where that failed', async () => {
  const [a, b] = [up(), down()];
  const root = a.repository('app').addImage(['base'], 'v1');
  await copy([job(a, b, 'app', 'v1')]);
  const target = b.repository('app');
  let questions = 0;
  const read = {
    ...target.can.read,
    resolve: async () => {
      questions += 1;
      return root;
    },
  };
  const asking = (early: () => Promise<{ found: typeof root; tookMs: number }>) => ({
    target: Object.assign(Object.create(target), {
      can: { ...target.can, read, asked: () => early() },
    }),
  });

  const believed = asking(async () => ({ found: root, tookMs: 1 }));
  expect(await copy([job(a, b, 'app', 'v1', believed)])).toMatchObject({ skipped: 1 });
  expect(questions).toBe(0);

  const failed = asking(() => Promise.reject(new Error('cable out')));
  expect(await copy([job(a, b, 'app', 'v1', failed)])).toMatchObject({ skipped: 1 });
  expect(questions).toBe(1);
});
