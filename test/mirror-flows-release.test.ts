import { execFile } from 'node:child_process';
import { lstat, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';
import { upstreamEntries } from './support/upstream.ts';

const run = promisify(execFile);
const RELEASE = 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64';
const TAG = '4.18.1-x86_64';
const DIGEST = 'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0';

let lab: MirrorLab;
let docker: DockerRegistry;
let embedded: EmbeddedRegistry;

const release = (...argv: string[]) => lab.atoll('release', ...lab.collectFlags, ...argv);

/** `tag digest` of the release and its components, as upstream has them. */
async function expectedTags(): Promise<string[]> {
  const entries = await upstreamEntries();
  const art = `quay.io/openshift-release-dev/ocp-v4.0-art-dev:${TAG}-`;
  return [
    `${TAG} ${DIGEST}`,
    ...entries
      .filter(({ reference }) => reference.startsWith(art))
      .map(({ reference, digest }) => `${reference.split(':')[1]} ${digest}`),
  ];
}

async function expectTags(host: string, repository: string): Promise<void> {
  const expected = await expectedTags();
  const found = expected.map(async (line) => {
    const [tag = ''] = line.split(' ');
    return `${tag} ${await lab.digestAt(host, repository, tag)}`;
  });
  expect(expected).toHaveLength(22);
  expect(await Promise.all(found)).toEqual(expected);
}

describeWithPeers(['docker-registry', 'skopeo'], 'atoll mirror release', () => {
  beforeAll(async () => {
    [lab, docker, embedded] = await Promise.all([
      startMirrorLab((reference) => !/registry\.redhat|aarch64|4\.18\.2/.test(reference)),
      startDockerRegistry(),
      startEmbeddedRegistry(),
    ]);
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), docker?.stop(), embedded?.stop()]);
  });

  test('puts everything into one repository and says what the cluster needs', async () => {
    const to = `${docker.host}/ocp4/openshift4`;

    const { status, text } = await release('--from', RELEASE, '--to', to);

    expect(status).toBe(0);
    await expectTags(docker.host, 'ocp4/openshift4');
    const signature = `${DIGEST.replace(':', '-')}.sig`;
    expect(await lab.digestAt(docker.host, 'ocp4/openshift4', signature)).toBeDefined();
    expect(text).toContain(`Update image:  ${to}:${TAG}\nMirror prefix: ${to}\n`);
    const [snippet, set] = text.split('# A cluster that runs');
    const sources = [
      { mirrors: [to], source: 'quay.io/openshift-release-dev/ocp-release' },
      { mirrors: [to], source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev' },
    ];
    const yamlOf = (part = '') =>
      parseAllDocuments(part.slice(part.indexOf('\n')))
        .at(-1)
        ?.toJS();
    expect(yamlOf(snippet?.slice(snippet.indexOf('# A new')))).toEqual({
      imageDigestSources: sources,
    });
    expect(yamlOf(set)).toMatchObject({
      kind: 'ImageDigestMirrorSet',
      spec: { imageDigestMirrors: sources.map(({ mirrors, source }) => ({ source, mirrors })) },
    });
  });

  test('by version, with the release image elsewhere, older instructions, and a signature', async () => {
    const dir = await lab.folder('release');
    const to = `${embedded.host}/ocp/parts`;
    const image = `${embedded.host}/ocp/releases:v1`;

    const { text } = await release(
      ...['--from', '4.18.1', '--to', to, '--to-release-image', image],
      ...['--print-mirror-instructions', 'icsp', '--release-image-signature-to-dir', dir],
    );

    expect(await lab.digestAt(embedded.host, 'ocp/releases', 'v1')).toBe(DIGEST);
    expect(await lab.digestAt(embedded.host, 'ocp/parts', TAG)).toBeUndefined();
    expect(text).toContain(`Update image:  ${image}`);
    expect(text).toContain('imageContentSources:');
    expect(text).toContain('kind: ImageContentSourcePolicy');
    const [name = ''] = await readdir(dir);
    expect(name).toBe(`signature-sha256-${DIGEST.slice(7, 23)}.json`);
    expect(JSON.parse(await readFile(join(dir, name), 'utf8'))).toMatchObject({
      kind: 'ConfigMap',
      metadata: { name: DIGEST.replace(':', '-'), namespace: 'openshift-config-managed' },
    });
  });

  test('prints a mapping, leaves the release image out, and takes patterns', async () => {
    const to = `${docker.host}/x:$\{version}-$\{component}`;

    const { text } = await release(
      ...['--from', RELEASE, '--to', to, '--to-mirror', '--skip-release-image'],
    );

    const lines = text.split('\n');
    expect(lines).toHaveLength(21);
    expect(lines[0]).toMatch(
      /^quay\.io\/openshift-release-dev\/ocp-v4\.0-art-dev@sha256:[0-9a-f]{64} 127\.0\.0\.1:\d+\/x:4\.18\.1-cli$/,
    );
    expect(await lab.digestAt(docker.host, 'x', '4.18.1-cli')).toBeUndefined();
  });

  test('writes the folder that oc writes, and loads it without anything else', async () => {
    const dir = await lab.folder('carried');

    const out = await release('--from', RELEASE, '--to-dir', dir);
    const back = await lab.atoll(
      ...['release', '--from-dir', dir, '--to', `${docker.host}/carried/release`, '--insecure'],
      ...['--release-key', lab.collectFlags[lab.collectFlags.indexOf('--release-key') + 1] ?? ''],
      ...['--signature-store', 'file:///nowhere'],
    );

    expect([out.status, back.status]).toEqual([0, 0]);
    const root = join(dir, 'v2', 'openshift', 'release');
    expect(await readlink(join(root, 'manifests', TAG))).toBe(DIGEST);
    const [manifest, blob] = [join(root, 'manifests', DIGEST), join(root, 'blobs', DIGEST)];
    expect((await stat(manifest)).ino).toBe((await stat(blob)).ino);
    expect((await lstat(manifest)).isFile()).toBe(true);
    expect(
      (await readdir(join(root, 'blobs'))).filter((name) => !/^sha256:[0-9a-f]{64}$/.test(name)),
    ).toEqual([]);
    expect(await readdir(join(dir, 'config'))).toEqual([
      `signature-sha256-${DIGEST.slice(7, 23)}.json`,
    ]);
    await expectTags(docker.host, 'carried/release');
    expect(back.text).toContain('source: quay.io/openshift-release-dev/ocp-release\n');
    const again = await release('--from', RELEASE, '--to-dir', dir);
    expect(again.text).toContain('0 copied, 22 were there');
  });

  test('reads a folder whose files came from elsewhere, and refuses altered ones', async () => {
    const dir = await lab.folder('static');
    await release('--from', RELEASE, '--to-dir', dir);
    const blobs = join(dir, 'v2', 'openshift', 'release', 'blobs');
    const server = await serveFolder(dir);

    const { port } = server.address() as AddressInfo;
    const inspected = await run('skopeo', [
      ...['inspect', '--raw', '--tls-verify=false'],
      `docker://127.0.0.1:${port}/openshift/release:${TAG}`,
    ]);
    server.close();
    const { layers } = JSON.parse(inspected.stdout);
    const layer = join(blobs, layers[0].digest);
    await writeFile(layer, Buffer.alloc((await stat(layer)).size));
    const bad = lab.atoll(
      ...['release', '--from-dir', dir, '--to', `${docker.host}/altered`, '--insecure'],
      '--ignore-release-signature',
    );

    await expect(bad).rejects.toMatchObject({
      code: expect.stringMatching(/MISMATCH|LAYER/) as string,
    });
  });

  test('writes a folder under another name, mends what it lost, and says what is wrong with it', async () => {
    const [dir, to] = [await lab.folder('mended'), `${docker.host}/mended/release`];
    const write = () => release('--from', RELEASE, '--to-dir', dir, '--to', 'team/release');
    const { text } = await write();
    const load = () =>
      release('--from-dir', dir, '--from', `file://team/release:${TAG}`, '--to', to);
    const blobs = join(dir, 'v2', 'team', 'release', 'blobs');
    const sizes = (await readdir(blobs)).map(async (name) => ({
      name,
      size: (await stat(join(blobs, name))).size,
    }));
    const [largest] = (await Promise.all(sizes)).toSorted((a, b) => b.size - a.size);
    await rm(join(blobs, largest?.name ?? ''));

    await expect(load()).rejects.toMatchObject({ code: 'CONTENT_MISSING' });
    const again = await write();
    await writeFile(join(dir, 'config', 'signature-other.json'), 'not json');
    await expect(load()).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining('signature-other.json') as string,
    });
    await rm(join(dir, 'config', 'signature-other.json'));
    const loaded = await load();

    expect(text).toContain(`--from file://team/release:${TAG} --to HOST/REPO`);
    expect(text).toContain(`'file://team/release:${TAG}*' HOST/REPO`);
    expect([again.status, loaded.status]).toEqual([0, 0]);
    await expectTags(docker.host, 'mended/release');
  });

  test('refuses a place for the release image that a component has', async () => {
    const to = `${docker.host}/collide/release`;

    await expect(
      release('--from', RELEASE, '--to', to, '--to-release-image', `${to}:${TAG}-etcd`),
    ).rejects.toMatchObject({ code: 'TARGETS_COLLIDE' });
    expect(await lab.digestAt(docker.host, 'collide/release', `${TAG}-cli`)).toBeUndefined();
  });

  test('stops at a release that nobody signed, unless told otherwise', async () => {
    const to = `${docker.host}/unsigned`;
    const unsigned = ['--from', RELEASE, '--to', to, ...lab.registryFlags];
    const store = ['--signature-store', 'file:///nowhere'];

    await expect(lab.atoll('release', ...unsigned, ...store)).rejects.toMatchObject({
      code: 'SIGNATURE_MISSING',
    });
    const forced = await lab.atoll('release', ...unsigned, ...store, '--ignore-release-signature');

    expect(forced.status).toBe(0);
    expect(forced.events).toContainEqual(
      expect.objectContaining({ message: expect.stringContaining('NOT VERIFIED') as string }),
    );
  });

  test('a CI stream comes by tag, with a token from an auth file', async () => {
    const dir = await lab.folder('ci');
    const proxy = await tokenProxy(lab.upstream.url, 'sha256~ci-token');
    const { port } = proxy.address() as AddressInfo;
    const auth = join(dir, 'auth.json');
    const entry = { auth: Buffer.from('someone:sha256~ci-token').toString('base64') };
    await writeFile(auth, JSON.stringify({ auths: { [`127.0.0.1:${port}`]: entry } }));
    const config = await lab.imageSet(`mirror:
  additionalImages:
  - name: 127.0.0.1:${port}/ocp/4.18:etcd
  - name: 127.0.0.1:${port}/ocp/4.18:cli
`);
    const argv = ['sync', '-c', config, '--to', `docker://${embedded.host}/ci`, '--dir', dir];

    const denied = await lab.atoll(...argv, '--insecure');
    const allowed = await lab.atoll(...argv, '--insecure', '--authfile', auth);
    proxy.close();

    expect(denied.status).toBe(7);
    expect(allowed.status).toBe(0);
    expect(await lab.digestAt(embedded.host, 'ci/ocp/4.18', 'etcd')).toMatch(
      /^sha256:6d025bba6514/,
    );
  });
});

