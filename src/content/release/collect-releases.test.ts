import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { createMessage, generateKey, sign } from 'openpgp';
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryImages, tarOf } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { UPSTREAM } from '../../../test/support/upstream.ts';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import { recordingContext } from '../../core/context.ts';
import { createWeb } from '../../http/web.ts';
import type { Digest } from '../../oci/digest.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CollectDeps } from '../collecting.ts';
import { parseImageSet } from '../image-set/parse-image-set.ts';
import { collectReleases } from './collect-releases.ts';
import { loadReleaseKeys, type ReleaseKeys } from './signatures/release-keys.ts';
import { loadSigstoreKey } from './signatures/sigstore.ts';

const NOW = new Date('2027-06-01T00:00:00Z');
const GRAPH = join(UPSTREAM, 'graph-stable-4.18-amd64.json');
const STORE = `file://${join(UPSTREAM, 'signatures')}`;
const R4182 = 'sha256:89739c863a3df42e0e48b54ae715c308925d83465a5b831e7e77b227cf917169';
let releaseKeys: ReleaseKeys;

beforeAll(async () => {
  releaseKeys = await loadReleaseKeys([join(UPSTREAM, 'release-key.asc')]);
});

const setOf = (mirror: object) =>
  parseImageSet(
    JSON.stringify({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror,
    }),
    'isc.yaml',
  );

async function collect(platform: object, overrides: Partial<CollectDeps> = {}) {
  const ctx = recordingContext({ now: () => NOW });
  const deps = {
    source: upstreamSource,
    web: createWeb(),
    graph: GRAPH,
    signatureStores: [STORE],
    releaseKeys,
    ...overrides,
  };
  return { ...(await collectReleases(ctx, setOf({ platform }), deps)), events: ctx.events };
}

/** A signed release of any version in memory, with its graph and signature store on disk. */
async function madeRelease(version: string, options: { signed?: boolean } = {}) {
  const folder = await tempDir();
  const images = new MemoryImages();
  const layer = await images.addLayer([
    {
      name: 'release-manifests/image-references',
      content: JSON.stringify({
        kind: 'ImageStream',
        apiVersion: 'image.openshift.io/v1',
        metadata: { name: version },
        spec: { tags: [] },
      }),
    },
    {
      name: 'release-manifests/release-metadata',
      content: JSON.stringify({ kind: 'cincinnati-metadata-v0', version }),
    },
  ]);
  const { digest } = images.addImage([layer]);
  const { privateKey, publicKey } = await generateKey({
    userIDs: [{ name: 'x' }],
    format: 'object',
    date: new Date('2027-01-01'),
  });
  if (options.signed !== false) {
    const bytes = await signature(digest, privateKey);
    await mkdir(join(folder, digest.replace(':', '=')));
    await writeFile(join(folder, digest.replace(':', '='), 'signature-1'), bytes);
  }
  const payload = `quay.io/openshift-release-dev/ocp-release@${digest}`;
  const graph = join(folder, 'graph.json');
  await writeFile(graph, JSON.stringify({ nodes: [{ version, payload }], edges: [] }));
  const stores = [`file://${folder}`];
  return {
    images,
    digest,
    payload,
    deps: { source: () => images, graph, signatureStores: stores, releaseKeys: [publicKey] },
  };
}

async function signature(digest: Digest, signingKeys: Parameters<typeof sign>[0]['signingKeys']) {
  const text = JSON.stringify({
    critical: {
      type: 'atomic container signature',
      image: { 'docker-manifest-digest': digest },
      identity: { 'docker-reference': 'quay.io/a/b:9-signed' },
    },
  });
  const message = await createMessage({ binary: Buffer.from(text) });
  const date = new Date('2027-02-01');
  return (await sign({ message, signingKeys, date, format: 'binary' })) as Uint8Array;
}

