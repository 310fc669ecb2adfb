import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { copyImage } from '../src/mirror/copy-image.ts';
import type { MirrorResult } from '../src/mirror/flow/mirror-images.ts';
import { parseImageLocation } from '../src/mirror/image-location.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type LabRun, type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

const SET = `mirror:
  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
  - name: quay.io/openshifttest/helm:3.17.0
`;

let lab: MirrorLab;
let docker: DockerRegistry;
let embedded: EmbeddedRegistry;

beforeAll(async () => {
  [lab, docker, embedded] = await Promise.all([
    startMirrorLab((reference) => reference.includes('openshifttest')),
    startDockerRegistry(),
    startEmbeddedRegistry(),
  ]);
});
afterAll(() => Promise.all([lab.stop(), docker.stop(), embedded.stop()]));

const outcomes = ({ result }: LabRun) =>
  (result as { result: MirrorResult }).result.report.images.map(({ outcome }) => outcome);

/** Moves the blobs of an image away, as a registry does with damaged ones. */
async function loseLayers(host: string, root: string): Promise<string[]> {
  const registries = createRegistries({ insecure: true, env: {} });
  const repository = registries.repository(host, 'openshifttest/helm');
  const found = await repository.find(silentContext(), '3.17.0');
  const lost = (found?.children ?? []).map(({ digest }) => digest.slice('sha256:'.length));
  for (const hex of lost) await rename(join(root, 'blobs/sha256', hex), join(root, `lost-${hex}`));
  await registries.close();
  return lost;
}

const blobsAt = async (root: string) => await readdir(join(root, 'blobs/sha256'));

describeWithPeers(['docker-registry'], 'an image that is not whole', () => {
  test('comes again with sync and load, and dry runs count it', async () => {
    const [dir, bundle] = [await lab.folder('whole'), await lab.folder('bundle')];
    const config = await lab.imageSet(SET);
    const to = ['--to', `docker://${embedded.host}`, '--dir', dir];
    const flags = lab.collectFlags;
    await lab.atoll('save', '-c', config, '--to', bundle, '--dir', dir, ...flags);
    const sync = (...more: string[]) => lab.atoll('sync', '-c', config, ...to, ...flags, ...more);
    const load = () => lab.atoll('load', '--from', bundle, ...to, '--insecure');
    await sync();
    expect(outcomes(await sync()).every((outcome) => outcome === 'skipped')).toBe(true);

    for (const again of [sync, load]) {
      const lost = await loseLayers(embedded.host, embedded.root);
      const dry = (await sync('--dry-run')).result as { dryRun: { missingImages: number } };
      const run = await again();

      expect(lost.length).toBeGreaterThan(0);
      expect(dry.dryRun.missingImages).toBe(1);
      expect([run.status, outcomes(run).toSorted()]).toEqual([0, ['copied', 'skipped']]);
      expect(await blobsAt(embedded.root)).toEqual(expect.arrayContaining(lost));
    }
  });

  test('is in no inventory with what it lacks, so that the next delta brings it', async () => {
    const dir = await lab.folder('inventory');
    const config = await lab.imageSet(SET);
    const place = ['--dir', dir, '--insecure'];
    const to = ['--to', `docker://${embedded.host}`];
    const inventory = async () => {
      const file = join(dir, 'inventory.json');
      await lab.atoll('inventory', '--at', `docker://${embedded.host}`, '--to', file, ...place);
      const { content } = JSON.parse(await readFile(file, 'utf8'));
      return Object.keys(content).map((digest) => digest.slice('sha256:'.length));
    };
    await lab.atoll('sync', '-c', config, ...to, '--dir', dir, ...lab.collectFlags);
    const before = await inventory();

    const lost = await loseLayers(embedded.host, embedded.root);
    const after = await inventory();
    await lab.atoll('sync', '-c', config, ...to, '--dir', dir, ...lab.collectFlags);

    expect(before).toEqual(expect.arrayContaining(lost));
    expect(after.filter((hex) => lost.includes(hex))).toEqual([]);
    expect(after.length).toBeGreaterThan(0);
    expect(await inventory()).toEqual(before);
  });

  test('comes again with copy, where a registry of others is asked with verifyTarget', async () => {
    const copy = async (to: string, verifyTarget = false) => {
      const registries = createRegistries({ insecure: true, env: {}, verifyTarget });
      const copied = await copyImage(silentContext(), {
        from: parseImageLocation(`docker://${lab.upstream.host}/openshifttest/helm:3.17.0`),
        to: parseImageLocation(`docker://${to}/openshifttest/helm:3.17.0`),
        ...{ registries, platforms: [], sparse: false, signatures: false },
      });
      await registries.close();
      return copied.outcome;
    };
    await copy(docker.host);
    await copy(embedded.host);
    await loseLayers(embedded.host, embedded.root);

    expect(await copy(embedded.host)).toBe('copied');
    expect(await copy(embedded.host)).toBe('skipped');
    const links = join(
      docker.root,
      'data/docker/registry/v2/repositories/openshifttest/helm/_layers',
    );
    await rm(links, { recursive: true });
    expect(await copy(docker.host)).toBe('skipped');
    expect(await copy(docker.host, true)).toBe('copied');
    expect(await copy(docker.host, true)).toBe('skipped');
  });
});
