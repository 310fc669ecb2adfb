import { generateKeyPairSync } from 'node:crypto';
import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RELEASE_COMMANDS } from '../src/cli/commands/release/index.ts';
import { parseArguments } from '../src/cli/parse.ts';
import { runCommandLine } from '../src/cli/run.ts';
import { parseImageSet } from '../src/content/image-set/parse-image-set.ts';
import { collectReleases } from '../src/content/release/collect-releases.ts';
import { loadReleaseKeys } from '../src/content/release/signatures/release-keys.ts';
import { recordingContext, silentContext } from '../src/core/context.ts';
import { createWeb } from '../src/http/web.ts';
import { copyImage } from '../src/mirror/copy-image.ts';
import { parseImageLocation } from '../src/mirror/image-location.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { fakeProcess } from './support/fake-process.ts';
import { describeWithPeers } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { publishUpstream, UPSTREAM } from './support/upstream.ts';

const SET = { commands: RELEASE_COMMANDS, groups: { release: 'Releases' } };
const NAME = 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64';
const LAYOUT = `oci:${join(UPSTREAM, 'layout')}`;
const GRAPH = join(UPSTREAM, 'graph-stable-4.18-amd64.json');
const STORE = `file://${join(UPSTREAM, 'signatures')}`;
const KEY = join(UPSTREAM, 'release-key.asc');
const R4181 = 'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0';
const ETCD = 'sha256:6d025bba6514';
const AFTER = new Date('2027-06-01T00:00:00Z');

async function atoll(...argv: string[]) {
  const process = fakeProcess();
  const status = await runCommandLine(['release', ...argv], SET, process);
  return { status, out: process.stdout.text.trimEnd(), err: process.stderr.text };
}

/** Runs a command at a time of our choice: signatures are valid only after they were made. */
async function later(...argv: string[]) {
  const parsed = parseArguments(['release', ...argv], SET);
  if (parsed.kind !== 'run') throw new Error(parsed.text);
  const terminal = { env: {} } as never;
  const ctx = recordingContext({ now: () => AFTER });
  const result = await parsed.command.run(ctx, {
    args: parsed.args,
    options: parsed.options,
    given: parsed.given,
    terminal,
  });
  return { result, events: ctx.events, exitCode: parsed.command.exitCode(result) };
}

