import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { initRegistry, serverPaths } from '../src/registry/init.ts';
import { loadCertificate } from '../src/registry/tls/certificate-file.ts';
import { createCa, createServerCertificate } from '../src/registry/tls/certificates.ts';
import { renewCertificate } from '../src/registry/tls/renew.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { tempDir } from './support/temp.ts';

const DAY_MS = 86_400_000;

/** The status of the front page, or the code of what is wrong with the connection. */
function probe(url: string, ca: string, servername = 'localhost'): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { ca, servername, agent: false as const };
    const request = get(`${url}/healthz`, options, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}

async function makeFolder(now: Date, days: number) {
  const directory = await tempDir();
  await mkdir(join(directory, 'tls'));
  const ca = await createCa('test CA', { now, days: 3650 });
  const server = await createServerCertificate(ca, ['localhost', '127.0.0.1'], { now, days });
  const paths = serverPaths(directory);
  await writeFile(join(directory, 'tls', 'ca.crt'), ca.certificate);
  await writeFile(join(directory, 'tls', 'ca.key'), ca.key);
  await writeFile(paths.certificate, server.certificate);
  await writeFile(paths.key, server.key);
  return { directory, paths, ca: ca.certificate };
}

test('a certificate of ours is good for its names and no others', async () => {
  const { paths, ca } = await makeFolder(new Date(), 30);
  const registry = await startEmbeddedRegistry({ listeners: [{ port: 0, tls: paths }] });
  onTestFinished(registry.stop);

  expect(await probe(registry.url, ca)).toBe(200);
  expect(await probe(registry.url, ca, 'elsewhere.example.com')).toBe(
    'ERR_TLS_CERT_ALTNAME_INVALID',
  );
  const other = await createCa('other CA', { now: new Date(), days: 10 });
  expect(await probe(registry.url, other.certificate)).toBe('UNABLE_TO_VERIFY_LEAF_SIGNATURE');
});

test('an expired certificate is refused by clients, told of, and renewed without a restart', async () => {
  const longAgo = new Date(Date.now() - 100 * DAY_MS);
  const { directory, paths, ca } = await makeFolder(longAgo, 10);
  const ctx = recordingContext();
  const registry = await startEmbeddedRegistry({ ctx, listeners: [{ port: 0, tls: paths }] });
  onTestFinished(registry.stop);

  expect(await probe(registry.url, ca)).toBe('CERT_HAS_EXPIRED');
  const warnings = ctx.events.flatMap((event) =>
    event.type === 'warning.raised' ? [event.message] : [],
  );
  expect(warnings).toEqual([expect.stringContaining('expired at')]);

  const { hosts, expiresAt } = await renewCertificate(silentContext(), { directory });
  await registry.running.reloadCertificates();

  expect(hosts).toEqual(['localhost', '127.0.0.1']);
  expect(expiresAt.getTime()).toBeGreaterThan(Date.now() + 700 * DAY_MS);
  expect(await probe(registry.url, ca)).toBe(200);
});

test('a certificate that expires within 30 days is told of', async () => {
  const { paths } = await makeFolder(new Date(), 20);
  const ctx = recordingContext();
  const registry = await startEmbeddedRegistry({ ctx, listeners: [{ port: 0, tls: paths }] });
  onTestFinished(registry.stop);

  expect(ctx.events).toContainEqual(
    expect.objectContaining({
      type: 'warning.raised',
      message: expect.stringContaining('expires in 20 days'),
      hint: expect.stringContaining('registry renew'),
    }),
  );
  const metrics = await fetchText(registry.url, paths.certificate);
  expect(metrics).toContain('atoll_registry_certificate_expiry_seconds');
});

async function fetchText(url: string, certificate: string): Promise<string> {
  const { cert } = await loadCertificate({ certificate, key: certificate.replace('.crt', '.key') });
  return await new Promise((resolve, reject) => {
    const options = { ca: cert, rejectUnauthorized: false, agent: false as const };
    get(`${url}/metrics`, options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}

test('a broken pair of files keeps the old certificate in use', async () => {
  const { paths, ca } = await makeFolder(new Date(), 60);
  const ctx = recordingContext();
  const registry = await startEmbeddedRegistry({ ctx, listeners: [{ port: 0, tls: paths }] });
  onTestFinished(registry.stop);

  await writeFile(paths.certificate, 'not a certificate');
  await registry.running.reloadCertificates();
  await registry.running.reloadCertificates();

  expect(await probe(registry.url, ca)).toBe(200);
  expect(ctx.events).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('The old certificate stays') }),
  );
});

test('a site may bring its own certificate, and its key has to fit', async () => {
  const { paths } = await makeFolder(new Date(), 60);
  const other = await makeFolder(new Date(), 60);
  const init = async (key: string) =>
    await initRegistry(silentContext(), {
      directory: join(await tempDir(), 'registry'),
      hosts: ['localhost'],
      port: 8443,
      user: 'admin',
      certificate: { certificate: paths.certificate, key },
    });

  const { ca, config } = await init(paths.key);
  expect([ca, config.endsWith('config.yaml')]).toEqual([undefined, true]);
  await expect(init(other.paths.key)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('a certificate is renewed for names of hosts only', async () => {
  const { directory } = await makeFolder(new Date(), 30);

  const renewed = renewCertificate(silentContext(), { directory, hosts: ['mirror.example:5000'] });

  await expect(renewed).rejects.toThrow('Cannot use "mirror.example:5000"');
});

test('a registry that stops cuts off who has not even begun with TLS', async () => {
  const { paths } = await makeFolder(new Date(), 30);
  const registry = await startEmbeddedRegistry({ listeners: [{ port: 0, tls: paths }] });
  onTestFinished(registry.stop);
  const silent = connect(Number(registry.host.split(':')[1]), '127.0.0.1').resume();
  silent.on('error', () => undefined);
  await once(silent, 'connect');

  await Promise.all([registry.running.close(100), once(silent, 'close')]);
});

test('a connection on which TLS never begins, or never ends to begin, is closed', async () => {
  const { paths } = await makeFolder(new Date(), 30);
  const registry = await startEmbeddedRegistry({
    listeners: [{ port: 0, tls: paths }],
    limits: { handshakeMs: 50 },
  });
  onTestFinished(registry.stop);
  const open = () => {
    const socket = connect(Number(registry.host.split(':')[1]), '127.0.0.1').resume();
    return socket.on('error', () => undefined);
  };
  const silent = open();
  const begun = open();
  begun.write(Buffer.from('1603010200', 'hex'));

  await Promise.all([once(silent, 'close'), once(begun, 'close')]);
});

test.each([
  [['::1', 'mirror.fern.lan'], 'address: "[::]:8443"'],
  [['mirror.fern.lan', '10.9.0.3'], 'address: 0.0.0.0:8443'],
])('init listens where clients of %s will ask', async (hosts, address) => {
  const directory = join(await tempDir(), 'registry');
  const { config } = await initRegistry(silentContext(), {
    directory,
    hosts,
    port: 8443,
    user: 'u',
  });

  expect(await readFile(config, 'utf8')).toContain(address);
});
