import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { publishUpstream, upstreamEntries } from './support/upstream.ts';

const run = promisify(execFile);

/** Pulls as a node would: only `registries.conf` says where; upstream names lead nowhere. */
async function skopeoCopy(conf: string, reference: string): Promise<string> {
  const dir = await tempDir();
  const path = join(dir, 'registries.conf');
  await writeFile(path, conf);
  const args = [
    '--registries-conf',
    path,
    'copy',
    '--all',
    `docker://${reference}`,
    `dir:${dir}/out`,
  ];
  try {
    await run(peerPath('skopeo') ?? 'skopeo', ['--insecure-policy', ...args], { timeout: 20_000 });
    return 'pulled';
  } catch (error) {
    return (error as { stderr?: string }).stderr ?? String(error);
  }
}

describeWithPeers(['docker-registry', 'skopeo', 'podman'], 'registriesConf', () => {
  let mirror: DockerRegistry;
  let digestReference: string;
  const tagReference = 'quay.io/openshifttest/helm:3.17.0';
  const index = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';

  beforeAll(async () => {
    mirror = await startDockerRegistry();
    await publishUpstream(mirror.url, {}, (name) => [tagReference, index].includes(name));
    const helm = (await upstreamEntries()).find(({ reference }) => reference === tagReference);
    digestReference = `quay.io/openshifttest/helm@${helm?.digest}`;
  });
  afterAll(() => mirror?.stop());

  const rule = () => ({ source: 'quay.io', mirrors: [mirror.host] });
  const conf = (more: Partial<Parameters<typeof registriesConf>[0]>) =>
    registriesConf({ rules: [], blocked: ['quay.io'], insecure: [mirror.host], ...more });

  test('makes skopeo pull a quay.io digest that only the mirror has', async () => {
    expect(await skopeoCopy(conf({ rules: [rule()] }), digestReference)).toBe('pulled');
  });

  test('keeps rules for digests and for tags apart', async () => {
    const digests = conf({ rules: [rule()] });
    const tags = conf({ tagRules: [rule()] });
    const both = conf({ rules: [rule()], tagRules: [rule()] });

    expect(await skopeoCopy(digests, tagReference)).toContain('blocked');
    expect(await skopeoCopy(tags, tagReference)).toBe('pulled');
    expect(await skopeoCopy(tags, digestReference)).toContain('blocked');
    expect(await skopeoCopy(both, tagReference)).toBe('pulled');
    expect(await skopeoCopy(both, digestReference)).toBe('pulled');
  });

  test('blocks a source whose mirror lacks the image, so that nothing leaks', async () => {
    const missing = `quay.io/openshifttest/absent@sha256:${'0'.repeat(64)}`;
    const result = await skopeoCopy(conf({ rules: [rule()] }), missing);

    expect(result).toContain('blocked');
    expect(result).not.toContain('dial tcp');
  });

  test('takes wildcard sources', async () => {
    const wildcard = { source: '*.redhat.io', mirrors: [mirror.host] };
    const text = conf({ tagRules: [wildcard], blocked: ['*.redhat.io'] });

    expect(await skopeoCopy(text, index)).toBe('pulled');
  });

  test('is read by podman, which sees the same mirrors', async () => {
    const dir = await tempDir();
    const path = join(dir, 'registries.conf');
    const text = conf({ rules: [rule()] });
    await writeFile(path, text);
    const env = { ...process.env, CONTAINERS_REGISTRIES_CONF: path };
    const storage = ['--root', join(dir, 'root'), '--runroot', join(dir, 'run')];
    const args = [
      ...storage,
      '--storage-driver',
      'vfs',
      'info',
      '--format',
      '{{json .Registries}}',
    ];
    const { stdout } = await run(peerPath('podman') ?? 'podman', args, { env, timeout: 20_000 });

    expect(JSON.parse(stdout)['quay.io']).toMatchObject({
      Blocked: true,
      MirrorByDigestOnly: true,
      Mirrors: [{ Location: mirror.host, Insecure: true }],
    });
  });
});
