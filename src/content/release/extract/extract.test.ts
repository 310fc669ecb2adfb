import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { releaseWith } from '../../../../test/support/made-release.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { recordingContext } from '../../../core/context.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { credentialsRequests, extractManifests } from './extract-manifests.ts';
import { extractTools } from './extract-tools.ts';
import { fillMarkers } from './markers.ts';
import { placeOf, toolOf } from './tools.ts';

const ctx = recordingContext();
const AMD = { os: 'linux', architecture: 'amd64' };

const place = (name: string, room = 300) => `\0${name}\0${'X'.repeat(room)}\0`;
const INSTALLER = Buffer.concat([
  randomBytes(70_000),
  Buffer.from(`a mention of \0_RELEASE_IMAGE_LOCATION_\0 only`),
  randomBytes(9_000),
  Buffer.from(place('_RELEASE_VERSION_LOCATION_', 64), 'latin1'),
  randomBytes(5_000),
  Buffer.from(place('_RELEASE_IMAGE_LOCATION_'), 'latin1'),
  randomBytes(30_000),
]);

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
}

describe('extractTools', () => {
  test('writes the programs executable and pins the installer to the release by digest', async () => {
    const { release, reach, descriptor } = await releaseWith({
      installer: [{ name: 'usr/bin/openshift-install', content: INSTALLER, mode: 0o755 }],
      cli: [
        { name: 'usr/bin/oc', content: 'oc', mode: 0o755 },
        { name: 'usr/bin/kubectl', type: 'link', linkname: 'usr/bin/oc' },
      ],
    });
    const to = await tempDir();
    const tools = [toolOf('openshift-install'), toolOf('oc')];

    const files = await extractTools(ctx, release, { tools, platform: AMD, to, reach });

    expect(files).toMatchObject([
      { path: join(to, 'openshift-install'), from: 'installer:/usr/bin/openshift-install' },
      { path: join(to, 'oc'), sizeBytes: 2 },
    ]);
    expect((await stat(join(to, 'openshift-install'))).mode & 0o777).toBe(0o755);
    const written = await readFile(join(to, 'openshift-install'));
    expect(written.length).toBe(INSTALLER.length);
    expect(written.includes(`mirror.test/ocp/release-images@${descriptor.digest}\0`)).toBe(true);
    expect(written.includes('4.18.1\0')).toBe(true);
    expect(written.includes(place('_RELEASE_IMAGE_LOCATION_'))).toBe(false);
    expect(await readFile(join(to, 'oc'), 'utf8')).toBe('oc');
    expect(ctx.events).toContainEqual(
      expect.objectContaining({ type: 'warning.raised', subject: 'oc' }),
    );
  });

  test('leaves no file behind when the layer does not verify', async () => {
    const { images, release, reach } = await releaseWith({
      installer: [{ name: 'usr/bin/openshift-install', content: INSTALLER }],
    });
    const component = release.payload.components[0];
    const manifest = await images.manifest(
      ctx,
      (await images.resolve(ctx, component?.image.digest ?? '')) as Descriptor,
    );
    const layer = manifest.children[1] as Descriptor;
    const bytes = Buffer.from(images.blobs.get(layer.digest) ?? []);
    bytes[5] = 0x55;
    images.blobs.set(layer.digest, bytes);
    const to = await tempDir();
    const tools = [toolOf('openshift-install')];

    await expect(
      extractTools(ctx, release, { tools, platform: AMD, to, reach }),
    ).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
    expect(await readdir(to)).toEqual([]);
  });

  test('says what a payload lacks', async () => {
    const { release, reach } = await releaseWith({ cli: [{ name: 'usr/bin/other' }] });
    const to = await tempDir();
    const extract = (name: string) =>
      extractTools(ctx, release, { tools: [toolOf(name)], platform: AMD, to, reach });

    await expect(extract('oc')).rejects.toThrow('Cannot find "/usr/bin/oc" in component "cli"');
    await expect(extract('ccoctl')).rejects.toThrow('Cannot find component "cloud-credential');
  });

  test('finds the program for other systems in the artifacts', async () => {
    const { release } = await releaseWith({});
    const placed = (name: string, os: string, architecture: string) =>
      placeOf(toolOf(name), release.payload, { os, architecture });

    expect(placed('oc', 'linux', 'arm64')).toMatchObject({
      component: 'cli-artifacts',
      path: 'usr/share/openshift/linux_arm64/oc',
    });
    expect(placed('openshift-install', 'darwin', 'arm64').path).toBe(
      'usr/share/openshift/mac_arm64/openshift-install',
    );
    expect(placed('oc', 'darwin', 'amd64').path).toBe('usr/share/openshift/mac/oc');
    expect(placed('oc', 'windows', 'amd64').path).toBe('usr/share/openshift/windows/oc.exe');
    expect(() => placed('openshift-install', 'windows', 'amd64')).toThrow('windows/amd64');
    expect(() => placed('ccoctl', 'linux', 'arm64')).toThrow('has none');
    expect(() => toolOf('occ')).toThrow(expect.objectContaining({ hint: 'Did you mean "oc"?' }));
  });
});