describe('atoll release, from a layout', () => {
  test('shows a release, by text and as JSON', async () => {
    const text = await atoll('info', `${LAYOUT}:${NAME}`);
    const json = await atoll('info', `${LAYOUT}:${NAME}`, '--output', 'json');

    expect(text.status).toBe(0);
    expect(text.out).toMatch(/Version +4\.18\.1\nDigest +sha256:d32a/);
    expect(JSON.parse(json.out)).toMatchObject({
      version: '4.18.1',
      digest: R4181,
      tag: '4.18.1-x86_64',
      components: 21,
      manifests: 20,
    });
  });

  test('lists the images', async () => {
    const { out } = await atoll('images', `${LAYOUT}:${NAME}`);

    expect(out.split('\n')).toHaveLength(21);
    expect(out).toMatch(
      new RegExp(`^etcd +quay.io/openshift-release-dev/ocp-v4.0-art-dev@${ETCD}`, 'm'),
    );
  });

  test('extracts all manifests, one file, or says which was meant', async () => {
    const to = await tempDir();

    const all = await atoll('extract', '--to', join(to, 'all'), `${LAYOUT}:${NAME}`);
    await atoll(
      'extract',
      '--file',
      'release-metadata',
      '--to',
      join(to, 'one'),
      `${LAYOUT}:${NAME}`,
    );
    const none = await atoll(
      'extract',
      '--file',
      'release-metdata',
      '--to',
      to,
      `${LAYOUT}:${NAME}`,
    );

    expect(all.out).toContain('22 files of release 4.18.1');
    expect(await readdir(join(to, 'all'))).toHaveLength(22);
    expect(JSON.parse(await readFile(join(to, 'one', 'release-metadata'), 'utf8')).version).toBe(
      '4.18.1',
    );
    expect([none.status, none.err]).toEqual([3, expect.stringContaining('"release-metadata"')]);
  });

  test('is clear about tools the fixture does not have', async () => {
    const to = await tempDir();

    const { status, err } = await atoll(
      'extract',
      '--tools',
      '--platform',
      'linux/amd64',
      '--to',
      to,
      `${LAYOUT}:${NAME}`,
    );

    expect(status).toBe(5);
    expect(err).toContain('Cannot find "/usr/bin/openshift-install" in component "installer"');
    expect(await readdir(to)).toEqual([]);
  });

  test('verifies signatures and every image', async () => {
    const trust = ['--release-key', KEY, '--signature-store', STORE];
    const sigstore = ['--sigstore-key', join(UPSTREAM, 'cosign.pub')];

    const release = `${LAYOUT}:${NAME}`;
    const { result } = await later('verify', release, '--images', ...trust, ...sigstore);

    expect(result).toMatchObject({
      digest: R4181,
      signature: { keyId: '5D5DC2CD2F8C2896' },
      sigstore: 'verified',
      images: { found: 21, missing: [] },
    });
  });

  test('verifies with the signatures that registries.d leads to', async () => {
    const folder = await tempDir();
    const place = join(folder, `openshift-release-dev/ocp-release@${R4181.replace(':', '=')}`);
    await cp(join(UPSTREAM, 'signatures', R4181.replace(':', '=')), place, { recursive: true });
    const docker = { 'quay.io': { lookaside: `file://${folder}` } };
    await writeFile(join(folder, 'site.yaml'), JSON.stringify({ docker }));
    const flags = ['--release-key', KEY, '--signature-store', 'file:///nowhere'];

    await expect(later('verify', `${LAYOUT}:${NAME}`, ...flags)).rejects.toMatchObject({
      code: 'SIGNATURE_MISSING',
    });
    const { result } = await later(
      'verify',
      `${LAYOUT}:${NAME}`,
      ...flags,
      '--registries-d',
      folder,
    );

    expect(result).toMatchObject({ signature: { url: expect.stringContaining(place) as string } });
  });

  test('refuses a release whose Sigstore signature is of another key', async () => {
    const key = join(await tempDir(), 'other.pub');
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    await writeFile(key, publicKey.export({ type: 'spki', format: 'pem' }));
    const trust = ['--release-key', KEY, '--signature-store', STORE, '--sigstore-key', key];

    const { status, err } = await atoll('verify', `${LAYOUT}:${NAME}`, ...trust);

    expect(status).toBe(5);
    expect(err).toContain('not made with this key');
    expect(err).toContain('[SIGNATURE_INVALID]');
  });

  test.each([
    [['image-for', 'ectd', `${LAYOUT}:${NAME}`], 3, 'Did you mean "etcd"?'],
    [['info', 'quay.io/UPPER/x:1'], 3, 'lower case'],
    [['extract', '--credentials-requests', `${LAYOUT}:${NAME}`], 2, '--cloud go together'],
    [['info', '4.18.9', '--graph', GRAPH], 3, 'Cannot find release 4.18.9 for amd64'],
  ])('explains %j', async (argv, status, words) => {
    expect(await atoll(...argv)).toMatchObject({ status, err: expect.stringContaining(words) });
  });
});

