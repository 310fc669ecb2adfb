import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { silentContext } from '../src/core/context.ts';
import type { MirrorRule } from '../src/generate/mirror-rule.ts';
import { registriesConf } from '../src/generate/registries-conf.ts';
import { checkBundle } from '../src/mirror/bundle/look.ts';
import type { DryRun } from '../src/mirror/flow/dry-run.ts';
import type { MirrorResult } from '../src/mirror/flow/mirror-images.ts';
import type { SaveResult } from '../src/mirror/flow/save.ts';
import type { DockerRegistry } from './support/docker-registry.ts';
import type { EmbeddedRegistry } from './support/embedded-registry.ts';
import {
  type LabRun,
  type MirrorLab,
  type MirrorsInLab,
  startMirrors,
} from './support/mirror-lab.ts';
import { describeWithPeers } from './support/peers.ts';
import { upstreamEntries } from './support/upstream.ts';

const run = promisify(execFile);

const RELEASE_1 = `mirror:
  platform:
    channels:
    - name: stable-4.18
      minVersion: 4.18.1
      maxVersion: 4.18.1
`;
const RELEASE_2 = RELEASE_1.replaceAll('4.18.1', '4.18.2');
const EXTRA = `  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
  - name: quay.io/openshifttest/helm:3.17.0
`;

let lab: MirrorLab;
let docker: DockerRegistry;
let embedded: EmbeddedRegistry;
let stopMirrors: MirrorsInLab['stopMirrors'] | undefined;

const mirrored = ({ result }: LabRun) => (result as { result: MirrorResult }).result;
const saved = ({ result }: LabRun) => (result as { result: SaveResult }).result;
const planned = ({ result }: LabRun) => (result as { dryRun: DryRun }).dryRun;

const sync = (config: string, to: string, dir: string, ...more: string[]) =>
  lab.atoll(
    'sync',
    '-c',
    config,
    '--to',
    `docker://${to}`,
    '--dir',
    dir,
    ...lab.collectFlags,
    ...more,
  );
const save = (config: string, to: string, dir: string, ...more: string[]) =>
  lab.atoll('save', '-c', config, '--to', to, '--dir', dir, ...lab.collectFlags, ...more);
const load = (from: string, to: string, dir: string, ...more: string[]) =>
  lab.atoll('load', '--from', from, '--to', `docker://${to}`, '--dir', dir, '--insecure', ...more);

/** `repository:tag digest` of a release, its components, extras and signatures as upstream has them. */
async function expectedImages(version: string, prefix: string, extra: boolean): Promise<string[]> {
  const release = `${version}-x86_64`;
  const entries = await upstreamEntries();
  const digestOf = (reference: string) =>
    entries.find((each) => each.reference === reference)?.digest ?? '';
  const root = digestOf(`quay.io/openshift-release-dev/ocp-release:${release}`);
  const signature = `${root.replace(':', '-')}.sig`;
  const components = entries
    .filter(({ reference }) =>
      reference.startsWith(`quay.io/openshift-release-dev/ocp-v4.0-art-dev:${release}-`),
    )
    .map(
      ({ reference, digest }) => `${prefix}openshift/release:${reference.split(':')[1]} ${digest}`,
    );
  const extras = ['openshifttest/hello-openshift:multiarch', 'openshifttest/helm:3.17.0'].map(
    (name) => `${prefix}${name} ${digestOf(`quay.io/${name}`)}`,
  );
  return [
    `${prefix}openshift/release-images:${release} ${root}`,
    `${prefix}openshift/release-images:${signature} ${digestOf(`quay.io/openshift-release-dev/ocp-release:${signature}`)}`,
    ...components,
    ...(extra ? extras : []),
  ];
}

async function foundAt(host: string, expected: readonly string[]): Promise<string[]> {
  return Promise.all(
    expected.map(async (line) => {
      const [, repository = '', tag = ''] = /^(\S+):(\S+) /.exec(line) ?? [];
      return `${repository}:${tag} ${await lab.digestAt(host, repository, tag)}`;
    }),
  );
}

async function expectMirrored(
  host: string,
  version: string,
  prefix = '',
  extra = true,
): Promise<void> {
  const expected = await expectedImages(version, prefix, extra);
  expect(expected.length).toBeGreaterThan(22);
  expect(await foundAt(host, expected)).toEqual(expected);
}