describe('fillMarkers', () => {
  const image = { name: '_RELEASE_IMAGE_LOCATION_', value: 'mirror.test/a@sha256:1' } as const;
  const version = { name: '_RELEASE_VERSION_LOCATION_', value: '4.18.1' } as const;

  test.each([1000, 4096, 65_536, 1_000_000])('does not depend on chunks (%i)', async (size) => {
    const { chunks, missing } = fillMarkers(inPieces(INSTALLER, size), [image, version]);

    const filled = await collect(chunks);

    expect(missing()).toEqual([]);
    expect(filled.length).toBe(INSTALLER.length);
    const at = INSTALLER.indexOf(place(image.name));
    expect(filled.subarray(at, at + 23).toString()).toBe(`${image.value}\0`);
    expect(filled.subarray(0, 79_000).equals(INSTALLER.subarray(0, 79_000))).toBe(true);
    expect(filled.subarray(-30_000).equals(INSTALLER.subarray(-30_000))).toBe(true);
  });

  test('tells what it did not find, and changes nothing then', async () => {
    const bytes = randomBytes(10_000);

    const { chunks, missing } = fillMarkers(inPieces(bytes, 3000), [image]);

    expect((await collect(chunks)).equals(bytes)).toBe(true);
    expect(missing()).toEqual(['_RELEASE_IMAGE_LOCATION_']);
  });

  test('refuses a name that is too long for its place', async () => {
    const bytes = Buffer.from(place(image.name, 20), 'latin1');
    const long = { ...image, value: 'x'.repeat(100) };

    await expect(collect(fillMarkers(inPieces(bytes, 99), [long]).chunks)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      hint: 'Give the mirror a shorter host name or path',
    });
  });
});

describe('credentialsRequests', () => {
  const request = (name: string, kind: string, annotations = '') => `---
apiVersion: cloudcredential.openshift.io/v1
kind: CredentialsRequest
metadata:
  name: ${name}
  annotations: {${annotations}}
spec:
  providerSpec:
    kind: ${kind}
`;

  test('takes the requests for one cloud and leaves the rest of a manifest', async () => {
    const { release } = await releaseWith(
      {},
      {
        '0000_50_a.yaml': `${request('a-aws', 'AWSProviderSpec')}${request('a-gcp', 'GCPProviderSpec')}---\nkind: Namespace\n`,
        '0000_50_b.yaml': request('b', 'AzureProviderSpec'),
        '0000_50_c.yaml': request('c', 'AWSProviderSpec', 'release.openshift.io/delete: "true"'),
        '0000_50_d.yaml': 'kind: ConfigMap\n',
      },
    );

    const files = credentialsRequests(release.payload, 'aws');

    expect(files.map(({ name }) => name)).toEqual(['0000_50_a.yaml']);
    expect(files[0]?.content).toContain('a-aws');
    expect(files[0]?.content).not.toMatch(/a-gcp|Namespace/);
    expect(() => credentialsRequests(release.payload, 'awss')).toThrow(
      expect.objectContaining({ code: 'USAGE', hint: 'Did you mean "aws"?' }),
    );
  });
});

describe('extractManifests', () => {
  const request = 'kind: CredentialsRequest\nspec:\n  providerSpec:\n    kind: AWSProviderSpec\n';
  const manifests = {
    'a.yaml': 'kind: A\n',
    'b.json': request,
    'c.yml': request,
    'd.txt': request,
  };

  test.each([
    ['all of them', {}, ['a.yaml', 'b.json', 'c.yml', 'd.txt']],
    ['those that are named', { file: ['a.yaml'] }, ['a.yaml']],
    ['the requests for a cloud', { cloud: 'AWS' }, ['b.json', 'c.yml']],
    ['both', { file: ['a.yaml'], cloud: 'aws' }, ['a.yaml', 'b.json', 'c.yml']],
    ['nothing for another cloud', { cloud: 'gcp' }, []],
  ])('writes %s', async (_what, options, expected) => {
    const { release } = await releaseWith({}, manifests);
    const to = await tempDir();

    const written = await extractManifests(ctx, release, { to, ...options });

    const names = written.map(({ from }) => from.replace('release-manifests/', ''));
    expect(names.filter((name) => name in manifests)).toEqual(expected);
    for (const { path, sizeBytes } of written) {
      expect(await readFile(path)).toHaveLength(sizeBytes);
    }
  });

  test('names a manifest that is close to one that is not there, and one that cannot be read', async () => {
    const { release } = await releaseWith({}, { 'a.yaml': 'CredentialsRequest: [\n' });
    const to = await tempDir();

    await expect(extractManifests(ctx, release, { to, file: ['b.yaml'] })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      hint: 'Did you mean "a.yaml"?',
    });
    await expect(
      extractManifests(ctx, release, { to, file: ['something else'] }),
    ).rejects.toMatchObject({ hint: 'Extract all without --file to see the names' });
    await expect(extractManifests(ctx, release, { to, cloud: 'aws' })).rejects.toMatchObject({
      code: 'PAYLOAD_INVALID',
    });
    await expect(extractManifests(ctx, release, { to, cloud: 'the moon' })).rejects.toMatchObject({
      hint: expect.stringContaining('Choose from'),
    });
  });
});