describeWithPeers(['docker-registry'], 'atoll release, from registries', () => {
  let upstream: DockerRegistry;
  let mirror: DockerRegistry;

  beforeAll(async () => {
    [upstream, mirror] = await Promise.all([startDockerRegistry(), startDockerRegistry()]);
    await publishUpstream(upstream.url);
    await fillMirror(mirror.host);
  });
  afterAll(async () => {
    await Promise.all([upstream.stop(), mirror.stop()]);
  });

  /** As oc-mirror lays it out: the release apart from its components. */
  async function fillMirror(host: string): Promise<void> {
    const registries = createRegistries({ insecure: true, env: {} });
    const copy = (name: string, to: string) =>
      copyImage(silentContext(), {
        from: parseImageLocation(`${LAYOUT}:${name}`),
        to: parseImageLocation(`docker://${host}/ocp/openshift/${to}`),
        registries,
        platforms: [],
        sparse: false,
        signatures: false,
      });
    await copy(NAME, 'release-images:4.18.1-x86_64');
    const art = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev';
    await copy(`${art}:4.18.1-x86_64-etcd`, 'release:4.18.1-x86_64-etcd');
    await registries.close();
  }

  async function registriesConf(): Promise<string> {
    const file = join(await tempDir(), 'registries.conf');
    const table = (location: string) =>
      `[[registry]]\nlocation = "${location}"\n[[registry.mirror]]\nlocation = "${upstream.host}"\ninsecure = true\n`;
    await writeFile(file, ['quay.io', 'registry.redhat.io'].map(table).join('\n'));
    return file;
  }

  test('reads upstream names through registries.conf, and says where from', async () => {
    const conf = ['--registries-conf', await registriesConf()];

    const info = await atoll('info', NAME, ...conf, '--output', 'json');
    const version = await atoll('info', '4.18.2', '--graph', GRAPH, ...conf);
    const image = await atoll('image-for', 'etcd', NAME, ...conf);
    const upstreamName = await atoll('image-for', 'etcd', NAME, '--upstream', ...conf);

    const readFrom = `${upstream.host}/openshift-release-dev/ocp-release`;
    expect(JSON.parse(info.out)).toMatchObject({ digest: R4181, readFrom });
    expect(version.out).toMatch(/Digest +sha256:8973/);
    expect(image.out).toContain(`${upstream.host}/openshift-release-dev/ocp-v4.0-art-dev@${ETCD}`);
    expect(upstreamName.out).toContain(`quay.io/openshift-release-dev/ocp-v4.0-art-dev@${ETCD}`);
  });

  test('finds components beside a release on the mirror, by digest and by tag', async () => {
    const release = `${mirror.host}/ocp/openshift/release-images:4.18.1-x86_64`;

    const digest = await atoll('image-for', 'etcd', release, '--insecure');
    const tag = await atoll('image-for', 'etcd', release, '--tag', '--insecure');

    expect(digest.out).toMatch(`${mirror.host}/ocp/openshift/release@${ETCD}`);
    expect(tag.out).toBe(`${mirror.host}/ocp/openshift/release:4.18.1-x86_64-etcd`);
  });

  test('verifies a mirrored release and names what the mirror lacks', async () => {
    const release = `${mirror.host}/ocp/openshift/release-images:4.18.1-x86_64`;
    const trust = ['--release-key', KEY, '--signature-store', STORE, '--insecure'];

    const signed = await later('verify', release, ...trust);

    expect(signed.result).toMatchObject({ digest: R4181, sigstore: 'missing' });
    expect(signed.events).toContainEqual(expect.objectContaining({ type: 'warning.raised' }));
    const missing = await later('verify', release, '--images', ...trust);
    expect(missing.exitCode).toBe(7);
    expect(missing.result).toMatchObject({ images: { found: 1 } });
  });

  test('collects a channel through registries.conf: real digests, real signatures', async () => {
    const registries = createRegistries({ registriesConf: await registriesConf(), env: {} });
    const set = parseImageSet(
      'apiVersion: mirror.openshift.io/v2alpha1\nkind: ImageSetConfiguration\n' +
        'mirror: {platform: {channels: [{name: stable-4.18, full: true}]}}\n',
      'isc.yaml',
    );

    const { images, signatures, failures } = await collectReleases(
      silentContext({ now: () => AFTER }),
      set,
      {
        source: (reference) => registries.source(reference),
        web: createWeb({ env: {} }),
        graph: GRAPH,
        signatureStores: [STORE],
        releaseKeys: await loadReleaseKeys([KEY]),
      },
    );
    await registries.close();

    expect(failures).toEqual([]);
    expect(images).toHaveLength(44);
    expect(signatures).toHaveLength(2);
  });
});
