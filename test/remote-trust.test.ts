import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer, type Server } from 'node:net';
import { dirname, join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import {
  createCa,
  createServerCertificate,
  type KeyPair,
} from '../src/registry/tls/certificates.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { describeBytes, openRegistries } from './support/remote.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext();
const run = promisify(execFile);
const NOW = { now: new Date(), days: 30 };
const CONFIG = Buffer.from('{"architecture":"amd64","os":"linux","rootfs":{"type":"layers"}}');
const MANIFEST = JSON.stringify({
  schemaVersion: 2,
  mediaType: MEDIA_TYPES.ociManifest,
  config: describeBytes(CONFIG, MEDIA_TYPES.ociConfig),
  layers: [],
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startTls(
  pair: KeyPair,
  answer: RequestListener,
  options: ServerOptions = {},
): Promise<string> {
  const server = createServer({ cert: pair.certificate, key: pair.key, ...options }, answer);
  onTestFinished(() => server.closeAllConnections());
  return await listening(server);
}

/** A home with these files below `~/.config/containers`, the only configuration there is. */
async function homeWith(files: Readonly<Record<string, string>>): Promise<string> {
  const home = await tempDir();
  for (const [name, content] of Object.entries({ 'registries.conf': '', ...files })) {
    const path = join(home, '.config', 'containers', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
  return home;
}

/** A registry with its token server and its storage at other places, all with certificates of one CA. */
async function startScattered() {
  const ca = await createCa('Test CA', NOW);
  const pair = await createServerCertificate(ca, ['127.0.0.1'], NOW);
  const storage = await startTls(pair, (_request, response) => response.end(CONFIG));
  const tokens = await startTls(pair, (_request, response) => response.end('{"token":"abc"}'));
  const realm = `Bearer realm="https://${tokens}/token",service="registry"`;
  const host = await startTls(pair, ({ url = '', headers }, response) => {
    if (headers.authorization !== 'Bearer abc') {
      response.writeHead(401, { 'www-authenticate': realm }).end();
    } else if (url.includes('/blobs/')) {
      response.writeHead(307, { location: `https://${storage}${url}` }).end();
    } else {
      response.setHeader('content-type', MEDIA_TYPES.ociManifest).end(MANIFEST);
    }
  });
  return { host, ca: ca.certificate };
}

const serveManifest: RequestListener = ({ url = '' }, response) => {
  response.setHeader('content-type', MEDIA_TYPES.ociManifest);
  response.end(url.includes('/blobs/') ? CONFIG : MANIFEST);
};

async function bySkopeo(host: string, home: string): Promise<void> {
  const args = ['inspect', '--config', `docker://${host}/team/app:v1`];
  await run(peerPath('skopeo') ?? 'skopeo', args, {
    env: { PATH: process.env.PATH, HOME: home },
  });
}

function sourceFor(host: string, home: string) {
  const registries = openRegistries({ insecure: false, env: { HOME: home } });
  return registries.source({ registry: host, repository: 'team/app', tag: 'v1' });
}

const findFor = (host: string, home: string) => sourceFor(host, home).find(ctx, 'v1');

async function readAll(host: string, home: string): Promise<void> {
  const source = sourceFor(host, home);
  await source.find(ctx, 'v1');
  const download = await source.openBlob(ctx, describeBytes(CONFIG));
  await download.pump(ctx, () => undefined);
}

describeWithPeers(['skopeo'], 'trust in a registry, for us and for skopeo,', () => {
  test.each([
    [
      'by its folder in certs.d',
      (host: string, ca: string) => ({ [`certs.d/${host}/ca.crt`]: ca }),
    ],
    [
      'waived in registries.conf',
      (host: string) => ({
        'registries.conf': `[[registry]]\nlocation = "${host}"\ninsecure = true\n`,
      }),
    ],
  ])('%s, covers its token server and its storage', async (_name, files) => {
    const { host, ca } = await startScattered();
    const home = await homeWith(files(host, ca));

    await bySkopeo(host, home);
    await readAll(host, home);
  });

  test('is not taken from the folder of another port', async () => {
    const { host, ca } = await startScattered();
    const home = await homeWith({ 'certs.d/127.0.0.1/ca.crt': ca });

    await expect(bySkopeo(host, home)).rejects.toThrow('x509');
    await expect(readAll(host, home)).rejects.toMatchObject({
      code: 'TLS_UNTRUSTED',
      hint: expect.stringContaining(`certs.d/${host}/ca.crt`),
    });
  });
});

describeWithPeers(['skopeo', 'openssl'], 'a certificate, for us and for skopeo,', () => {
  test('is good when it is trusted itself, without the CA above it', async () => {
    const ca = await createCa('Test CA', NOW);
    const pair = await createServerCertificate(ca, ['127.0.0.1'], NOW);
    const host = await startTls(pair, serveManifest);
    const home = await homeWith({ [`certs.d/${host}/ca.crt`]: pair.certificate });

    await bySkopeo(host, home);
    expect(await findFor(host, home)).toBeDefined();
  });

  test('is for nobody when only its common name says for whom', async () => {
    const folder = await tempDir();
    const [certificate, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
    const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    const files = ['-out', certificate, '-keyout', key];
    await run('openssl', [...make, '-subj', '/CN=localhost', '-days', '2', ...files]);
    const pair = {
      certificate: await readFile(certificate, 'utf8'),
      key: await readFile(key, 'utf8'),
    };
    const host = (await startTls(pair, serveManifest)).replace('127.0.0.1', 'localhost');
    const home = await homeWith({ [`certs.d/${host}/ca.crt`]: pair.certificate });

    await expect(bySkopeo(host, home)).rejects.toThrow('x509');
    await expect(findFor(host, home)).rejects.toMatchObject({ code: 'TLS_NAME_MISMATCH' });
  });
});

/** A proxy that takes every name for one and the same server. */
async function startRelay(target: string): Promise<string> {
  const [host, port] = target.split(':');
  const relay = createTcpServer((client) => {
    client.on('error', () => undefined);
    client.once('data', () => {
      const server = connect(Number(port), host, () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
      server.on('error', () => client.destroy());
      client.pipe(server).pipe(client);
    });
  });
  return await listening(relay);
}

describe.each([
  ['docker.io', 'registry-1.docker.io'],
  ['Registry.test', 'registry.test'],
  ['registry.test:443', 'registry.test'],
])('trust in %s', (name, server) => {
  const open = async (files: (ca: string) => Record<string, string>) => {
    const ca = await createCa('Test CA', NOW);
    const pair = await createServerCertificate(ca, [server], NOW);
    const host = await startTls(pair, serveManifest);
    const env = {
      HOME: await homeWith(files(ca.certificate)),
      HTTPS_PROXY: `http://${await startRelay(host)}`,
    };
    return openRegistries({ insecure: false, env }).source({
      registry: name,
      repository: 'team/app',
    });
  };

  test('is found under the name as it is written', async () => {
    const source = await open((ca) => ({ [`certs.d/${name}/ca.crt`]: ca }));

    expect(await source.find(ctx, 'v1')).toBeDefined();
  });

  test('is waived under the name as it is written', async () => {
    const source = await open(() => ({
      'registries.conf': `[[registry]]\nlocation = "${name}"\ninsecure = true\n`,
    }));

    expect(await source.find(ctx, 'v1')).toBeDefined();
  });
});

test('a client certificate is shown to the registry, and not where it sends us', async () => {
  const ca = await createCa('Test CA', NOW);
  const pair = await createServerCertificate(ca, ['127.0.0.1'], NOW);
  const shown = new Set<string>();
  const noting = (name: string, answer: RequestListener): RequestListener => {
    return (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      shown.add(`${name} ${subject?.CN ?? 'nobody'}`);
      answer(request, response);
    };
  };
  const asking = { requestCert: true, rejectUnauthorized: false };
  const storage = await startTls(pair, noting('storage', serveManifest), asking);
  const redirect: RequestListener = ({ url = '' }, response) => {
    response.writeHead(307, { location: `https://${storage}${url}` }).end();
  };
  const serve: RequestListener = (request, response) =>
    (request.url?.includes('/blobs/') ? redirect : serveManifest)(request, response);
  const host = await startTls(pair, noting('registry', serve), asking);
  const home = await homeWith({
    [`certs.d/${host}/ca.crt`]: ca.certificate,
    [`certs.d/${host}/client.cert`]: pair.certificate,
    [`certs.d/${host}/client.key`]: pair.key,
  });

  await readAll(host, home);

  expect([...shown].toSorted()).toEqual(['registry 127.0.0.1', 'storage nobody']);
});
