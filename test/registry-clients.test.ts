import { execFile } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { initRegistry, serverPaths } from '../src/registry/init.ts';
import { startDockerRegistry } from './support/docker-registry.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { registryHttp } from './support/registry-http.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);

/** A registry as `init` makes it, and what a client needs to trust it and to log in. */
async function serveSecurely() {
  const directory = await tempDir();
  const made = await initRegistry(silentContext(), {
    directory,
    hosts: ['127.0.0.1'],
    port: 0,
    user: 'admin',
  });
  const registry = await startEmbeddedRegistry({
    listeners: [{ port: 0, tls: serverPaths(directory) }],
    auth: { htpasswd: join(directory, 'htpasswd'), grants: join(directory, 'grants.yaml') },
  });
  onTestFinished(registry.stop);
  const certs = join(directory, 'certs');
  await mkdir(certs);
  await copyFile(join(directory, 'tls', 'ca.crt'), join(certs, 'ca.crt'));
  const authfile = join(directory, 'auth.json');
  const auth = Buffer.from(`admin:${made.password}`).toString('base64');
  await writeFile(authfile, JSON.stringify({ auths: { [registry.host]: { auth } } }));
  return { registry, directory, certs, authfile };
}

/** Pushes an image for two platforms and returns the bytes of its index. */
async function pushIndex(url: string, repository: string): Promise<string> {
  const http = registryHttp(url);
  const manifests: object[] = [];
  for (const architecture of ['amd64', 'arm64']) {
    const { digest, manifest } = await http.pushImage(repository, architecture);
    manifests.push({
      mediaType: MEDIA_TYPES.ociManifest,
      digest,
      size: manifest.length,
      platform: { os: 'linux', architecture },
    });
  }
  const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests };
  await http.pushManifest(repository, 'index', index);
  return JSON.stringify(index);
}

describeWithPeers(['skopeo'], 'skopeo', () => {
  test('copies images into the registry, within it and out of it, digests unchanged', async () => {
    const upstream = await startEmbeddedRegistry();
    onTestFinished(upstream.stop);
    const index = await pushIndex(upstream.url, 'some/image');
    const { registry, directory, certs, authfile } = await serveSecurely();
    const skopeo = (...args: readonly string[]) => run('skopeo', args, { timeout: 60_000 });
    const copy = ['copy', '--all', '--preserve-digests', '--authfile', authfile];
    const ours = (name: string) => `docker://${registry.host}/${name}`;

    await skopeo(
      ...copy,
      '--src-tls-verify=false',
      '--dest-cert-dir',
      certs,
      `docker://${upstream.host}/some/image@${digestOf(index)}`,
      ours('copied/image:v1'),
    );
    await skopeo(
      ...copy,
      '--src-cert-dir',
      certs,
      '--dest-cert-dir',
      certs,
      ours('copied/image:v1'),
      ours('moved/image:v2'),
    );
    await skopeo(...copy, '--src-cert-dir', certs, ours('moved/image:v2'), `dir:${directory}/out`);

    const inspected = await skopeo(
      'inspect',
      '--raw',
      '--authfile',
      authfile,
      '--cert-dir',
      certs,
      ours(`moved/image@${digestOf(index)}`),
    );
    expect(inspected.stdout).toBe(index);
    const tags = await skopeo(
      'list-tags',
      '--authfile',
      authfile,
      '--cert-dir',
      certs,
      ours('copied/image'),
    );
    expect(JSON.parse(tags.stdout).Tags).toEqual(['v1']);
    expect(
      registry.access.some(({ user, agent }) => user === 'admin' && agent?.includes('skopeo')),
    ).toBe(true);
    await skopeo('delete', '--authfile', authfile, '--cert-dir', certs, ours('copied/image:v1'));
  });
});

describeWithPeers(['podman'], 'podman', () => {
  test('pushes an image it built and pulls it back', async () => {
    const { registry, directory, certs, authfile } = await serveSecurely();
    await writeFile(join(directory, 'Containerfile'), 'FROM scratch\nCOPY ca.crt /ca.crt\n');
    const storage = ['--root', join(directory, 'root'), '--runroot', join(directory, 'run')];
    const podman = (...args: readonly string[]) =>
      run('podman', [...storage, '--storage-driver', 'vfs', ...args], { timeout: 60_000 });
    const image = `${registry.host}/podman/image:v1`;
    const access = ['--authfile', authfile, '--cert-dir', certs];

    await podman('build', '-f', join(directory, 'Containerfile'), '-t', image, certs);
    const built = (await podman('inspect', '--format', '{{.Id}}', image)).stdout;
    await podman('push', ...access, image);
    await podman('rmi', image);
    await podman('pull', ...access, image);

    expect((await podman('inspect', '--format', '{{.Id}}', image)).stdout).toBe(built);
    await podman('rmi', '--all', '--force');
  });
});

describeWithPeers(['docker-registry'], 'docker-registry', () => {
  test('is a pull-through cache of ours', async () => {
    const upstream = await startEmbeddedRegistry();
    onTestFinished(upstream.stop);
    const { manifest, layer, layerBytes } = await registryHttp(upstream.url).pushImage('a/b', 'v1');
    const cache = await startDockerRegistry({ proxyOf: upstream.url });
    onTestFinished(cache.stop);
    const http = registryHttp(cache.url, { accept: MEDIA_TYPES.ociManifest });

    expect((await http.send('GET', '/v2/a/b/manifests/v1')).bytes.toString()).toBe(manifest);
    const got = await http.send('GET', `/v2/a/b/blobs/${layer}`);
    expect(got.bytes.equals(layerBytes)).toBe(true);
  });
});
