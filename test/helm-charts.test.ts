import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { hash } from 'bcryptjs';
import { expect, onTestFinished, test } from 'vitest';
import type { CollectDeps } from '../src/content/collecting.ts';
import { parseChartIndex, versionOf } from '../src/content/helm/chart-index.ts';
import { helmLogin } from '../src/content/helm/chart-login.ts';
import { formatReference } from '../src/oci/reference.ts';
import { formatGrants } from '../src/registry/auth/grants.ts';
import { collectCharts } from './support/charts.ts';
import { startEmbeddedRegistry } from './support/embedded-registry.ts';
import { describeWithPeers } from './support/peers.ts';
import { openRegistries } from './support/remote.ts';
import { tempDir } from './support/temp.ts';

const run = promisify(execFile);

const CHILD = {
  'Chart.yaml': 'apiVersion: v2\nname: child\nversion: 1.0.0\n',
  'values.yaml': 'image: quay.io/example/child:1\n',
  'templates/pod.yaml': `apiVersion: v1
kind: Pod
metadata: { name: "{{ .Chart.Name }}" }
spec: { containers: [{ name: c, image: "{{ .Values.image }}" }] }
`,
};
const chartOf = (version: string) => ({
  'Chart.yaml': `apiVersion: v2
name: parent
version: ${version}
dependencies:
- { name: child, version: 1.0.0, alias: first }
- { name: child, version: 1.0.0, alias: second }
`,
  'values.yaml': 'first: { image: "quay.io/example/first:1" }\n',
  'templates/operator.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: { name: operator }
spec:
  template:
    spec:
      containers:
      - name: operator
        image: {{ required "an image is needed" .Values.operator }}
        env:
        - { name: RELATED_IMAGE_AGENT, value: "quay.io/example/agent:${version}" }
        - { name: IMAGE_POLICY, value: Always }
`,
  'charts/child/Chart.yaml': CHILD['Chart.yaml'],
  'charts/child/values.yaml': CHILD['values.yaml'],
  'charts/child/templates/pod.yaml': CHILD['templates/pod.yaml'],
});

async function writeChart(version: string): Promise<string> {
  const folder = join(await tempDir(), 'parent');
  for (const [path, text] of Object.entries(chartOf(version))) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

async function valuesFile(): Promise<string> {
  const file = join(await tempDir(), 'values.yaml');
  await writeFile(file, 'operator: quay.io/example/operator:7\n');
  return file;
}

/** Versions packaged by helm itself. */
async function packaged(...versions: readonly string[]): Promise<string[]> {
  const folder = await tempDir();
  for (const version of versions)
    await run('helm', ['package', await writeChart(version), '--destination', folder]);
  return versions.map((version) => join(folder, `parent-${version}.tgz`));
}

/** A repository of charts with the index that helm makes, for everybody or for one login. */
async function served(charts: readonly string[], login?: string) {
  const folder = dirname(charts[0] ?? '');
  await run('helm', ['repo', 'index', folder]);
  const shown: (string | undefined)[] = [];
  const server = createServer(async (request, response) => {
    shown.push(request.headers.authorization);
    const isKnown = login === undefined || request.headers.authorization === login;
    response.statusCode = isKnown ? 200 : 401;
    response.end(isKnown ? await readFile(join(folder, basename(request.url ?? ''))) : 'who?');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, shown };
}

async function collect(helm: object, deps?: Partial<CollectDeps>) {
  const { images, failures } = await collectCharts(helm, deps);
  return { failures, names: images.map((image) => formatReference(image.source)) };
}

const IMAGES = (version: string) => [
  'quay.io/example/first:1',
  'quay.io/example/child:1',
  'quay.io/example/operator:7',
  `quay.io/example/agent:${version}`,
];

const REPOSITORY = { name: 'r', url: 'https://charts.example.com', charts: [] };
const RANGES = [
  ...['^1.2', '~1.2', '~1', '1.2.x', '1.2', '1', '*', '=1.2.7', '1.2.0 - 1.9.0', '1.2 - 1.9'],
  ...['>=1.0, <2', '>= 1.0 , < 2', '>1.2.7', '<1.9', '<=1.9', '^1.2 || ^3', '~3 || ~1.2', '^9'],
  ...['>=1.10.0-0', '>0.0.0-0', '^1.10.0-0', '>=1.9.0-0, <1.10.0', '>=1.9.0-0, <1.10.0-z'],
  ...['!=2.0.0, <2.0.3', '^2, !=2.0.3', 'v1.2.7', '1.10.0-rc.1', '~2.1.0-alpha'],
];

describeWithPeers(['helm'], 'charts with the real helm', () => {
  test('give the images of aliased sub-charts, of values files and of variables', async () => {
    const path = await writeChart('1.2.0');

    const bare = await collect({ local: [{ name: 'parent', path }] });
    const { names, failures } = await collect({
      local: [{ name: 'parent', path, valuesFiles: [await valuesFile()] }],
    });

    expect(bare.failures).toMatchObject([
      {
        message: expect.stringContaining('an image is needed'),
        hint: expect.stringContaining('valuesFiles'),
      },
    ]);
    expect(failures).toEqual([]);
    expect(names.toSorted()).toEqual(IMAGES('1.2.0').toSorted());
  });

  test('come from a repository with a login, the newest of a range', async () => {
    const login = `Basic ${btoa('team:pass word')}`;
    const { url, shown } = await served(await packaged('1.2.0', '1.9.0', '2.0.0'), login);
    const config = join(await tempDir(), 'repositories.yaml');
    const env = { HELM_REPOSITORY_CONFIG: config };
    const chart = { name: 'parent', version: '^1.2', valuesFiles: [await valuesFile()] };
    const helm = { repositories: [{ name: 'r', url, charts: [chart] }] };

    const refused = await collect(helm);
    const words = ['--username', 'team', '--password', 'pass word', '--repository-config', config];
    await run('helm', ['repo', 'add', 'r', url, ...words]);
    const { names, failures } = await collect(helm, { chartLogin: (each) => helmLogin(env, each) });

    expect(refused.failures).toHaveLength(1);
    expect(failures).toEqual([]);
    expect(names).toContain('quay.io/example/agent:1.9.0');
    expect(shown).toContain(undefined);
  });

  test('are chosen by a range as helm chooses them', async () => {
    const versions = ['1.2.0', '1.2.7', '1.9.0', '1.10.0-rc.1', '2.0.0', '2.1.0-alpha.1', 'v2.0.3'];
    const { url } = await served(await packaged(...versions));
    const index = parseChartIndex(await (await fetch(`${url}/index.yaml`)).text(), REPOSITORY);
    const byHelm = async (range: string) => {
      const words = ['parent', '--repo', url, '--version', range];
      const { stdout } = await run('helm', ['show', 'chart', ...words]);
      return /^version: (.*)$/m.exec(stdout)?.[1];
    };
    const byUs = (range: string) => versionOf(index.entries.parent ?? [], range)?.version;

    const theirs = await Promise.all(RANGES.map((range) => byHelm(range).catch(() => undefined)));

    expect(RANGES.map((range) => [range, byUs(range)])).toEqual(
      RANGES.map((range, at) => [range, theirs[at]]),
    );
  });

  test('come from a registry that asks for the login which helm has', async () => {
    const folder = await tempDir();
    const htpasswd = join(folder, 'htpasswd');
    await writeFile(htpasswd, `team:${await hash('pass word', 4)}\n`);
    const grants = join(folder, 'grants.yaml');
    await writeFile(grants, formatGrants({ team: [{ role: 'push', prefix: '' }] }));
    const registry = await startEmbeddedRegistry({ auth: { htpasswd, grants } });
    onTestFinished(() => registry.stop());
    const config = join(folder, 'helm', 'registry', 'config.json');
    const login = ['--username', 'team', '--password', 'pass word', '--registry-config', config];
    await run('helm', ['registry', 'login', registry.host, ...login, '--plain-http']);
    const [chart = ''] = await packaged('1.2.0');
    const push = ['push', chart, `oci://${registry.host}/charts`, '--registry-config', config];
    await run('helm', [...push, '--plain-http']);
    const asked = { name: 'parent', version: '1.2.0', valuesFiles: [await valuesFile()] };
    const url = `oci://${registry.host}/charts`;
    const collectWith = (env: Record<string, string>) => {
      const registries = openRegistries({ env });
      return collect(
        { repositories: [{ name: 'r', url, charts: [asked] }] },
        { source: (reference) => registries.source(reference) },
      );
    };

    expect((await collectWith({})).failures).toMatchObject([{ code: 'REGISTRY_DENIED' }]);
    for (const env of [{ XDG_CONFIG_HOME: folder }, { HELM_REGISTRY_CONFIG: config }]) {
      const { names, failures } = await collectWith(env);
      expect([failures, names.toSorted()]).toEqual([[], IMAGES('1.2.0').toSorted()]);
    }
  });

  test('come from a registry, the newest of a range', async () => {
    const registry = await startEmbeddedRegistry();
    onTestFinished(() => registry.stop());
    for (const chart of await packaged('1.2.0', '1.9.0', '2.0.0'))
      await run('helm', ['push', chart, `oci://${registry.host}/charts`, '--plain-http']);
    const registries = openRegistries();
    const chart = { name: 'parent', version: '>=1.0, <2', valuesFiles: [await valuesFile()] };
    const helm = {
      repositories: [{ name: 'r', url: `oci://${registry.host}/charts`, charts: [chart] }],
    };

    const { names, failures } = await collect(helm, {
      source: (reference) => registries.source(reference),
    });

    expect(failures).toEqual([]);
    expect(names).toContain('quay.io/example/agent:1.9.0');
  });
});
