import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { AtollError } from '../src/core/errors.ts';
import { bulkSourceOf } from '../src/oci/bulk.ts';
import { digestOf } from '../src/oci/digest.ts';
import { parseManifest } from '../src/oci/manifest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import {
  createCa,
  createServerCertificate,
  type KeyPair,
} from '../src/registry/tls/certificates.ts';
import type { Repository } from '../src/remote/registries.ts';
import { type DockerRegistryOptions, startDockerRegistry } from './support/docker-registry.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { collect, describeBytes, makeBlob, once, openRegistries } from './support/remote.ts';
import { startSquid } from './support/squid.ts';
import { tempDir } from './support/temp.ts';

const ctx = silentContext();
const run = promisify(execFile);
const NOW = { now: new Date(), days: 30 };

/** Files of a private CA and of a server certificate it signed. */
async function makeTls(hosts: readonly string[], validity = NOW) {
  const directory = await tempDir();
  const ca = await createCa('Test CA', { now: new Date(), days: 365 });
  const server = await createServerCertificate(ca, hosts, validity);
  const paths = {
    ca: join(directory, 'ca.crt'),
    certificate: join(directory, 'tls.crt'),
    key: join(directory, 'tls.key'),
  };
  await writeFile(paths.ca, ca.certificate);
  await writeFile(paths.certificate, server.certificate);
  await writeFile(paths.key, server.key);
  return { ...paths, server };
}

async function authfileFor(host: string, user: string, password: string): Promise<string> {
  const path = join(await tempDir(), 'auth.json');
  const auth = Buffer.from(`${user}:${password}`).toString('base64');
  await writeFile(path, JSON.stringify({ auths: { [host]: { auth } } }));
  return path;
}

async function htpasswd(user: string, password: string, format: string): Promise<string> {
  return (await run('htpasswd', [`-nb${format}`, user, password])).stdout.trim();
}

async function registryFor(options: DockerRegistryOptions) {
  const registry = await startDockerRegistry(options);
  onTestFinished(() => registry.stop());
  return registry;
}

/** A small image: config and one layer, pushed blob by blob, then the manifest. */
async function push(repository: Repository, tag: string) {
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      rootfs: { type: 'layers', diff_ids: [] },
    }),
  );
  const { bytes, blob } = makeBlob(3_000_000);
  const layer = { ...blob, mediaType: MEDIA_TYPES.ociLayer };
  const configBlob = describeBytes(config, MEDIA_TYPES.ociConfig);
  await repository.putBlob(ctx, configBlob, once(config));
  await repository.putBlob(ctx, layer, once(bytes));
  const text = JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    config: configBlob,
    layers: [layer],
  });
  const manifest = parseManifest(Buffer.from(text));
  await repository.putManifest(ctx, manifest, tag);
  return { manifest, layer, bytes };
}

async function tagsOf(repository: Repository): Promise<string[]> {
  const tags: string[] = [];
  for await (const tag of repository.tags(ctx)) tags.push(tag);
  return tags;
}

