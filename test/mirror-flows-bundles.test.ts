import { execFile } from 'node:child_process';
import { cp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MirrorResult } from '../src/mirror/flow/mirror-images.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type LabRun, type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { alterBlob, renameTag, writeArchives } from './support/oc-archives.ts';
import { describeWithPeers } from './support/peers.ts';
import { UPSTREAM } from './support/upstream.ts';

const run = promisify(execFile);
const CATALOG = 'registry.redhat.io/redhat/redhat-operator-index:v4.18';
const EVERYTHING = `mirror:
  platform:
    channels:
    - name: stable-4.18
      minVersion: 4.18.1
      maxVersion: 4.18.1
  operators:
  - catalog: ${CATALOG}
    packages:
    - name: quay-operator
  additionalImages:
  - name: quay.io/openshifttest/hello-openshift:multiarch
`;
const SMALL = 'mirror:\n  additionalImages:\n  - name: quay.io/openshifttest/helm:3.17.0\n';

let lab: MirrorLab;
let embedded: EmbeddedRegistry;

const reportOf = ({ result }: LabRun) => (result as { result: MirrorResult }).result.report;
const load = (from: string, to: string, dir: string, ...more: string[]) =>
  lab.atoll('load', '--from', from, '--to', `docker://${to}`, '--dir', dir, '--insecure', ...more);