/** `DIR/v2` as any web server would give it. */
async function serveFolder(dir: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://x').pathname);
    const bytes = await readFile(join(dir, path)).catch(() => undefined);
    const type =
      bytes && path.includes('/manifests/')
        ? JSON.parse(String(bytes)).mediaType
        : 'application/octet-stream';
    if (path === '/v2/') response.end();
    else if (bytes) response.writeHead(200, { 'content-type': type }).end(bytes);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

/** A registry that gives a bearer token to whoever shows the login of `oc whoami -t`. */
async function tokenProxy(upstream: string, token: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const { port } = server.address() as AddressInfo;
    const { authorization = '' } = request.headers;
    if (request.url?.startsWith('/token')) {
      const password = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
      if (!password.endsWith(`:${token}`)) return response.writeHead(401).end();
      return response.end(JSON.stringify({ token: 'granted' }));
    }
    if (authorization !== 'Bearer granted') {
      const realm = `Bearer realm="http://127.0.0.1:${port}/token",service="ci"`;
      return response.writeHead(401, { 'www-authenticate': realm }).end();
    }
    const accept = request.headers.accept ?? '*/*';
    const answer = await fetch(`${upstream}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { accept },
    });
    const headers = Object.fromEntries(answer.headers);
    return response.writeHead(answer.status, headers).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
