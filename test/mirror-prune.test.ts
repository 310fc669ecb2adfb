import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { parseDestination } from '../src/mirror/destination.ts';
import type { DeleteResult } from '../src/mirror/flow/delete/execute-delete.ts';
import { planPrune } from '../src/mirror/flow/delete/plan-prune.ts';
import type { Outdated } from '../src/mirror/flow/outdated.ts';
import { WorkingDir } from '../src/mirror/flow/working-dir.ts';
import { createRegistries } from '../src/remote/create-registries.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

const channel = (min: string, max: string) => `mirror:
  platform:
    channels:
    - name: stable-4.18
      minVersion: ${min}
      maxVersion: ${max}
`;
const EXTRA = '  additionalImages:\n  - name: quay.io/openshifttest/hello-openshift:multiarch\n';
const OLD = channel('4.18.1', '4.18.1') + EXTRA;
const NEW = channel('4.18.2', '4.18.2');

describeWithPeers(['docker-registry'], 'a mirror over time', () => {
  let lab: MirrorLab;
  let embedded: EmbeddedRegistry;
  let at: string;
  let dir: string;
  const run = async (verb: string, set: string | undefined, to: string, ...more: string[]) =>
    lab.atoll(
      ...[verb, ...(set ? ['-c', await lab.imageSet(set)] : []), to, at, '--dir', dir],
      ...[...lab.collectFlags, ...more],
    );
  const prune = async (set: string | undefined, ...more: string[]) => {
    const done = await run('prune', set, '--at', ...more);
    return { ...done, pruned: done.result as { images: string[]; result?: DeleteResult } };
  };
  const tagOf = (version: string) =>
    lab.digestAt(embedded.host, 'ocp/openshift/release-images', `${version}-x86_64`);

  beforeAll(async () => {
    [lab, embedded] = await Promise.all([startMirrorLab(), startEmbeddedRegistry()]);
    at = `docker://${embedded.host}/ocp`;
    dir = await lab.folder('memory');
    expect((await run('sync', OLD, '--to', '--max-rate', '1G')).status).toBe(0);
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), embedded?.stop()]);
  });

  test('outdated says what is new upstream, and what is no longer asked for', async () => {
    const same = (await run('outdated', OLD, '--at')).result as Outdated;
    const { result, text } = await run('outdated', NEW, '--at');

    expect([same.added, same.changed, same.unwanted]).toEqual([[], [], 0]);
    const { releases, added, changed } = result as Outdated;
    expect(releases).toEqual(['4.18.2-x86_64']);
    expect(added.length + changed.length).toBeGreaterThan(3);
    expect(text).toContain('release  4.18.2-x86_64');
  });

  test('prune keeps what the set, a retention or a cluster needs, and gives the space of the rest back', async () => {
    await run('sync', NEW, '--to');
    const workingDir = new WorkingDir(dir);
    const registries = createRegistries({ insecure: true, env: {} });
    const etcd = (await workingDir.mirrored()).find(
      ({ image }) => image.component === 'etcd' && image.release?.version === '4.18.1',
    );

    const retained = await prune(NEW, '--keep-releases', '2');
    const newest = await prune(`mirror:\n${EXTRA}`, '--keep-releases', '1');
    const inUse = await planPrune(silentContext(), {
      wanted: [],
      keepReleases: 0,
      running: new Set([etcd?.digest ?? '']),
      workingDir,
      registries,
      destination: parseDestination(at),
    });
    await registries.close();
    const inside = await prune(undefined);
    const folder = await lab.folder('registry');
    await mkdir(folder, { recursive: true });
    await writeFile(
      join(folder, 'config.yaml'),
      `listeners:\n- address: 127.0.0.1:5000\nstorage:\n  path: ${embedded.root}\n`,
    );
    const flags = ['--execute', '--yes', '--gc', folder, '--gc-grace', '0'];
    const done = await prune(NEW, ...flags);

    expect(done.text).toContain('release 4.18.1-x86_64');
    expect(retained.text).not.toContain('release 4.18.1-x86_64');
    expect(newest.text).toContain('release 4.18.1-x86_64');
    expect(newest.text).not.toContain('release 4.18.2-x86_64');
    expect(retained.pruned.images).toHaveLength(1);
    expect(retained.pruned.images[0]).toContain('hello-openshift');
    // The whole release stays with the one image that runs.
    const kept = inUse.kept.map(({ image }) => image.release?.version);
    expect([new Set(kept), inUse.inUse]).toEqual([new Set(['4.18.1']), 22]);
    expect(inside.pruned.images).toEqual(done.pruned.images);
    expect(done.pruned.result?.failures).toEqual([]);
    expect([await tagOf('4.18.1'), await tagOf('4.18.2')]).toEqual([undefined, expect.any(String)]);
    expect(done.text).toMatch(/are free again$/);
    expect((done.result as { collectedBytes: number }).collectedBytes).toBeGreaterThan(0);
    expect((await prune(NEW)).pruned.images).toEqual([]);
  });

  test('prune removes nothing when it is not known what is wanted', async () => {
    const unknown = `${NEW}  additionalImages:\n  - name: quay.io/openshifttest/nothing:here\n`;

    await expect(prune(unknown, '--execute', '--yes')).rejects.toMatchObject({
      message: expect.stringContaining('Cannot prune') as string,
    });
    expect(await tagOf('4.18.2')).toBeDefined();
  });

  test('outdated sees a tag that moved upstream', async () => {
    const set = 'mirror:\n  additionalImages:\n  - name: quay.io/openshifttest/moves:latest\n';
    const place = `docker://${lab.upstream.host}/openshifttest`;
    const move = (from: string) =>
      lab.atoll('copy', `${place}/${from}`, `${place}/moves:latest`, ...lab.registryFlags);
    await move('helm:3.17.0');
    expect((await run('sync', set, '--to')).status).toBe(0);

    const before = (await run('outdated', set, '--at')).result as Outdated;
    await move('hello-openshift:multiarch');
    const after = (await run('outdated', set, '--at')).result as Outdated;

    expect(before.changed).toEqual([]);
    expect(after.changed.map(({ source }) => source)).toEqual([
      'quay.io/openshifttest/moves:latest',
    ]);
  });
});