describeWithPeers(['docker-registry', 'gpg'], 'atoll mirror load', () => {
  beforeAll(async () => {
    [lab, embedded] = await Promise.all([startMirrorLab(), startEmbeddedRegistry()]);
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), embedded?.stop()]);
  });

  describe('of archives of oc-mirror v2', () => {
    let cache: DockerRegistry;
    let straight: MirrorResult;
    let archives: string;

    beforeAll(async () => {
      // The storage of a real registry with the names of oc-mirror is what such an archive holds.
      cache = await startDockerRegistry();
      const dir = await lab.folder('cache');
      const config = await lab.imageSet(EVERYTHING);
      const argv = ['-c', config, '--to', `docker://${cache.host}`, '--dir', dir];
      const { result } = await lab.atoll('sync', ...argv, ...lab.collectFlags);
      straight = (result as { result: MirrorResult }).result;
      await renameTag(cache, 'redhat/redhat-operator-index', 'v4.18', 'a'.repeat(32));
      archives = await lab.folder('archives');
      await writeArchives(cache.root, config, archives);
    });
    afterAll(() => cache?.stop());

    test('loads every image with its signature and writes the same resources', async () => {
      const dir = await lab.folder('in');

      const { status, events } = await load(archives, `${embedded.host}/oc`, dir);

      expect(status).toBe(0);
      for (const { target, digest } of straight.report.images) {
        const [, repository = '', tag = ''] = /^[^/]+\/(.+):([^:]+)$/.exec(target) ?? [];
        expect(`${target} ${await lab.digestAt(embedded.host, `oc/${repository}`, tag)}`).toBe(
          `${target} ${digest}`,
        );
      }
      const release = straight.report.images.find(({ kind }) => kind === 'release')?.digest ?? '';
      expect(
        await lab.digestAt(
          embedded.host,
          'oc/openshift/release-images',
          `${release.replace(':', '-')}.sig`,
        ),
      ).toBeDefined();
      expect(events.filter(({ type }) => type === 'warning.raised')).toEqual([]);
      const folder = join(dir, 'working-dir', 'cluster-resources');
      for (const path of straight.resources) {
        const name = path.split('/').at(-1) ?? '';
        const text = await readFile(path, 'utf8');
        expect(await readFile(join(folder, name), 'utf8')).toBe(
          text.replaceAll(cache.host, `${embedded.host}/oc`),
        );
      }
    });

    test('finds an archive that was cut, and content that was altered', async () => {
      const [cut, altered] = [await lab.folder('cut'), await lab.folder('altered')];
      for (const folder of [cut, altered]) await cp(archives, folder, { recursive: true });
      const [first = ''] = (await readdir(cut)).toSorted();
      const { size } = { size: (await readFile(join(cut, first))).length };
      await truncate(join(cut, first), Math.floor(size / 2));
      await alterBlob(altered, straight.report.images[0]?.digest ?? '');

      await expect(load(cut, `${embedded.host}/cut`, cut)).rejects.toMatchObject({
        code: 'BUNDLE_DAMAGED',
      });
      const bad = await load(altered, `${embedded.host}/altered`, altered);
      expect(bad.status).toBe(7);
      expect(bad.text).toContain('[CONTENT_MISMATCH]');
      expect(
        await lab.digestAt(embedded.host, 'altered/openshift/release-images', '4.18.1-x86_64'),
      ).toBeUndefined();
    });

    test('misses an archive that was left behind', async () => {
      const [one, other] = [await lab.folder('gap'), await lab.folder('end')];
      await cp(join(archives, 'mirror_000002.tar'), join(one, 'mirror_000002.tar'));
      await cp(join(archives, 'mirror_000001.tar'), join(other, 'mirror_000001.tar'));

      await expect(load(one, `${embedded.host}/gap`, one)).rejects.toMatchObject({
        code: 'BUNDLE_DAMAGED',
        message: expect.stringContaining('mirror_000001.tar is missing') as string,
      });
      const { events } = await load(other, `${embedded.host}/end`, other);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: 'warning.raised',
          message: expect.stringContaining('one may be missing') as string,
        }),
      );
    });

    test('leaves images of earlier archives alone, and needs no second copy on disk', async () => {
      const folder = await lab.folder('later');
      const names = (await readdir(archives)).toSorted();
      await cp(join(archives, names.at(-1) ?? ''), join(folder, 'mirror_000001.tar'));
      const before = await readdir(folder);

      const { status, result, events } = await load(
        folder,
        `${embedded.host}/oc`,
        await lab.folder('in'),
      );

      expect(status).toBe(0);
      expect(reportOf({ result } as LabRun).images.length).toBeLessThan(
        straight.report.images.length,
      );
      expect(events).toContainEqual(expect.objectContaining({ type: 'note.added' }));
      expect(await readdir(folder)).toEqual(before);
    });
  });

  describe('of signed bundles', () => {
    let home: string;
    let publicKey: string;
    const gpg = (...argv: string[]) => run('gpg', ['--homedir', home, '--batch', '--yes', ...argv]);

    beforeAll(async () => {
      home = await lab.folder('gnupg');
      await run('chmod', ['700', home]);
      const phrase = ['--pinentry-mode', 'loopback', '--passphrase', 'correct horse'];
      await gpg(
        ...phrase,
        '--quick-generate-key',
        'Team <team@example.com>',
        'ed25519',
        'sign',
        '0',
      );
      await writeFile(
        join(home, 'key.asc'),
        (await gpg(...phrase, '--armor', '--export-secret-keys')).stdout,
      );
      publicKey = join(home, 'public.asc');
      await writeFile(publicKey, (await gpg('--armor', '--export')).stdout);
      await writeFile(join(home, 'phrase'), 'correct horse\n');
    });

    const save = async (bundle: string, ...more: string[]) =>
      lab.atoll(
        ...[
          'save',
          '-c',
          await lab.imageSet(SMALL),
          '--to',
          bundle,
          '--dir',
          await lab.folder('out'),
        ],
        ...[...lab.collectFlags, ...more],
      );
    const signing = () => [
      '--sign-key',
      join(home, 'key.asc'),
      '--sign-passphrase-file',
      join(home, 'phrase'),
    ];

    test('a signature of the right key is required before anything is used', async () => {
      const [bundle, dir] = [await lab.folder('bundle'), await lab.folder('in')];
      await save(bundle, ...signing());

      const verified = await gpg(
        '--verify',
        join(bundle, 'bundle.json.asc'),
        join(bundle, 'bundle.json'),
      );
      const loaded = await load(bundle, `${embedded.host}/signed`, dir, '--verify-key', publicKey);
      const unasked = await load(bundle, `${embedded.host}/signed`, dir);
      const retry = (key: string) =>
        lab.atoll('retry', '--dir', dir, '--insecure', '--verify-key', key);

      expect(verified.stderr).toContain('Good signature');
      expect(loaded.status).toBe(0);
      expect(unasked.events).toContainEqual(
        expect.objectContaining({
          message: expect.stringContaining('nobody verified it') as string,
        }),
      );
      await expect(retry(join(UPSTREAM, 'release-key.asc'))).rejects.toMatchObject({
        code: 'SIGNATURE_INVALID',
      });
      expect((await retry(publicKey)).status).toBe(0);
    });

    test('an altered index, no signature, and another key are refused', async () => {
      const [bundle, dir] = [await lab.folder('bundle'), await lab.folder('in')];
      await save(bundle, ...signing());
      const index = join(bundle, 'bundle.json');
      const text = await readFile(index, 'utf8');
      const wanted = ['--verify-key', publicKey];
      const refused = { code: 'SIGNATURE_INVALID' };
      const at = `${embedded.host}/refused`;

      await writeFile(index, text.replace('"helm', '"hell').replace('3.17.0', '3.17.1'));
      await expect(load(bundle, at, dir, ...wanted)).rejects.toMatchObject(refused);
      await writeFile(index, text);
      const other = ['--verify-key', join(UPSTREAM, 'release-key.asc')];
      await expect(load(bundle, at, dir, ...other)).rejects.toMatchObject(refused);
      await rm(join(bundle, 'bundle.json.asc'));
      await expect(load(bundle, at, dir, ...wanted)).rejects.toMatchObject(refused);
      expect(
        await lab.digestAt(embedded.host, 'refused/openshifttest/helm', '3.17.0'),
      ).toBeUndefined();
    });

    test('a wrong passphrase is told without being shown', async () => {
      await writeFile(join(home, 'wrong'), 'battery staple');
      const bundle = await lab.folder('bundle');
      const argv = [
        '--sign-key',
        join(home, 'key.asc'),
        '--sign-passphrase-file',
        join(home, 'wrong'),
      ];

      const failed = save(bundle, ...argv);

      await expect(failed).rejects.toMatchObject({ code: 'INPUT_INVALID' });
      await expect(failed).rejects.not.toMatchObject({
        message: expect.stringContaining('staple') as string,
      });
      expect(await readdir(bundle)).toEqual([]);
    });
  });
});