describeWithPeers(
  ['docker-registry', 'htpasswd', 'skopeo'],
  'a docker-registry with TLS and users',
  () => {
    test('takes what we write, and skopeo reads it; we read what skopeo wrote', async () => {
      const tls = await makeTls(['127.0.0.1']);
      const users = await htpasswd('ann', 'secret-1', 'B');
      const { host } = await registryFor({ tls, htpasswd: users });
      const authfile = await authfileFor(host, 'ann', 'secret-1');
      const registries = openRegistries({ insecure: false, ca: [tls.ca], authfile });
      const repository = registries.repository(host, 'team/app');
      const { manifest } = await push(repository, 'v1');
      const directory = await tempDir();
      const certs = await tempDir();
      await writeFile(join(certs, 'ca.crt'), readFileSync(tls.ca));
      const common = ['--insecure-policy', 'copy', '--authfile', authfile];

      await run('skopeo', [
        ...common,
        '--src-cert-dir',
        certs,
        `docker://${host}/team/app:v1`,
        `dir:${directory}`,
      ]);
      await run('skopeo', [
        ...common,
        '--dest-cert-dir',
        certs,
        `dir:${directory}`,
        `docker://${host}/other/app:v2`,
      ]);

      const copied = await readFile(join(directory, 'manifest.json'));
      expect(copied.equals(manifest.bytes)).toBe(true);
      const other = registries.repository(host, 'other/app');
      expect((await other.resolve(ctx, 'v2'))?.digest).toBe(manifest.descriptor.digest);
      expect(await tagsOf(other)).toEqual(['v2']);
    });

    test('mounts, deletes and lists referrers by the fallback tag', async () => {
      const { host } = await registryFor({});
      const registries = openRegistries();
      const repository = registries.repository(host, 'team/app');
      const { manifest, layer, bytes } = await push(repository, 'v1');
      const other = registries.repository(host, 'other/app');

      expect(await other.mount(ctx, layer, 'team/app')).toBe(true);
      expect(await other.mount(ctx, makeBlob(10).blob, 'team/app')).toBe(false);
      expect(await other.has(ctx, layer)).toBe(true);
      expect((await collect(other.blob(ctx, layer, 1000))).equals(bytes.subarray(1000))).toBe(true);

      const signature = parseManifest(
        Buffer.from(
          JSON.stringify({
            ...manifest.content,
            subject: manifest.descriptor,
            annotations: { by: 'ann' },
          }),
        ),
      );
      await repository.putManifest(ctx, signature);
      const referrers = await repository.referrers(ctx, manifest.descriptor.digest);
      expect(referrers.map((one) => one.digest)).toEqual([signature.descriptor.digest]);

      expect(await repository.remove(ctx, manifest.descriptor.digest)).toBe(true);
      expect(await repository.resolve(ctx, 'v1')).toBeUndefined();
      expect(await other.removeBlob(ctx, layer.digest)).toBe(true);
      expect(await other.has(ctx, layer)).toBe(false);
    });

    test('is sent only the rest after a part it has taken', async () => {
      const { host } = await registryFor({});
      const registries = openRegistries({ tuning: { partBytes: 1_000_000 } });
      const repository = registries.repository(host, 'team/app');
      const { bytes, blob } = makeBlob(2_500_000);
      const offsets: number[] = [];
      const ends = [1_200_000, 1_000_000, blob.size];
      const flaky = bulkSourceOf({
        async *blob(_ctx, _blob, offset = 0) {
          const end = ends[offsets.length] ?? blob.size;
          offsets.push(offset);
          yield bytes.subarray(offset, end);
          if (end < blob.size) throw new AtollError('REGISTRY_UNAVAILABLE', 'The source went away');
        },
      });

      expect(await repository.putBlobFrom(ctx, blob, flaky)).toBe('copied');

      expect(offsets).toEqual([0, 0, 1_000_000]);
      expect(await repository.has(ctx, blob)).toBe(true);
    });
  },
);

