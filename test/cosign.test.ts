import { execFile } from 'node:child_process';
import { createPublicKey, type KeyObject } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkSigstore } from '../src/content/release/release-trust.ts';
import { silentContext } from '../src/core/context.ts';
import { copyImages } from '../src/mirror/copy/copy-images.ts';
import type { Descriptor } from '../src/oci/descriptor.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import type { Registries } from '../src/remote/registries.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { MemoryImages } from './support/images.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';

const ctx = silentContext();
const OFFLINE = ['--use-signing-config=false', '--tlog-upload=false', '--yes'];

describeWithPeers(['cosign', 'docker-registry'], 'what the real cosign 3 signed', () => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
  let withReferrers: EmbeddedRegistry;
  let without: DockerRegistry;
  let registries: Registries;
  let keys: string;
  const cosign = (...args: string[]) =>
    promisify(execFile)(peerPath('cosign') ?? 'cosign', args, {
      env: { PATH: process.env.PATH, HOME: keys, COSIGN_PASSWORD: '' },
    });
  const keyOf = async (name: string): Promise<KeyObject> =>
    createPublicKey(await readFile(join(keys, `${name}.pub`)));
  /** Its key, and where it is: cosign takes plain HTTP on loopback by itself. */
  const sign = (name: string, format: boolean) =>
    cosign(
      'sign',
      '--key',
      join(keys, 'team.key'),
      `--new-bundle-format=${format}`,
      ...OFFLINE,
      name,
    );

  beforeAll(async () => {
    keys = await mkdtemp(join(tmpdir(), 'atoll-cosign-'));
    [withReferrers, without] = await Promise.all([startEmbeddedRegistry(), startDockerRegistry()]);
    registries = createRegistries({ insecure: true, env: {} });
    for (const name of ['team', 'other'])
      await cosign('generate-key-pair', '--output-key-prefix', join(keys, name));
  });
  afterAll(async () => {
    await registries?.close();
    await Promise.all([withReferrers?.stop(), without?.stop()]);
    await rm(keys, { recursive: true, force: true });
  });

  const hostOf = (kind: string) => (kind === 'by referrer' ? withReferrers.host : without.host);

  async function publish(host: string, repository: string): Promise<Descriptor> {
    const images = new MemoryImages();
    const layer = await images.addLayer([{ name: 'usr/app', content: `${host} ${repository}` }]);
    const root = images.addImage([layer]);
    await copy(images, registries.repository(host, repository), root, 'v1');
    return root;
  }
  async function copy(
    source: MemoryImages | ReturnType<Registries['repository']>,
    target: ReturnType<Registries['repository']>,
    { digest }: Descriptor,
    tag: string,
  ) {
    const job = { source, target, reference: digest, tags: [tag], from: 'a', to: 'b' };
    const report = await copyImages(ctx, { images: [job] });
    expect(report.failed).toBe(0);
    return report.images[0]?.attachments;
  }

  test.each([
    ['a bundle', 'by referrer', true, 'bundle'],
    ['a bundle', 'by tag', true, 'bundle'],
    ['a signature of cosign 2', 'by tag', false, 'attached'],
  ] as const)(
    'is verified as %s %s, with its key alone, and by cosign at either kind of mirror',
    async (_what, kind, format, form) => {
      const repository = `team/${form}-${kind.replace(' ', '-')}`;
      const root = await publish(hostOf(kind), repository);
      const source = registries.repository(hostOf(kind), repository);
      const subject = { source, descriptor: root, platforms: undefined };

      await expect(checkSigstore(ctx, subject, await keyOf('team'))).rejects.toMatchObject({
        code: 'SIGNATURE_MISSING',
      });
      await sign(`${hostOf(kind)}/${repository}@${root.digest}`, format);

      expect(await checkSigstore(ctx, subject, await keyOf('team'))).toBe(form);
      await expect(checkSigstore(ctx, subject, await keyOf('other'))).rejects.toMatchObject({
        code: 'SIGNATURE_INVALID',
      });
      for (const { host } of [withReferrers, without]) {
        const target = registries.repository(host, `mirror/${repository}`);
        expect(await copy(source, target, root, 'v1')).toBe(1);
        const name = `${host}/mirror/${repository}@${root.digest}`;
        const verify = (key: string) =>
          cosign('verify', '--key', join(keys, `${key}.pub`), '--insecure-ignore-tlog=true', name);
        expect((await verify('team')).stdout).toContain(root.digest);
        await expect(verify('other')).rejects.toThrow();
      }
    },
  );
});
