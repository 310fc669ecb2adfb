import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CATALOG_COMMANDS } from '../src/cli/commands/catalog/index.ts';
import { parseArguments } from '../src/cli/parse.ts';
import { createStyle } from '../src/cli/style.ts';
import { once } from '../src/core/bytes.ts';
import { recordingContext } from '../src/core/context.ts';
import type { MirrorResult } from '../src/mirror/flow/mirror-images.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { describeWithPeers, peerPath } from './support/peers.ts';
import { tempDir } from './support/temp.ts';
import { upstreamEntries } from './support/upstream.ts';

// Real registries and podman, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const run = promisify(execFile);
const INDEX = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';
const ODF = `mirror:
  operators:
  - catalog: ${INDEX}
    targetCatalog: ocp/operators
    targetTag: now
    packages:
    - name: odf-operator
`;

const isOperators = (reference: string) =>
  reference.startsWith('registry.redhat.io/') || reference.includes('openshifttest/helm');

let lab: MirrorLab;
let mirror: DockerRegistry;

const sync = async (config: string) => {
  const dir = await lab.folder('work');
  const to = `docker://${mirror.host}`;
  const done = await lab.atoll('sync', '-c', config, '--to', to, '--dir', dir, ...lab.collectFlags);
  return { ...done, report: (done.result as { result: MirrorResult }).result.report };
};

/** Runs `atoll catalog …` as the command line would. */
async function catalog(...argv: string[]) {
  const words = ['catalog', ...argv, ...lab.registryFlags];
  const parsed = parseArguments(words, { commands: CATALOG_COMMANDS, groups: { catalog: 'x' } });
  if (parsed.kind !== 'run') throw new Error(parsed.text);
  const terminal = {
    env: {},
    interactive: false,
    confirm: async () => false,
    ask: async (_question: string, fallback: string) => fallback,
    readStdin: async () => '',
    stdin: () => once(Buffer.alloc(0)),
    isPiped: false,
  };
  const { command, args, options, given } = parsed;
  const result = await command.run(recordingContext(), { args, options, given, terminal });
  return {
    result,
    status: command.exitCode(result),
    text: command.text?.(result, createStyle(false)) ?? '',
  };
}

