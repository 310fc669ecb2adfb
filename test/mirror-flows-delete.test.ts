import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { silentContext } from '../src/core/context.ts';
import type { DeleteResult } from '../src/mirror/flow/delete/execute-delete.ts';
import { collectRegistry } from '../src/registry/upkeep/gc.ts';
import type { DockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import {
  type LabRun,
  type MirrorLab,
  type MirrorsInLab,
  startMirrors,
} from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';

const BOTH = `mirror:
  platform:
    channels:
    - name: stable-4.18
      minVersion: 4.18.1
      maxVersion: 4.18.2
  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
`;
const FIRST = `delete:
  platform:
    channels:
    - name: stable-4.18
      minVersion: 4.18.1
      maxVersion: 4.18.1
`;
const KIND = 'DeleteImageSetConfiguration';
const SIG_1 = 'sha256-d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0.sig';

let lab: MirrorLab;
let docker: DockerRegistry;
let embedded: EmbeddedRegistry;
let stopMirrors: MirrorsInLab['stopMirrors'] | undefined;

const sync = async (set: string, to: string, dir: string, ...more: string[]) =>
  lab.atoll(
    ...['sync', '-c', await lab.imageSet(set), '--to', `docker://${to}`, '--dir', dir],
    ...[...lab.collectFlags, ...more],
  );
const remove = async (set: string, at: string, dir: string, ...more: string[]) =>
  lab.atoll(
    ...['delete', '-c', await lab.imageSet(set, KIND), '--at', `docker://${at}`, '--dir', dir],
    ...['--insecure', ...more],
  );

const planOf = ({ result }: LabRun) =>
  (result as { plan: { images: string[]; freedBytes: number; listFile: string } }).plan;
const resultOf = ({ result }: LabRun) => (result as { result: DeleteResult }).result;

describeWithPeers(['docker-registry'], 'atoll mirror delete', () => {
  beforeAll(async () => {
    ({ lab, docker, embedded, stopMirrors } = await startMirrors());
  });
  afterAll(() => stopMirrors?.());

  test.each([
    ['docker-registry', () => docker.host],
    ['the embedded registry', () => embedded.host],
  ])('removes a release and leaves what the other shares, at %s', async (_name, hostOf) => {
    const [host, dir] = [hostOf(), await lab.folder('delete')];
    await sync(BOTH, `${host}/ocp`, dir);

    const plan = await remove(FIRST, `${host}/ocp`, dir);
    const untouched = await lab.digestAt(host, 'ocp/openshift/release-images', '4.18.1-x86_64');
    const done = await remove(FIRST, `${host}/ocp`, dir, '--execute', '--yes');

    const list = parse(await readFile(planOf(plan).listFile, 'utf8'));
    expect(list).toMatchObject({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'DeleteImageList',
    });
    expect(list.items).toHaveLength(22);
    expect(list.items[0]).toEqual({
      imageName: expect.stringMatching(
        /^quay\.io\/openshift-release-dev\/ocp-release@sha256:/,
      ) as string,
      imageReference: `docker://${host}/ocp/openshift/release-images:4.18.1-x86_64`,
      type: 'ocpRelease',
    });
    expect(untouched).toBeDefined();
    expect([done.status, resultOf(done).failures]).toEqual([0, []]);
    const at = (repository: string, tag: string) => lab.digestAt(host, `ocp/${repository}`, tag);
    expect(await at('openshift/release-images', '4.18.1-x86_64')).toBeUndefined();
    expect(await at('openshift/release-images', SIG_1)).toBeUndefined();
    expect(await at('openshift/release', '4.18.1-x86_64-etcd')).toBeUndefined();
    expect(await at('openshift/release-images', '4.18.2-x86_64')).toBeDefined();
    expect(await at('openshift/release', '4.18.2-x86_64-cli')).toBeDefined();
    expect(await at('openshifttest/hello-openshift', 'multiarch')).toBeDefined();
    const resource = (name: string) =>
      readFile(join(dir, 'working-dir', 'cluster-resources', name), 'utf8');
    expect(await resource('signature-configmap.yaml')).not.toContain('sha256-d32a31796b2f');
    expect(await resource('signature-configmap.yaml')).toContain('sha256-89739c863a3d');
    const again = await sync(BOTH, `${host}/ocp`, dir);
    expect(again.status).toBe(0);
    expect(await at('openshift/release', '4.18.1-x86_64-etcd')).toBeDefined();
  });

  test('says how many bytes gc frees, and gc frees them', async () => {
    const registry = await startEmbeddedRegistry();
    const dir = await lab.folder('gc');
    await sync(BOTH, `${registry.host}/team`, dir, '--max-nested-paths', '2');
    const before = await collectRegistry(silentContext(), registry.store, { graceMs: 0 });

    await remove(FIRST, `${registry.host}/team`, dir);
    const done = await remove(FIRST, `${registry.host}/team`, dir, '--execute', '--yes');
    const after = await collectRegistry(silentContext(), registry.store, { graceMs: 0 });

    expect(before.freedBytes).toBe(0);
    expect(resultOf(done).freedBytes).toBeGreaterThan(0);
    expect(after.freedBytes).toBe(resultOf(done).freedBytes);
    expect(
      await lab.digestAt(registry.host, 'team/openshift-release-images', '4.18.2-x86_64'),
    ).toBeDefined();
    await registry.stop();
  });

  test('removes an index with its parts, and keeps an image that something else needs', async () => {
    const dir = await lab.folder('index');
    const host = `${embedded.host}/index`;
    const hello = 'quay.io/openshifttest/hello-openshift:multiarch';
    await sync(`mirror:\n  additionalImages:\n  - name: ${hello}\n`, host, dir);
    const repository = 'index/openshifttest/hello-openshift';
    const index = (await (
      await fetch(`${embedded.url}/v2/${repository}/manifests/multiarch`, {
        headers: { accept: 'application/vnd.oci.image.index.v1+json' },
      })
    ).json()) as { manifests: { digest: string }[] };
    const set = `delete:\n  additionalImages:\n  - name: ${hello}\n`;

    await remove(set, host, dir);
    await remove(set, host, dir, '--execute', '--yes');

    expect(index.manifests).toHaveLength(4);
    for (const { digest } of index.manifests)
      expect(await lab.digestAt(embedded.host, repository, digest)).toBeUndefined();
  });

  test('counts operators: a package goes, what the other package needs stays', async () => {
    const dir = await lab.folder('operators');
    const host = `${embedded.host}/operators`;
    const catalog = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';
    const set = (verb: string, packages: string) =>
      `${verb}:\n  operators:\n  - catalog: ${catalog}\n    packages:\n${packages}`;
    const mirrored = await sync(
      set('mirror', '    - name: quay-operator\n      minVersion: 3.12.1\n'),
      host,
      dir,
    );
    const range = '    - name: quay-operator\n      maxVersion: 3.12.2\n';

    const plan = await remove(set('delete', range), host, dir);

    expect(mirrored.status).toBe(0);
    const gone = planOf(plan).images.join('\n');
    expect(gone).not.toContain('quay-operator-bundle:sha256-944f1bb1d463');
    expect(gone).not.toContain('redhat-operator-index');
    expect(planOf(plan).images.length).toBeGreaterThan(0);
  });

  test('refuses what it cannot tell, what is not there, and a list that is not the plan', async () => {
    const dir = await lab.folder('refuse');
    const host = `${embedded.host}/refuse`;
    await sync(
      'mirror:\n  additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n',
      host,
      dir,
    );
    const channel = 'delete:\n  platform:\n    channels:\n    - name: stable-4.18\n';
    const helm = 'delete:\n  additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n';

    await expect(remove(channel, host, dir)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
    await expect(remove(FIRST, host, dir)).rejects.toMatchObject({
      message: expect.stringContaining('the mirror does not have it') as string,
    });
    await expect(remove(helm, host, dir, '--execute', '--yes')).rejects.toMatchObject({
      code: 'PLAN_CHANGED',
    });
    await remove(helm, host, dir);
    await expect(remove(helm, host, dir, '--execute')).rejects.toMatchObject({
      code: 'INTERRUPTED',
      message: 'Nothing was removed',
    });
    expect(await lab.digestAt(embedded.host, 'refuse/openshifttest/helm', '3.17.0')).toBeDefined();
  });
});