const resourceText = async (dir: string, name: string) =>
  readFile(join(dir, 'working-dir', 'cluster-resources', name), 'utf8');

async function resources(dir: string): Promise<Map<string, string>> {
  const names = await readdir(join(dir, 'working-dir', 'cluster-resources'));
  return new Map(
    await Promise.all(
      names.toSorted().map(async (name) => [name, await resourceText(dir, name)] as const),
    ),
  );
}

describeWithPeers(['docker-registry', 'skopeo', 'podman'], 'atoll mirror', () => {
  beforeAll(async () => {
    ({ lab, docker, embedded, stopMirrors } = await startMirrors());
  });
  afterAll(() => stopMirrors?.());

  describe.each([
    ['docker-registry', () => docker.host],
    ['the embedded registry', () => embedded.host],
  ])('into %s', (_name, hostOf) => {
    test('sync brings everything, digest by digest, and the second time nothing', async () => {
      const dir = await lab.folder('sync');
      const config = await lab.imageSet(`${RELEASE_1}${EXTRA}`);

      const first = await sync(config, `${hostOf()}/ocp`, dir);
      const second = await sync(config, `${hostOf()}/ocp`, dir);

      expect([first.status, first.text]).toEqual([0, expect.stringContaining('none failed')]);
      await expectMirrored(hostOf(), '4.18.1', 'ocp/');
      expect(mirrored(second).report).toMatchObject({ copied: 0, failed: 0, copiedBytes: 0 });
      expect(mirrored(second).report.skipped).toBe(mirrored(first).report.images.length);
      expect(await readdir(join(dir, 'working-dir', 'partial'))).toEqual([]);
    });

    test('save and load bring the same, with nothing but the bundle', async () => {
      const [dir, inside, bundle] = [
        await lab.folder('out'),
        await lab.folder('in'),
        await lab.folder('bundle'),
      ];
      const config = await lab.imageSet(`${RELEASE_1}${EXTRA}`);

      const out = await save(config, bundle, dir, '--chunk-size', '16K');
      const back = await load(bundle, `${hostOf()}/carried/deep`, inside);

      expect([out.status, back.status]).toEqual([0, 0]);
      expect(saved(out).bundle?.chunks.length).toBeGreaterThan(3);
      await expectMirrored(hostOf(), '4.18.1', 'carried/deep/');
      expect(await resourceText(inside, 'signature-configmap.yaml')).toContain(
        'sha256-d32a31796b2f',
      );
    });

    test('a delta by inventory holds only what the mirror lacks, and loads', async () => {
      const dir = await lab.folder('delta');
      const [bundle, inventory] = [await lab.folder('bundle'), join(dir, 'inventory.json')];
      const base = `${hostOf()}/delta-have`;
      await sync(await lab.imageSet(RELEASE_1), base, dir);

      await lab.atoll(
        'inventory',
        '--at',
        `docker://${base}`,
        '--to',
        inventory,
        '--dir',
        dir,
        '--insecure',
      );
      const config = await lab.imageSet(RELEASE_2);
      const out = await save(config, bundle, await lab.folder('out'), '--have', inventory);
      const back = await load(bundle, base, dir);

      expect([out.status, back.status]).toEqual([0, 0]);
      const full = await save(config, await lab.folder('full'), await lab.folder('out'));
      const blobs = (each: LabRun) =>
        (saved(each).bundle?.blobs ?? []).reduce((sum, { size }) => sum + size, 0);
      expect(blobs(out)).toBeLessThan(blobs(full) / 2);
      await expectMirrored(hostOf(), '4.18.2', 'delta-have/', false);
      await expectMirrored(hostOf(), '4.18.1', 'delta-have/', false);
    });
  });

  test('a delta since an earlier bundle needs only its index, and its base at the mirror', async () => {
    const dir = await lab.folder('since');
    const [first, second] = [await lab.folder('bundle'), await lab.folder('bundle')];
    await save(await lab.imageSet(RELEASE_1), first, dir);
    const config = await lab.imageSet(RELEASE_2);
    await save(config, second, dir, '--since', join(first, 'bundle.json'));

    const early = await load(second, `${embedded.host}/since`, dir);
    const base = await load(first, `${embedded.host}/since`, dir);
    const late = await load(second, `${embedded.host}/since`, dir);

    expect(early.status).toBe(7);
    const causes = early.text.split('\n').filter((line) => line.startsWith('failed'));
    expect(causes).toHaveLength(1);
    expect(early.text).toMatch(/Load bundle [0-9a-f]{16}, on which this one builds, first/);
    expect([base.status, late.status]).toEqual([0, 0]);
    await expectMirrored(embedded.host, '4.18.2', 'since/', false);
  });

  test('a delta mounts its base from another repository of the mirror', async () => {
    const dir = await lab.folder('mount');
    const bundle = await lab.folder('bundle');
    const one = '  additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n';
    await sync(await lab.imageSet(`mirror:\n${one}`), `${docker.host}/mount`, dir);
    const inventory = join(dir, 'inventory.json');
    await lab.atoll(
      'inventory',
      '--at',
      `docker://${docker.host}/mount`,
      '--to',
      inventory,
      '--dir',
      dir,
      '--insecure',
    );
    const other = await lab.imageSet(`mirror:\n${one}    targetRepo: other/place\n`);

    await save(other, bundle, dir, '--have', inventory);
    const { status, result } = await load(bundle, `${docker.host}/mount`, dir);

    expect(status).toBe(0);
    const { report } = (result as { result: MirrorResult }).result;
    expect(report.mountedBytes).toBeGreaterThan(0);
    expect(report.copiedBytes).toBe(0);
  });

  test('retry after the load of a delta mounts its base, too', async () => {
    const dir = await lab.folder('mount');
    const [first, second] = [await lab.folder('bundle'), await lab.folder('bundle')];
    const one = 'mirror:\n  additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n';
    const to = `${docker.host}/mount-again`;
    await save(await lab.imageSet(one), first, dir);
    const other = await lab.imageSet(`${one}    targetRepo: other/place\n`);
    await save(other, second, dir, '--since', first);
    await load(first, to, dir);
    const chunk = join(second, 'chunk-000001.atoll');
    const good = await readFile(chunk);
    await writeFile(chunk, Buffer.alloc(good.length));

    const damaged = await load(second, to, dir);
    await writeFile(chunk, good);
    const again = await lab.atoll('retry', '--dir', dir, '--insecure');

    expect([damaged.status, again.status]).toEqual([7, 0]);
    const { report } = (again.result as { mirror: MirrorResult }).mirror;
    expect(report.mountedBytes).toBeGreaterThan(0);
    expect(report.copiedBytes).toBe(0);
  });

  test('--since an index that is missing or damaged says so', async () => {
    const dir = await lab.folder('bad');
    const config = await lab.imageSet(RELEASE_1);
    await writeFile(join(dir, 'bundle.json'), '{"format": "atoll-bundle/1"');

    const missing = save(config, join(dir, 'out'), dir, '--since', join(dir, 'nowhere'));
    const damaged = save(config, join(dir, 'out'), dir, '--since', dir);

    await expect(missing).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
      message: expect.stringContaining('no bundle.json') as string,
    });
    await expect(damaged).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
      message: expect.stringContaining('it is not JSON') as string,
    });
  });

  test('a dry run names everything, counts bytes and space, and changes nothing', async () => {
    const dir = await lab.folder('dry');
    const host = `${embedded.host}/dry`;
    const config = await lab.imageSet(`${RELEASE_1}${EXTRA}`);
    const small = await lab.imageSet(`mirror:\n${EXTRA}`);
    await sync(small, host, await lab.folder('other'));

    const plan = await sync(config, host, dir, '--dry-run');
    const bundle = await save(config, join(dir, 'bundle'), dir, '--dry-run');

    const { images, missingImages, missingBytes, totalBytes, mappingFile, missingFile } =
      planned(plan);
    expect([images, missingImages, plan.status]).toEqual([24, 22, 0]);
    expect(missingBytes).toBeLessThan(totalBytes);
    expect(missingBytes).toBeGreaterThan(0);
    expect((await readFile(mappingFile, 'utf8')).split('\n')).toContain(
      `docker://quay.io/openshifttest/helm:3.17.0=docker://mirror.invalid/openshifttest/helm:3.17.0`,
    );
    expect(await readFile(missingFile, 'utf8')).toContain('release-images:4.18.1-x86_64');
    expect(planned(bundle).here).toMatchObject({ neededBytes: totalBytes });
    expect(bundle.text).toMatch(/space here +.* are free\nspace mirror /);
    expect((await readdir(join(dir, 'working-dir'))).toSorted()).toEqual(['dry-run']);
    expect(
      await lab.digestAt(embedded.host, 'dry/openshift/release-images', '4.18.1-x86_64'),
    ).toBeUndefined();
    const filesOf = async (...path: string[]) => {
      const folder = join(dir, 'working-dir', ...path);
      const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
      const texts = names.toSorted().map((name) => readFile(join(folder, name), 'utf8'));
      return [names.toSorted(), await Promise.all(texts)];
    };
    const promised = [await filesOf('dry-run', 'cluster-resources'), await filesOf('dry-run')];
    await sync(config, host, dir);
    expect(promised[0]?.[0]).toContain('signature-configmap.yaml');
    expect(promised).toEqual([await filesOf('cluster-resources'), await filesOf()]);
  });

  test('a second sync adds to mirror sets and signatures; the same images give the same bytes', async () => {
    const [dir, other] = [await lab.folder('twice'), await lab.folder('once')];
    const host = `${embedded.host}/twice`;
    await sync(await lab.imageSet(`mirror:\n${EXTRA}`), host, dir);
    const before = await resources(dir);

    await sync(await lab.imageSet(RELEASE_1), host, dir);
    await sync(await lab.imageSet(RELEASE_2), host, dir);
    await sync(await lab.imageSet(RELEASE_2), host, other);
    await sync(await lab.imageSet(`${RELEASE_1}${EXTRA}`), host, other);

    expect([...before.keys()]).toEqual(['itms-oc-mirror.yaml']);
    const after = await resources(dir);
    expect([...after.keys()]).toEqual([
      'idms-oc-mirror.yaml',
      'itms-oc-mirror.yaml',
      'signature-configmap.yaml',
    ]);
    expect(after.get('itms-oc-mirror.yaml')?.split('---\n').slice(-1)).toEqual([
      before.get('itms-oc-mirror.yaml'),
    ]);
    expect(after.get('itms-oc-mirror.yaml')).toContain('name: itms-release-0');
    const signatures = parse(after.get('signature-configmap.yaml') ?? '') as { binaryData: object };
    expect(Object.keys(signatures.binaryData)).toHaveLength(2);
    expect(await resources(other)).toEqual(after);
    const part = await readFile(join(dir, 'working-dir', 'install-config.yaml'), 'utf8');
    expect(parse(part)).toEqual({
      imageDigestSources: [
        {
          source: 'quay.io/openshift-release-dev/ocp-release',
          mirrors: [`${host}/openshift/release-images`],
        },
        {
          source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
          mirrors: [`${host}/openshift/release`],
        },
      ],
    });
  });

  test('--icsp replaces the newer kinds and warns of pulls by tag', async () => {
    const dir = await lab.folder('icsp');

    const { events, text } = await sync(
      await lab.imageSet(`${RELEASE_1}${EXTRA}`),
      `${embedded.host}/ocp`,
      dir,
      '--icsp',
    );

    expect([...(await resources(dir)).keys()]).toEqual([
      'icsp-oc-mirror.yaml',
      'signature-configmap.yaml',
    ]);
    expect(text).toContain('imageContentSources:');
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'warning.raised',
        message: expect.stringContaining('pulls by tag: quay.io/openshifttest') as string,
      }),
    );
  });

  test('targets that collide stop everything before anything is copied', async () => {
    const dir = await lab.folder('collide');
    const config = await lab.imageSet(`mirror:
  additionalImages:
  - name: quay.io/openshifttest/helm:3.17.0
    targetRepo: same
    targetTag: v1
  - name: quay.io/openshifttest/hello-openshift:multiarch
    targetRepo: same
    targetTag: v1
`);

    await expect(sync(config, `${embedded.host}/collide`, dir)).rejects.toMatchObject({
      code: 'TARGETS_COLLIDE',
      message: expect.stringContaining('collide/same:v1 <- quay.io/openshifttest/hello') as string,
    });
    expect(await lab.digestAt(embedded.host, 'collide/same', 'v1')).toBeUndefined();
  });

  test('one bad image costs only itself, and retry does only that', async () => {
    const dir = await lab.folder('bad');
    const blob = await blobFileOf('openshifttest/helm', '3.17.0');
    const good = await readFile(blob);
    await writeFile(blob, Buffer.alloc(good.length));
    const config = await lab.imageSet(`${RELEASE_1}${EXTRA}`);

    const first = await sync(config, `${embedded.host}/bad`, dir);
    await writeFile(blob, good);
    const again = await lab.atoll('retry', '--dir', dir, ...lab.registryFlags);

    expect(first.status).toBe(7);
    expect(mirrored(first).report).toMatchObject({ failed: 1, copied: 23 });
    expect(await readFile(mirrored(first).errorsFile ?? '', 'utf8')).toMatch(
      /^quay\.io\/openshifttest\/helm:3\.17\.0: \[CONTENT_MISMATCH\] [^\n]+\n$/,
    );
    expect(again.status).toBe(0);
    const { mirror } = again.result as { mirror: MirrorResult };
    expect(mirror.report.images.map(({ source }) => source)).toEqual([
      'quay.io/openshifttest/helm:3.17.0',
    ]);
    await expectMirrored(embedded.host, '4.18.1', 'bad/');
    expect(await resourceText(dir, 'idms-oc-mirror.yaml')).toContain('ocp-v4.0-art-dev');
  });

  test('retry after a save adds to the same bundle', async () => {
    const [dir, bundle] = [await lab.folder('grow'), await lab.folder('bundle')];
    const blob = await blobFileOf('openshifttest/helm', '3.17.0');
    const good = await readFile(blob);
    await writeFile(blob, Buffer.alloc(good.length));
    const config = await lab.imageSet(`${RELEASE_1}${EXTRA}`);

    const first = await save(config, bundle, dir, '--chunk-size', '16K');
    const partly = await load(bundle, `${embedded.host}/grow`, await lab.folder('in'));
    await writeFile(blob, good);
    const again = await lab.atoll('retry', '--dir', dir, ...lab.registryFlags);
    const whole = await load(bundle, `${embedded.host}/grow`, await lab.folder('in'));

    expect([first.status, partly.status, again.status, whole.status]).toEqual([7, 7, 0, 0]);
    expect(partly.text).toContain('openshifttest/helm:3.17.0: The bundle is partial');
    expect((await readdir(bundle)).filter((name) => !name.startsWith('chunk-'))).toEqual([
      'README_FIRST.txt',
      'SHA256SUMS',
      'bundle.json',
      'bundle.provenance.json',
      'bundle.spdx.json',
    ]);
    await expectMirrored(embedded.host, '4.18.1', 'grow/');
  });

  test('a bundle that lacks something says so everywhere, until the same save has added it', async () => {
    const dir = await lab.folder('second');
    const bundle = join(dir, 'bundle');
    const set = (name: string) => `mirror:
  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
  - name: quay.io/openshifttest/${name}:3.17.0
`;

    const partly = await save(await lab.imageSet(set('helmet')), bundle, dir);
    const { missing } = await checkBundle(silentContext(), bundle, []);
    const loaded = await load(bundle, `${embedded.host}/second`, dir);
    const readme = await readFile(join(bundle, 'README_FIRST.txt'), 'utf8');
    const rest = await save(await lab.imageSet(set('helm')), bundle, dir);

    expect(partly.text).toContain(
      'partial: it lacks additional quay.io/openshifttest/helmet:3.17.0',
    );
    expect(partly.text).toContain('next: Run the same "atoll mirror save" again');
    expect(missing).toMatchObject([{ subject: 'additional quay.io/openshifttest/helmet:3.17.0' }]);
    expect(readme).toContain('IT IS PARTIAL');
    expect(mirrored(loaded).report).toMatchObject({
      failed: 1,
      copied: 1,
      notCollected: [{ code: 'BUNDLE_PARTIAL', subject: missing[0]?.subject }],
    });
    const whole = await load(bundle, `${embedded.host}/second`, dir);
    expect([partly, loaded, rest, whole].map(({ status }) => status)).toEqual([7, 7, 0, 0]);
    expect((await checkBundle(silentContext(), bundle, [])).missing).toEqual([]);
    await expect(save(await lab.imageSet(set('helm')), bundle, dir)).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
    });
    for (const [name, tag] of [
      ['helm', '3.17.0'],
      ['hello-openshift', 'multiarch'],
    ] as const)
      expect(await lab.digestAt(embedded.host, `second/openshifttest/${name}`, tag)).toBeDefined();
  });

  test('a save that gets nothing leaves no bundle, and the same command makes one', async () => {
    const dir = await lab.folder('nothing');
    const bundle = join(dir, 'bundle');
    const set = (name: string) =>
      lab.imageSet(
        `mirror:\n  additionalImages:\n  - name: quay.io/openshifttest/${name}:3.17.0\n`,
      );

    const none = await save(await set('helmet'), bundle, dir);

    expect(none.status).toBe(7);
    expect(none.text).toContain(`There is no bundle in ${bundle}`);
    expect(none.text).not.toContain('carry it');
    expect(await readdir(bundle)).not.toContain('bundle.json');
    await expect(load(bundle, `${embedded.host}/nothing`, dir)).rejects.toMatchObject({
      code: 'BUNDLE_INVALID',
    });
    expect((await save(await set('helm'), bundle, dir)).status).toBe(0);
    expect((await load(bundle, `${embedded.host}/nothing`, dir)).status).toBe(0);
  });

  test('a damaged chunk is found before it is used, and only that one is needed again', async () => {
    const [dir, bundle] = [await lab.folder('damaged'), await lab.folder('bundle')];
    await save(await lab.imageSet(`${RELEASE_1}${EXTRA}`), bundle, dir, '--chunk-size', '12K');
    const chunk = join(bundle, 'chunk-000002.atoll');
    const good = await readFile(chunk);
    await writeFile(chunk, Buffer.from(good.map((byte, at) => (at === 7 ? byte ^ 1 : byte))));
    // Nothing is known of what lies in the others as long as the last chunk, with the manifests, is away.
    const chunks = (await readdir(bundle)).filter((name) => name.startsWith('chunk-')).toSorted();
    const last = chunks.at(-1) ?? '';
    await rename(join(bundle, last), join(dir, last));

    const blind = await load(bundle, `${embedded.host}/damaged`, dir);
    await rename(join(dir, last), join(bundle, last));
    const first = await load(bundle, `${embedded.host}/damaged`, dir);
    await writeFile(chunk, good);
    const again = await lab.atoll('retry', '--dir', dir, '--insecure');

    expect(blind.events).toContainEqual(
      expect.objectContaining({
        type: 'warning.raised',
        message: `Damaged in the bundle: chunk-000002.atoll (different bytes), ${last} (missing)`,
      }),
    );
    expect(first.status).toBe(7);
    expect(first.text.match(/^failed/gm)).toHaveLength(1);
    expect(first.text).toContain('next: Copy chunk-000002.atoll again from the side that saved it');
    expect(mirrored(first).report.copied).toBeGreaterThan(0);
    expect(again.status).toBe(0);
    await expectMirrored(embedded.host, '4.18.1', 'damaged/');
  });

  test('sparse images keep their digest where the registry lets them, and say how where not', async () => {
    const dir = await lab.folder('sparse');
    const config = await lab.imageSet(`mirror:
  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
    platforms:
    - os: linux
      architecture: arm64
`);

    const made = await sync(config, `${embedded.host}/sparse`, dir);
    const refused = await sync(config, `${docker.host}/sparse`, await lab.folder('sparse'));

    expect([made.status, refused.status]).toEqual([0, 7]);
    expect(
      await lab.digestAt(embedded.host, 'sparse/openshifttest/hello-openshift', 'multiarch'),
    ).toMatch(/^sha256:722b129aaff2/);
    expect(refused.text).toContain('wants every platform');
    expect(refused.text).toContain('validation.manifests.indexes.platforms: none');
    await lab.atoll(
      'inventory',
      '--at',
      `docker://${embedded.host}/sparse`,
      '--to',
      join(dir, 'inventory.json'),
      '--dir',
      dir,
      '--insecure',
    );
    expect(await readFile(join(dir, 'inventory.json'), 'utf8')).toContain('"sha256:722b129aaff2');
  });

  test('--max-nested-paths holds in every name, resource and mapping', async () => {
    const dir = await lab.folder('nested');

    await sync(
      await lab.imageSet(RELEASE_1),
      `${embedded.host}/team`,
      dir,
      '--max-nested-paths',
      '2',
    );

    expect(
      await lab.digestAt(embedded.host, 'team/openshift-release-images', '4.18.1-x86_64'),
    ).toBeDefined();
    expect(await resourceText(dir, 'idms-oc-mirror.yaml')).toContain(
      `${embedded.host}/team/openshift-release\n`,
    );
  });

  test('a catalog template gives all but name, type and image', async () => {
    const dir = await lab.folder('template');
    const template = join(dir, 'template.yaml');
    await writeFile(template, TEMPLATE);
    const config = await lab.imageSet(catalogSet(template));

    const { status, text } = await sync(config, `${embedded.host}/cat`, dir);

    expect([status, text]).toEqual([0, expect.any(String)]);
    const names = [...(await resources(dir)).keys()];
    expect(names).toEqual(
      expect.arrayContaining([
        'cs-redhat-operator-index-v4-18.yaml',
        'cc-redhat-operator-index-v4-18.yaml',
      ]),
    );
    expect(parse(await resourceText(dir, 'cs-redhat-operator-index-v4-18.yaml'))).toMatchObject({
      metadata: {
        name: 'cs-redhat-operator-index-v4-18',
        namespace: 'openshift-marketplace',
        labels: { team: 'a' },
      },
      spec: {
        sourceType: 'grpc',
        image: `${embedded.host}/cat/redhat/redhat-operator-index:v4.18`,
        displayName: 'Ours',
        updateStrategy: { registryPoll: { interval: '30m' } },
      },
    });
    await writeFile(template, TEMPLATE.replace('grpc', 'internal'));
    await expect(sync(config, `${embedded.host}/cat`, dir)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  });

  test('the graph image is built, carried and named in an UpdateService', async () => {
    const [dir, bundle] = [await lab.folder('graph'), await lab.folder('bundle')];
    const data = join(dir, 'graph-data');
    await mkdir(join(data, 'channels'), { recursive: true });
    await writeFile(join(data, 'version'), '1.2.0\n');
    await writeFile(join(data, 'channels', 'stable-4.18.yaml'), 'name: stable-4.18\n');
    await run('tar', ['-czf', `${data}.tar.gz`, '-C', data, '.']);
    const config = await lab.imageSet(RELEASE_1.replace('platform:', 'platform:\n    graph: true'));
    const graph = [
      ...['--graph-data', `${data}.tar.gz`],
      ...['--graph-base-image', 'quay.io/openshifttest/hello-openshift:multiarch'],
    ];

    const out = await save(config, bundle, dir, ...graph);
    const back = await load(bundle, `${embedded.host}/graph`, dir);

    expect([out.status, back.status, out.text]).toEqual([0, 0, expect.any(String)]);
    expect(parse(await resourceText(dir, 'updateService.yaml'))).toEqual({
      apiVersion: 'updateservice.operator.openshift.io/v1',
      kind: 'UpdateService',
      metadata: { name: 'update-service-oc-mirror', namespace: 'openshift-update-service' },
      spec: {
        replicas: 2,
        releases: `${embedded.host}/graph/openshift/release-images`,
        graphDataImage: `${embedded.host}/graph/openshift/graph-image:latest`,
      },
    });
    expect(
      await lab.digestAt(embedded.host, 'graph/openshift/graph-image', 'latest'),
    ).toBeDefined();
  });

  test('operators cross the gap with their catalog', async () => {
    const [dir, bundle] = [await lab.folder('operators'), await lab.folder('bundle')];
    const config = await lab.imageSet(catalogSet());

    const straight = await sync(config, `${docker.host}/straight`, await lab.folder('straight'));
    const out = await save(config, bundle, dir);
    const back = await load(bundle, `${docker.host}/carried`, dir);

    expect([straight.status, out.status, back.status]).toEqual([0, 0, 0]);
    const placesOf = (each: LabRun) =>
      mirrored(each)
        .report.images.map(
          ({ target, digest }) => `${target.split('/').slice(2).join('/')} ${digest}`,
        )
        .toSorted();
    expect(placesOf(back)).toEqual(placesOf(straight));
    expect(await lab.digestAt(docker.host, 'carried/redhat/redhat-operator-index', 'v4.18')).toBe(
      await lab.digestAt(docker.host, 'straight/redhat/redhat-operator-index', 'v4.18'),
    );
  });

  test('skopeo and podman pull through the generated registries.conf', async () => {
    const dir = await lab.folder('pull');
    await sync(await lab.imageSet(`${RELEASE_1}${EXTRA}`), `${docker.host}/pull`, dir);
    const conf = join(dir, 'registries.conf');
    await writeFile(
      conf,
      registriesConf({
        rules: await rulesIn(dir, 'idms'),
        tagRules: await rulesIn(dir, 'itms'),
        blocked: ['quay.io'],
        insecure: [docker.host],
      }),
    );
    const digest =
      (await upstreamEntries()).find(({ digest: each }) => each.startsWith('sha256:6d025bba6514'))
        ?.digest ?? '';

    const env = { ...process.env, CONTAINERS_REGISTRIES_CONF: conf, REGISTRIES_CONFIG_PATH: conf };
    const byDigest = `docker://quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`;
    const policy = '--insecure-policy';
    await run(
      'skopeo',
      [policy, 'copy', '--registries-conf', conf, byDigest, `dir:${join(dir, 'etcd')}`],
      { env },
    );
    await run(
      'skopeo',
      [
        policy,
        'copy',
        '--registries-conf',
        conf,
        'docker://quay.io/openshifttest/helm:3.17.0',
        `dir:${join(dir, 'helm')}`,
      ],
      { env },
    );
    const storage = [
      '--root',
      join(dir, 'storage'),
      '--runroot',
      join(dir, 'run'),
      '--storage-driver',
      'vfs',
    ];
    const manifest = await run(
      'podman',
      [...storage, 'manifest', 'inspect', 'quay.io/openshifttest/hello-openshift:multiarch'],
      { env },
    );

    const pulled = await run(
      'podman',
      [...storage, 'pull', '--quiet', `quay.io/openshift-release-dev/ocp-v4.0-art-dev@${digest}`],
      { env },
    );

    expect(pulled.stdout).toMatch(/^[0-9a-f]{64}\n$/);
    expect(await readdir(join(dir, 'etcd'))).toContain('manifest.json');
    expect(await readdir(join(dir, 'helm'))).toContain('manifest.json');
    expect(JSON.parse(manifest.stdout).manifests).toHaveLength(4);
  });
});