describeWithPeers(['docker-registry', 'podman'], 'operator catalogs', () => {
  beforeAll(async () => {
    [lab, mirror] = await Promise.all([startMirrorLab(isOperators), startDockerRegistry()]);
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), mirror?.stop()]);
  });

  test('a filtered catalog is mirrored with all it needs; podman sees the new catalog and no cache', async () => {
    const { report, status } = await sync(await lab.imageSet(ODF));

    expect({ status, failed: report.failed, copied: report.copied }).toEqual({
      status: 0,
      failed: 0,
      copied: 8,
    });
    const storage = await tempDir();
    const podman = (...words: string[]) =>
      run(peerPath('podman') ?? 'podman', [
        ...['--root', join(storage, 'root'), '--runroot', join(storage, 'run')],
        ...['--storage-driver', 'vfs', ...words],
      ]);
    const image = `${mirror.host}/ocp/operators:now`;
    await podman('pull', '--tls-verify=false', '--quiet', image);
    const created = await podman('create', image);
    const archive = join(storage, 'image.tar');
    await podman('export', '--output', archive, created.stdout.trim());
    const { stdout } = await run('tar', ['-tvf', archive]);
    const entries = stdout
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .map(([mode = '', , , , , path = '']) => `${mode} ${path}`)
      .filter((line) => /(configs|tmp)\//.test(line));

    expect(entries.toSorted()).toEqual([
      '-rw-r--r-- configs/mcg-operator/catalog.json',
      '-rw-r--r-- configs/ocs-operator/catalog.json',
      '-rw-r--r-- configs/odf-operator/catalog.json',
      'drwxr-xr-x configs/',
      'drwxr-xr-x configs/mcg-operator/',
      'drwxr-xr-x configs/ocs-operator/',
      'drwxr-xr-x configs/odf-operator/',
      'drwxrwxr-x tmp/cache/',
      'drwxrwxrwt tmp/',
    ]);
    await podman('rm', '--all', '--force');
  });

  test('the same catalog, mirrored again, is there already', async () => {
    const config = await lab.imageSet(ODF);
    const first = await sync(config);
    const again = await sync(config);

    expect(again.report.copiedBytes).toBe(0);
    expect(again.report.images.map(({ digest }) => digest)).toEqual(
      first.report.images.map(({ digest }) => digest),
    );
  });

  test('a whole catalog keeps its digest', async () => {
    const whole = `mirror:\n  operators:\n  - catalog: ${INDEX}\n    full: true\n`;

    const { report } = await sync(await lab.imageSet(whole));

    const upstream = (await upstreamEntries()).find(({ reference }) => reference === INDEX);
    expect(report.failed).toBe(0);
    expect(await lab.digestAt(mirror.host, 'redhat/redhat-operator-index', 'v4.18')).toBe(
      upstream?.digest,
    );
  });

  test('a misspelled package is an error, and no catalog without it is published', async () => {
    const typo = ODF.replace('odf-operator', 'odf-operatr').replace('ocp/operators', 'ocp/typo');

    const { report, status } = await sync(await lab.imageSet(typo));

    expect(status).toBe(7);
    expect(report.notCollected[0]?.hint).toBe('Did you mean "odf-operator"?');
    expect(await lab.digestAt(mirror.host, 'ocp/typo', 'now')).toBeUndefined();
  });

  test('atoll catalog packages, channels and bundles list what there is', async () => {
    const packages = await catalog('packages', INDEX);
    const channels = await catalog('channels', INDEX, 'quay-operator');
    const bundles = await catalog('bundles', INDEX, '--package', 'odf-operator');

    expect(packages.text.split('\n')[0]).toMatch(/^PACKAGE +DEFAULT CHANNEL +VERSION/);
    expect(packages.text).toMatch(/^odf-operator +stable-4\.18 +4\.18\.1 +1 +2$/m);
    expect(channels.text).toMatch(/^quay-operator +stable-3\.13 +3\.13\.0 .* default$/m);
    expect(bundles.result).toMatchObject({
      bundles: [
        {
          name: 'odf-operator.v4.18.1',
          requires: ['package ocs-operator >=4.18.0 <4.19.0', 'API NooBaa noobaa.io/v1alpha1'],
        },
        { name: 'odf-operator.v4.18.0' },
      ],
    });
  });

  test('atoll catalog resolve explains every bundle, by flags and by image set', async () => {
    const byFlag = await catalog('resolve', INDEX, '--package', 'odf-operator');
    const bySet = await catalog('resolve', '-c', await lab.imageSet(ODF));
    const alone = await catalog('resolve', INDEX, '--package', 'odf-operator', '--no-dependencies');
    const some = await catalog('resolve', INDEX, '--package', 'quay-operator:stable-3.12@3.12.1..');

    expect(byFlag.text).toContain('needed by odf-operator.v4.18.1: API NooBaa noobaa.io/v1alpha1');
    expect(byFlag.text).toContain('3 packages, 3 bundles, 7 images');
    expect(bySet.text).toBe(byFlag.text);
    expect(alone.text).toContain('1 package, 1 bundle, 3 images');
    expect(some.text).toContain('quay-operator.v3.12.1  in versions from 3.12.1');
    expect(byFlag.status).toBe(0);
  });

  test('atoll catalog says what it cannot do', async () => {
    const typo = await catalog('resolve', INDEX, '--package', 'quay-operatr');

    expect(typo.status).toBe(3);
    expect(typo.text).toContain('Did you mean "quay-operator"?');
    await expect(catalog('resolve')).rejects.toThrow('Cannot tell what to resolve');
    await expect(catalog('resolve', INDEX, '--package', 'a@x..y')).rejects.toThrow(
      '"x" is not a version',
    );
    await expect(catalog('channels', INDEX, 'odf')).rejects.toThrow('Cannot find package "odf"');
    await expect(catalog('packages', 'quay.io/openshifttest/helm:3.17.0')).rejects.toThrow(
      'as an operator catalog',
    );
  });
});
