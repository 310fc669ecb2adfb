import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { MirrorResult } from '../src/mirror/flow/mirror-images.ts';
import { type DockerRegistry, startDockerRegistry } from './support/docker-registry.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { type LabRun, type MirrorLab, startMirrorLab } from './support/mirror-lab.ts';
import { renameTag, writeArchive } from './support/oc-archives.ts';
import { describeWithPeers } from './support/peers.ts';

const run = promisify(execFile);
const INDEX = 'redhat/redhat-operator-index';
const CATALOG = `registry.redhat.io/${INDEX}:v4.18`;
const FILTER = 'a'.repeat(32);
const HELLO = 'openshifttest/hello-openshift';

const resultOf = ({ result }: LabRun) => (result as { result: MirrorResult }).result;

describeWithPeers(['docker-registry'], 'an archive of oc-mirror v2', () => {
  let lab: MirrorLab;
  let embedded: EmbeddedRegistry;
  let cache: DockerRegistry;
  let extra: string;
  let original: string;
  let filtered: string;
  const digestIn = async (repository: string, tag: string) =>
    (await lab.digestAt(cache.host, repository, tag)) ?? '';
  const load = async (from: string, path: string) => {
    const dir = await lab.folder('in');
    const to = `docker://${embedded.host}/${path}`;
    const run = await lab.atoll('load', '--from', from, '--to', to, '--dir', dir, '--insecure');
    const resources = join(dir, 'working-dir', 'cluster-resources');
    const names = await readdir(resources).catch(() => []);
    const text = await Promise.all(names.map((name) => readFile(join(resources, name), 'utf8')));
    return { ...run, names, text: text.join('') };
  };
  const setWith = (operator: string) => `mirror:
  operators:
  - catalog: ${CATALOG}
${operator}
  additionalImages:
  - name: quay.io/${HELLO}@${extra}
  - name: quay.io/openshifttest/helm:3.17.0
`;
  const PACKAGES = '    packages:\n    - name: quay-operator';

  beforeAll(async () => {
    [lab, embedded, cache] = await Promise.all([
      startMirrorLab(),
      startEmbeddedRegistry(),
      startDockerRegistry(),
    ]);
    extra = (await lab.digestAt(lab.upstream.host, HELLO, 'multiarch')) ?? '';
    const config = await lab.imageSet(setWith(PACKAGES));
    const dir = await lab.folder('cache');
    const argv = ['-c', config, '--to', `docker://${cache.host}`, '--dir', dir];
    expect((await lab.atoll('sync', ...argv, ...lab.collectFlags)).status).toBe(0);
    filtered = await digestIn(INDEX, 'v4.18');
    // oc-mirror keeps the filtered catalog under a hash, and the one it was made from under its tag.
    await renameTag(cache, INDEX, 'v4.18', FILTER);
    const copy = [`docker://${CATALOG}`, `docker://${cache.host}/${INDEX}:v4.18`];
    await lab.atoll('copy', ...copy, ...lab.registryFlags);
    original = await digestIn(INDEX, 'v4.18');
    const made = join('operator-catalogs/redhat-operator-index', original.slice(7));
    const place = join(cache.root, 'data/working-dir', made, 'filtered-catalogs', FILTER);
    await mkdir(place, { recursive: true });
    await writeFile(join(place, 'digest'), filtered.slice(7));
  });
  afterAll(async () => {
    await Promise.all([lab?.stop(), embedded?.stop(), cache?.stop()]);
  });

  test('with a filtered catalog loads that one, where clusters look for it', async () => {
    const folder = await lab.folder('filtered');
    await writeArchive(cache.root, await lab.imageSet(setWith(PACKAGES)), folder);

    const { status, names, text, events } = await load(folder, 'filtered');

    expect(events.filter(({ type }) => type === 'warning.raised')).toEqual([]);
    expect(status).toBe(0);
    const at = (tag: string) => lab.digestAt(embedded.host, `filtered/${INDEX}`, tag);
    expect([await at('v4.18'), await at(FILTER)]).toEqual([filtered, undefined]);
    expect(filtered).not.toBe(original);
    expect(names).toContain('cs-redhat-operator-index-v4-18.yaml');
    expect(text).toContain('name: idms-generic-0');
    expect(text).toContain('source: quay.io/openshifttest');
  });

  test('with a full catalog gets its objects and rules, and names what nobody has', async () => {
    const folder = await lab.folder('full');
    await writeArchive(cache.root, await lab.imageSet(setWith('    full: true')), folder);

    const run = await load(folder, 'full');

    expect(await lab.digestAt(embedded.host, `full/${INDEX}`, 'v4.18')).toBe(original);
    expect(run.names).toContain('cc-redhat-operator-index-v4-18.yaml');
    expect(run.text).toContain('name: idms-operator-0');
    expect(run.status).toBe(7);
    const { notCollected } = resultOf(run).report;
    expect(new Set(notCollected.map(({ code }) => code))).toEqual(new Set(['BUNDLE_BASE_MISSING']));
    expect(notCollected.map(({ subject }) => subject).join()).toContain('odf');
  });

  describeWithPeers(['helm'], 'that holds charts', () => {
    test.each(['repositories', 'local'])(
      'with charts (%s) has rules for their images',
      async (kind) => {
        const folder = await lab.folder('charts');
        const chart = join(await lab.folder('chart'), 'web');
        await mkdir(join(chart, 'templates'), { recursive: true });
        await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
        const image = 'quay.io/openshifttest/helm:3.17.0';
        const pod = { kind: 'Pod', metadata: { name: 'p' }, spec: { containers: [{ image }] } };
        await writeFile(join(chart, 'templates', 'pod.yaml'), JSON.stringify(pod));
        // Charts of repositories are in the archive; others have to be where they were.
        const carried = join(cache.root, 'data/working-dir/helm/charts');
        const charts = kind === 'local' ? chart : carried;
        await rm(carried, { recursive: true, force: true });
        await run('helm', ['package', chart, '--destination', charts]);
        const asked =
          kind === 'local'
            ? { local: [{ name: 'web', path: join(charts, 'web-1.0.0.tgz') }] }
            : {
                repositories: [
                  { name: 'r', url: 'https://charts.example.com', charts: [{ name: 'web' }] },
                ],
              };
        const set = `mirror:
  operators:
  - catalog: ${CATALOG}
${PACKAGES}
  additionalImages:
  - name: quay.io/${HELLO}@${extra}
  helm: ${JSON.stringify(asked)}
`;
        await writeArchive(cache.root, await lab.imageSet(set), folder);

        const { status, text, events } = await load(folder, 'charts');

        expect(events.filter(({ type }) => type === 'warning.raised')).toEqual([]);
        expect(status).toBe(0);
        expect(text).toContain('name: itms-generic-0');
      },
    );
  });

  test('that is only a delta fails at a mirror without the rest, and loads where it is', async () => {
    const [whole, delta] = [await lab.folder('whole'), await lab.folder('delta')];
    const config = await lab.imageSet(setWith(PACKAGES));
    await writeArchive(cache.root, config, whole);
    await writeArchive(cache.root, config, delta, [extra]);

    const alone = await load(delta, 'alone');
    const first = await load(whole, 'both');
    const second = await load(delta, 'both');

    expect(alone.status).toBe(7);
    expect(resultOf(alone).report.notCollected).toMatchObject([
      { subject: `quay.io/${HELLO}@${extra}`, code: 'BUNDLE_BASE_MISSING' },
    ]);
    expect([first.status, second.status]).toEqual([0, 0]);
  });
});