const TEMPLATE = `apiVersion: operators.coreos.com/v1alpha1
kind: CatalogSource
metadata:
  name: ignored
  labels: {team: a}
spec:
  sourceType: grpc
  displayName: Ours
  updateStrategy: {registryPoll: {interval: 30m}}
`;

const catalogSet = (template?: string) => `mirror:
  operators:
  - catalog: registry.redhat.io/redhat/redhat-operator-index:v4.18
${template ? `    targetCatalogSourceTemplate: ${template}\n` : ''}    packages:
    - name: quay-operator
`;

/** Where docker-registry keeps the layer of an image: to break and mend it. */
async function blobFileOf(repository: string, tag: string): Promise<string> {
  const accept = 'application/vnd.docker.distribution.manifest.v2+json';
  const response = await fetch(`${lab.upstream.url}/v2/${repository}/manifests/${tag}`, {
    headers: { accept },
  });
  const { layers } = (await response.json()) as { layers: { digest: string }[] };
  const hex = layers[0]?.digest.slice('sha256:'.length) ?? '';
  return join(
    lab.upstream.root,
    'data/docker/registry/v2/blobs/sha256',
    hex.slice(0, 2),
    hex,
    'data',
  );
}

async function rulesIn(dir: string, kind: 'idms' | 'itms'): Promise<MirrorRule[]> {
  const documents = parseAllDocuments(await resourceText(dir, `${kind}-oc-mirror.yaml`)).map(
    (each) => each.toJS(),
  );
  return documents.flatMap(({ spec }) => spec.imageDigestMirrors ?? spec.imageTagMirrors);
}
