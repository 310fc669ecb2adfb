import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import { followRegistry } from '../src/mirror/follow/follow.ts';
import { digestOf } from '../src/oci/digest.ts';
import { checkRegistry } from '../src/registry/upkeep/check.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { openS3Store } from '../src/store/s3/s3-store.ts';
import { killChild, messageFrom, startChild } from './support/child.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { startLoadBalancer } from './support/load-balancer.ts';
import { describeWithPeers } from './support/peers.ts';
import { registryHttp } from './support/registry-http.ts';
import { createBucket, S3_CREDENTIALS, S3_SERVERS } from './support/s3-servers.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const run = promisify(execFile);
const ctx = silentContext();
const IMAGES = 12;

/** A bucket, two registries over it in processes of their own, and a load balancer before them. */
async function balanced(endpoint: string) {
  await createBucket(endpoint, 'shared');
  const module = join(import.meta.dirname, 'support/children/s3-registry.ts');
  const start = async () => {
    const child = await startChild(module, [endpoint, 'shared']);
    return { child, url: String(await messageFrom(child)) };
  };
  const [one, two] = await Promise.all([start(), start()]);
  const store = openS3Store({ bucket: 'shared', endpoint, credentials: S3_CREDENTIALS });
  onTestFinished(() => store.close());
  return { one, two, store, balancer: await startLoadBalancer([one.url, two.url]) };
}

async function losesNothing(endpoint: string): Promise<void> {
  const { one, two, store, balancer } = await balanced(endpoint);
  const source = await startEmbeddedRegistry();
  onTestFinished(source.stop);
  const http = registryHttp(source.url);
  const images = await Promise.all(
    Array.from({ length: IMAGES }, (_, index) =>
      http.pushImage(`app/r${index % 6}`, `v${index}`, 100_000),
    ),
  );
  const registries = createRegistries({ insecure: true });
  onTestFinished(() => registries.close());
  let [copied, killed]: [number, Promise<void> | undefined] = [0, undefined];
  const watching = silentContext({
    emit: (event) => {
      if (event.type !== 'image.copied') return;
      copied += 1;
      if (copied === 4) killed = killChild(one.child);
    },
  });
  const reading = new AbortController();
  const reads = readAlong(balancer.url, reading.signal);

  const report = await followRegistry(watching, {
    registries,
    from: parseDestination(source.host),
    to: parseDestination(balancer.host),
    filter: {},
  });

  await killed;
  reading.abort();
  expect(await reads).toEqual([]);
  expect(one.child.signalCode).toBe('SIGKILL');
  expect(balancer.used.every((count) => count > 0)).toBe(true);
  expect(report).toMatchObject({ images: IMAGES, failed: [] });
  const survivor = registryHttp(two.url);
  for (const [index, { layer, layerBytes }] of images.entries()) {
    const got = await survivor.send('GET', `/v2/app/r${index % 6}/blobs/${layer}`);
    expect(got.bytes.equals(layerBytes)).toBe(true);
  }
  expect((await checkRegistry(ctx, store)).problems).toEqual([]);
}

/** Pulls whatever tags there are, as clients do that try again; returns what came wrong. */
async function readAlong(url: string, signal: AbortSignal): Promise<readonly string[]> {
  const http = registryHttp(url);
  const wrong: string[] = [];
  while (!signal.aborted) {
    for (let index = 0; index < IMAGES && !signal.aborted; index += 1) {
      const got = await http
        .send('GET', `/v2/app/r${index % 6}/manifests/v${index}`)
        .catch(() => undefined);
      const digest = got?.headers.get('docker-content-digest');
      if (got?.status === 200 && digestOf(got.bytes) !== digest) wrong.push(`v${index}`);
      else if (got && got.status !== 200 && got.status !== 404) wrong.push(`${got.status}`);
    }
  }
  return wrong;
}

for (const { peer, start } of S3_SERVERS) {
  describeWithPeers([peer, 'skopeo'], `two registries over one bucket of ${peer}`, () => {
    async function bucketServer(): Promise<string> {
      const server = await start();
      onTestFinished(server.stop);
      return server.url;
    }

    test('lose nothing when one is killed under load', async () => {
      await losesNothing(await bucketServer());
    });

    test('finish at one an upload that was begun at another, which is gone', async () => {
      const { one, two } = await balanced(await bucketServer());
      const [first, second] = [registryHttp(one.url), registryHttp(two.url)];
      const location = await first.open('a/b');
      const [head, tail] = [Buffer.alloc(6_000_000, 'a'), Buffer.alloc(1000, 'b')];
      expect((await first.send('PATCH', location, { body: head })).status).toBe(202);
      await killChild(one.child);

      const at = await second.send('GET', location);
      const offset = Number(/-(\d+)$/.exec(at.headers.get('range') ?? '')?.[1] ?? -1) + 1;
      const whole = Buffer.concat([head, tail]);
      const rest = await second.send('PATCH', location, { body: whole.subarray(offset) });
      expect(rest.status).toBe(202);
      const digest = digestOf(whole);
      expect((await second.send('PUT', `${location}?digest=${digest}`)).status).toBe(201);
    });

    test('serve skopeo through a load balancer when one of them is gone', async () => {
      const { one, balancer } = await balanced(await bucketServer());
      const image = await registryHttp(balancer.url).pushImage('a/b', 'v1', 50_000);
      await killChild(one.child);

      for (let turn = 0; turn < 3; turn += 1) {
        const { stdout } = await run('skopeo', [
          ...['inspect', '--tls-verify=false', '--format', '{{.Digest}}'],
          `docker://${balancer.host}/a/b:v1`,
        ]);
        expect(stdout.trim()).toBe(image.digest);
      }
    });
  });
}
