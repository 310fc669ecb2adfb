import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  fillStore,
  generateConfig,
  holesOf,
  LOGIN,
  rehearseFolder,
  startMirror,
  type TestMirror,
} from './support/rehearsal.ts';
import { upstreamEntries } from './support/upstream.ts';

// A busy machine takes its time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const HELM = 'quay.io/openshifttest/helm:3.17.0';

interface Answer {
  readonly status: number;
  readonly type?: string;
  readonly body?: string;
}
/** What stands before the mirror says to a request; undefined lets the mirror answer. */
type Whim = (method: string, path: string) => Answer | undefined;

let store: Awaited<ReturnType<typeof fillStore>>;
let mirror: TestMirror;
let byDigest: string;

beforeAll(async () => {
  store = await fillStore((name) => name === HELM);
  mirror = await startMirror(store.root);
  const entry = (await upstreamEntries()).find(({ reference }) => reference === HELM);
  byDigest = `quay.io/openshifttest/helm@${entry?.digest}`;
});
afterAll(async () => {
  await mirror?.stop();
  await store?.remove();
});

/** A door before the mirror, as a proxy or another registry would be one. */
async function startDoor(whim: Whim): Promise<string> {
  const [host, port] = mirror.plainHost.split(':');
  const server = createServer((asked, answer) => {
    const { method = '', url: path = '', headers } = asked;
    const own = whim(method, path);
    if (own) {
      const type = own.type === undefined ? {} : { 'content-type': own.type };
      answer.writeHead(own.status, type).end(method === 'HEAD' ? undefined : own.body);
      return;
    }
    const onward = request({ host, port, method, path, headers }, (back) => {
      back.pipe(answer.writeHead(back.statusCode ?? 500, back.headers));
    });
    asked.pipe(onward.on('error', () => answer.destroy()));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Nodes whose only mirrors are these doors, in this order. */
async function rehearseAt(image: string, ...whims: Whim[]) {
  const doors = await Promise.all(whims.map(startDoor));
  const tables = doors.map(
    (door) => `[[registry.mirror]]\nlocation = "${door}"\ninsecure = true\n`,
  );
  const auth = Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64');
  const files = {
    'registries.conf': `[[registry]]\nlocation = "quay.io"\nblocked = true\n${tables.join('')}`,
    'pull-secret.json': JSON.stringify({
      auths: Object.fromEntries(doors.map((door) => [door, { auth }])),
    }),
  };
  const folder = await generateConfig(mirror, { rules: [], tagRules: [], files });
  return await rehearseFolder(folder, { images: [image] }, { depth: 'full' });
}

const isManifest = (path: string) => path.includes('/manifests/');
const isBlob = (path: string) => path.includes('/blobs/');
const good: Whim = () => undefined;

describe('rehearse asks mirrors as nodes do', () => {
  test.each([401, 403, 404, 500])('going on after a mirror that answers %i', async (status) => {
    const { rehearsal } = await rehearseAt(
      byDigest,
      (_method, path) => (isManifest(path) ? { status } : undefined),
      good,
    );

    expect(rehearsal).toMatchObject({ clean: true, pullable: 1 });
  });

  test('going no further than the first mirror that gives a manifest, even a damaged one', async () => {
    const type = 'application/vnd.oci.image.manifest.v1+json';
    const damaged: Whim = (_method, path) =>
      isManifest(path) ? { status: 200, type, body: '{"schemaVersion":2}' } : undefined;
    const hollow: Whim = (_method, path) => (isBlob(path) ? { status: 404 } : undefined);

    expect(holesOf(await rehearseAt(byDigest, damaged, good))).toEqual([
      { cause: 'manifest-damaged', images: [byDigest] },
    ]);
    expect(holesOf(await rehearseAt(byDigest, hollow, good)).map(({ cause }) => cause)).toContain(
      'layer-missing',
    );
  });

  test('not minding what becomes of HEAD, which nodes never send', async () => {
    const heads: Whim = (method, path) =>
      method === 'HEAD' ? { status: isManifest(path) ? 404 : 403 } : undefined;

    for (const image of [HELM, byDigest]) {
      expect((await rehearseAt(image, heads)).rehearsal).toMatchObject({
        clean: true,
        pullable: 1,
      });
    }
  });

  test('finding a registry only where /v2/ answers as one', async () => {
    const shut: Whim = (_method, path) => (path === '/v2/' ? { status: 403 } : undefined);

    const result = await rehearseAt(byDigest, shut);

    expect(holesOf(result)).toEqual([{ cause: 'mirror-refused', images: [byDigest] }]);
  });

  test('showing no login where /v2/ asks for none', async () => {
    const open: Whim = (_method, path) => (path === '/v2/' ? { status: 200 } : undefined);

    const result = await rehearseAt(byDigest, open);

    expect(holesOf(result)).toEqual([{ cause: 'mirror-refused', images: [byDigest] }]);
    expect(result.rehearsal.findings[0]?.evidence[0]).toContain('lets everybody in');
  });
});