describe('the embedded registry', () => {
  test('and the client agree on everything either can do', async () => {
    const registry = await startEmbeddedRegistry();
    onTestFinished(() => registry.stop());
    const registries = openRegistries();
    const repository = registries.repository(registry.host, 'team/app');
    const other = registries.repository(registry.host, 'other/app');
    const { manifest, layer } = await push(repository, 'v1');
    const { bytes } = makeBlob(300_000);
    const long = { ...describeBytes(bytes), digest: digestOf(bytes, 'sha512') };

    await repository.putBlob(ctx, long, once(bytes));
    const again = await other.putBlobFrom(ctx, layer, repository, { mountFrom: 'team/app' });
    const signature = parseManifest(
      Buffer.from(JSON.stringify({ ...manifest.content, subject: manifest.descriptor })),
    );
    await repository.putManifest(ctx, signature);

    expect(again).toBe('mounted');
    expect(digestOf(await collect(repository.blob(ctx, long)), 'sha512')).toBe(long.digest);
    const referrers = await repository.referrers(ctx, manifest.descriptor.digest);
    expect(referrers.map((one) => one.digest)).toEqual([signature.descriptor.digest]);
    // No fallback list: the registry took care of the subject by itself.
    expect(await tagsOf(repository)).toEqual(['v1']);
    expect(await repository.remove(ctx, 'v1')).toBe(true);
  });

  test('is copied into and out of by TLS, large blobs at the same time', async () => {
    const tls = await makeTls(['127.0.0.1']);
    const paths = { certificate: tls.certificate, key: tls.key };
    const registry = await startEmbeddedRegistry({ listeners: [{ port: 0, tls: paths }] });
    onTestFinished(() => registry.stop());
    const registries = openRegistries({ insecure: false, ca: [tls.ca] });
    const from = registries.repository(registry.host, 'team/app');
    const to = registries.repository(registry.host, 'copy/app');
    const blobs = Array.from({ length: 4 }, () => makeBlob(6_000_000));

    for (const { bytes, blob } of blobs) await from.putBlob(ctx, blob, once(bytes));
    const copied = await Promise.all(
      blobs.map(({ blob }) => to.putBlobFrom(ctx, blob, from, { absent: true })),
    );

    expect(copied).toEqual(['copied', 'copied', 'copied', 'copied']);
  });

  test('is used by TLS without trust where that is allowed, also when it leaves plain HTTP unanswered', async () => {
    const tls = await makeTls(['127.0.0.1']);
    const paths = { certificate: tls.certificate, key: tls.key };
    const registry = await startEmbeddedRegistry({ listeners: [{ port: 0, tls: paths }] });
    onTestFinished(() => registry.stop());
    const [host = '', port = ''] = registry.host.split(':');
    // Hands on what starts like TLS, and keeps silent otherwise.
    const silent = createTcpServer((client) => {
      client.once('data', (first: Buffer) => {
        if (first[0] !== 0x16) return;
        const server = connect(Number(port), host);
        server.write(first);
        client.pipe(server).pipe(client);
      });
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void silent.close());
    const behind = `127.0.0.1:${(silent.address() as AddressInfo).port}`;

    const { manifest } = await push(openRegistries().repository(registry.host, 'team/app'), 'v1');
    const registries = openRegistries();
    const found = await registries.repository(behind, 'team/app').resolve(ctx, 'v1');
    await registries.close();

    expect(found?.digest).toBe(manifest.descriptor.digest);
  });

  test('is copied into and out of by IPv6 as well', async () => {
    const registry = await startEmbeddedRegistry({ listeners: [{ host: '::1', port: 0 }] });
    onTestFinished(() => registry.stop());
    const repository = openRegistries().repository(registry.host, 'team/app');

    const { manifest } = await push(repository, 'v1');

    expect(registry.host).toContain('[::1]');
    expect((await repository.resolve(ctx, 'v1'))?.digest).toBe(manifest.descriptor.digest);
  });
});

/** A TLS server that answers `{}` to everything. */
async function tlsServer(pair: KeyPair, options: { clientCa?: string } = {}): Promise<string> {
  const client = options.clientCa ? { requestCert: true, ca: options.clientCa } : {};
  const server = createServer(
    { cert: pair.certificate, key: pair.key, ...client },
    (_request, response) => response.end('{}'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('trust', () => {
  const resolve = (host: string, options: object) =>
    openRegistries({ insecure: false, ...options })
      .repository(host, 'team/app')
      .resolve(ctx, 'v1');

  test('of an unknown CA is refused with the way to give it', async () => {
    const tls = await makeTls(['127.0.0.1']);
    const host = await tlsServer(tls.server);

    await expect(resolve(host, {})).rejects.toMatchObject({
      code: 'TLS_UNTRUSTED',
      hint: expect.stringContaining('--ca'),
    });
  });

  test('comes from --ca, from certs.d, or is waived where asked', async () => {
    const tls = await makeTls(['127.0.0.1']);
    const host = await tlsServer(tls.server);
    const certsDir = await tempDir();
    await mkdir(join(certsDir, host));
    await writeFile(join(certsDir, host, 'ca.crt'), readFileSync(tls.ca));

    for (const options of [{ ca: [tls.ca] }, { certsDir }, { insecure: [host] }]) {
      await expect(resolve(host, options)).rejects.toMatchObject({ code: 'MANIFEST_INVALID' });
    }
    await expect(resolve(host, { insecure: ['other:1'] })).rejects.toMatchObject({
      code: 'TLS_UNTRUSTED',
    });
  });

  test('of another name and of another time each have their code', async () => {
    const named = await makeTls(['other.example.com']);
    const expired = await makeTls(['127.0.0.1'], { now: new Date('2020-01-01'), days: 10 });

    await expect(resolve(await tlsServer(named.server), { ca: [named.ca] })).rejects.toMatchObject({
      code: 'TLS_NAME_MISMATCH',
    });
    await expect(
      resolve(await tlsServer(expired.server), { ca: [expired.ca] }),
    ).rejects.toMatchObject({
      code: 'TLS_EXPIRED',
    });
  });

  test('of a CA file that is no PEM names the mistake', async () => {
    const path = join(await tempDir(), 'ca.crt');
    await writeFile(path, 'not a certificate');
    const tls = await makeTls(['127.0.0.1']);

    await expect(resolve(await tlsServer(tls.server), { ca: [path] })).rejects.toMatchObject({
      code: expect.stringMatching(/INPUT_INVALID|TLS_UNTRUSTED/),
    });
  });
});

describeWithPeers(['openssl'], 'client certificates', () => {
  test('are shown from certs.d, and their absence is named', async () => {
    const tls = await makeTls(['127.0.0.1']);
    const certsDir = await tempDir();
    const [cert, key] = [join(certsDir, 'client.cert'), join(certsDir, 'client.key')];
    const make = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    await run('openssl', [...make, '-subj', '/CN=me', '-days', '2', '-out', cert, '-keyout', key]);
    const host = await tlsServer(tls.server, { clientCa: await readFile(cert, 'utf8') });
    await mkdir(join(certsDir, host));
    for (const path of [cert, key]) {
      await writeFile(path.replace(certsDir, join(certsDir, host)), await readFile(path));
    }
    const open = (options: object) =>
      openRegistries({ insecure: false, ca: [tls.ca], ...options }).repository(host, 'team/app');

    await expect(open({ certsDir }).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
    });
    await expect(open({}).resolve(ctx, 'v1')).rejects.toMatchObject({ code: 'TLS_CLIENT_REFUSED' });
  });
});

describeWithPeers(['squid', 'docker-registry', 'htpasswd'], 'a real squid with users', () => {
  test('is passed with its password, by TLS and by plain HTTP, and not without', async () => {
    const tls = await makeTls(['registry.test']);
    const secure = await registryFor({ tls });
    const plain = await registryFor({});
    const users = await htpasswd('proxy-user', 'proxy-pass', 'm');
    const squid = await startSquid({ htpasswd: users, hosts: { 'registry.test': '127.0.0.1' } });
    onTestFinished(() => squid.stop());
    const through = (user: string) => ({
      HTTPS_PROXY: `http://${user}@${squid.host}`,
      HTTP_PROXY: `http://${user}@${squid.host}`,
    });
    const named = (host: string) => host.replace('127.0.0.1', 'registry.test');
    const good = through('proxy-user:proxy-pass');

    const https = openRegistries({ insecure: false, ca: [tls.ca], env: good });
    await push(https.repository(named(secure.host), 'team/app'), 'v1');
    const http = openRegistries({ env: good });
    await push(http.repository(named(plain.host), 'team/app'), 'v1');

    for (const [options, host] of [
      [{ insecure: false, ca: [tls.ca] }, secure.host],
      [{ insecure: [named(plain.host)] }, plain.host],
    ] as const) {
      const registries = openRegistries({ ...options, env: through('proxy-user:wrong-pass') });
      await expect(
        registries.repository(named(host), 'team/app').resolve(ctx, 'v1'),
      ).rejects.toMatchObject({
        code: 'PROXY_DENIED',
        message: expect.not.stringContaining('wrong-pass'),
      });
    }
  });

  test('that is not there has its own code', async () => {
    const env = { HTTPS_PROXY: 'http://127.0.0.1:9' };
    const registries = openRegistries({ insecure: false, env });

    await expect(
      registries.repository('registry.test', 'a/b').resolve(ctx, 'v1'),
    ).rejects.toMatchObject({
      code: 'PROXY_FAILED',
    });
  });
});