describe('collectReleases', () => {
  test('takes the newest release of a channel with all its components, by digest', async () => {
    const { images, signatures, warnings, failures } = await collect({
      channels: [{ name: 'stable-4.18' }],
    });

    expect({ warnings, failures }).toEqual({ warnings: [], failures: [] });
    expect(images).toHaveLength(22);
    expect(images[0]).toMatchObject({
      kind: 'release',
      digest: R4182,
      reason: 'newest of channel stable-4.18',
      release: { version: '4.18.2', tag: '4.18.2-x86_64' },
      sigstore: 'wanted',
    });
    expect(images[1]).toMatchObject({
      kind: 'component',
      component: 'cli',
      reason: 'component of release 4.18.2-x86_64',
    });
    expect(images.every(({ source, digest }) => source.digest === digest)).toBe(true);
    expect(signatures).toMatchObject([{ digest: R4182, release: { tag: '4.18.2-x86_64' } }]);
  });

  test('takes the range and the shortest path', async () => {
    const range = { name: 'stable-4.18', minVersion: '4.18.1', maxVersion: '4.18.2' };

    const all = await collect({ channels: [range] });
    const path = await collect({ channels: [{ ...range, shortestPath: true }] });

    const releases = ({ images }: typeof all) =>
      images.filter(({ kind }) => kind === 'release').map(({ release }) => release?.tag);
    expect(releases(all)).toEqual(['4.18.1-x86_64', '4.18.2-x86_64']);
    expect(releases(path)).toEqual(releases(all));
    expect(all.images).toHaveLength(44);
  });

  test('takes platform.release by tag, whatever the graph says', async () => {
    const release = 'quay.io/openshift-release-dev/ocp-release:4.18.2-aarch64';

    const { images, failures } = await collect({ release }, { graph: '/nowhere' });

    expect(failures).toEqual([]);
    expect(images[0]).toMatchObject({
      reason: 'platform.release',
      source: { digest: expect.stringMatching(/^sha256:28a9/) },
      release: { tag: '4.18.2-aarch64' },
    });
    expect(formatReference(images[0]?.source as never)).not.toContain('4.18.2-aarch64');
  });

  test('collects the rest when one channel does not exist', async () => {
    const { images, failures } = await collect({
      channels: [{ name: 'stable-4.18' }, { name: 'stable-4.99' }],
    });

    expect(images).toHaveLength(22);
    expect(failures).toMatchObject([
      { subject: 'channel stable-4.99 for amd64', hint: expect.stringContaining('stable-4.18') },
    ]);
  });

  test('refuses a payload for another architecture than asked for', async () => {
    const { images, failures } = await collect({
      channels: [{ name: 'stable-4.18' }],
      architectures: ['arm64'],
    });

    expect(images).toEqual([]);
    expect(failures[0]?.message).toContain('it is for amd64, not arm64');
  });

  test('drops a release whose signature does not verify, unless told to ignore that', async () => {
    const platform = { channels: [{ name: 'stable-4.18' }] };
    const redHat = { releaseKeys: await loadReleaseKeys() };

    const strict = await collect(platform, redHat);
    const lax = await collect(platform, { ...redHat, ignoreReleaseSignature: true });

    expect(strict.images).toEqual([]);
    expect(strict.failures).toMatchObject([
      { subject: 'release 4.18.2', code: 'SIGNATURE_INVALID' },
    ]);
    expect(lax.images).toHaveLength(22);
    expect(lax.signatures).toEqual([]);
    expect(lax.warnings).toMatchObject([{ message: expect.stringContaining('not verified') }]);
    expect(lax.events).toContainEqual(
      expect.objectContaining({
        type: 'warning.raised',
        message: expect.stringContaining('THE RELEASE IS NOT VERIFIED'),
      }),
    );
  });

  test('verifies Sigstore signatures with a key', async () => {
    const sigstoreKey = await loadSigstoreKey(join(UPSTREAM, 'cosign.pub'));

    const { failures, warnings } = await collect(
      { channels: [{ name: 'stable-4.18' }] },
      { sigstoreKey },
    );

    expect({ failures, warnings }).toEqual({ failures: [], warnings: [] });
  });

  test('fails a release whose Sigstore signature another key made, however old the release', async () => {
    const sigstoreKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey;

    const { failures, warnings } = await collect(
      { channels: [{ name: 'stable-4.18' }] },
      { sigstoreKey },
    );

    expect(failures).toMatchObject([
      {
        subject: 'Sigstore signature of 4.18.2-x86_64',
        code: 'SIGNATURE_INVALID',
        message: expect.stringContaining('not made with this key'),
      },
    ]);
    expect(warnings).toEqual([]);
  });

  test('insists on a Sigstore signature from 4.21 on and warns before', async () => {
    const platform = { channels: [{ name: 'stable-4.20' }] };
    const older = await madeRelease('4.20.9');
    const newer = await madeRelease('4.21.0-rc.1');

    const before = await collect(platform, older.deps);
    const after = await collect(platform, newer.deps);

    expect(before.failures).toEqual([]);
    expect(before.warnings).toMatchObject([
      { message: expect.stringContaining('Cannot find the Sigstore signature') },
    ]);
    expect(after.failures).toMatchObject([
      { subject: 'Sigstore signature of 9-signed', code: 'SIGNATURE_MISSING' },
    ]);
    expect(after.images).toMatchObject([{ kind: 'release', sigstore: 'required' }]);
  });

  test('names the release by the tag that was signed, but pulls the digest', async () => {
    const made = await madeRelease('4.20.1');

    const { images } = await collect({ release: made.payload }, made.deps);

    expect(images[0]).toMatchObject({
      source: { digest: made.digest },
      release: { version: '4.20.1', tag: '9-signed' },
    });
  });

  test('does not take a release that is not there or is not signed', async () => {
    const unsigned = await madeRelease('4.20.1', { signed: false });
    const platform = { channels: [{ name: 'stable-4.20' }] };

    const missing = await collect(platform, {
      ...unsigned.deps,
      source: () => new MemoryImages(),
    });
    const notSigned = await collect(platform, unsigned.deps);

    expect(missing.failures).toMatchObject([{ code: 'IMAGE_UNKNOWN' }]);
    expect(notSigned.failures).toMatchObject([
      { code: 'SIGNATURE_MISSING', message: expect.stringContaining('Cannot find a signature') },
    ]);
    expect(notSigned.images).toEqual([]);
  });

  test('adds the graph image, and goes on when it cannot be built', async () => {
    const folder = await tempDir();
    const graphData = join(folder, 'graph-data.tar.gz');
    await writeFile(graphData, gzipSync(await tarOf([{ name: 'channels/a.yaml', content: 'a' }])));
    const base = new MemoryImages();
    base.addImage([], 'latest', { rootfs: { type: 'layers', diff_ids: [] } });
    const source: CollectDeps['source'] = (reference) =>
      reference.repository === 'ubi9/ubi' ? base : upstreamSource(reference);
    const platform = { graph: true, channels: [{ name: 'stable-4.18' }] };

    const built = await collect(platform, { source, graphData });
    const failed = await collect(platform, { graphData });

    expect(built.failures).toEqual([]);
    const graph = built.images.at(-1);
    expect(graph).toMatchObject({ kind: 'graph', reason: 'platform.graph' });
    await expect(
      graph?.from?.resolve(recordingContext(), graph.digest as Digest),
    ).resolves.toMatchObject({ digest: graph?.digest });
    expect(failed.failures).toMatchObject([{ subject: 'graph-data image' }]);
    expect(failed.images).toHaveLength(22);
  });

  test('adds what an update across channels has to pass, and says so', async () => {
    const folder = await tempDir();
    const payload = (n: string) => `quay.io/a/b@sha256:${n.padStart(64, '0')}`;
    const graph = (name: string, versions: string[], edges: number[][]) =>
      writeFile(
        join(folder, `amd64-${name}.json`),
        JSON.stringify({
          nodes: versions.map((version) => ({
            version,
            payload: payload(version.replaceAll('.', '')),
          })),
          edges,
        }),
      );
    await graph('stable-4.16', ['4.16.1', '4.16.9'], [[0, 1]]);
    await graph('stable-4.17', ['4.16.9', '4.17.3'], [[0, 1]]);
    await graph('stable-4.18', ['4.17.3', '4.18.2'], [[0, 1]]);
    const channels = [
      { name: 'stable-4.16', maxVersion: '4.16.1' },
      { name: 'stable-4.18', minVersion: '4.18.2' },
    ];

    const { failures, warnings } = await collect(
      { channels },
      { graph: folder, source: () => new MemoryImages() },
    );

    expect(failures.map(({ subject }) => subject)).toEqual([
      'release 4.16.1',
      'release 4.18.2',
      'release 4.16.9',
      'release 4.17.3',
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      '4.16.9, 4.17.3 added: on the update path from 4.16.1 to 4.18.2 across channels',
    ]);
  });
});
