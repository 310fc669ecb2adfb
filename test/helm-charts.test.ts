import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { CollectDeps } from '../src/content/collecting.ts';
import { helmLogin } from '../src/content/helm/chart-login.ts';
import { collectHelm } from '../src/content/helm/collect-helm.ts';
import { parseImageSet } from '../src/content/image-set/parse-image-set.ts';
import { silentContext } from '../src/core/context.ts';
import { createWeb } from '../src/http/web.ts';
import { formatReference } from '../src/oci/reference.ts';
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

async function collect(helm: object, deps: Partial<CollectDeps> = {}) {
  const set = parseImageSet(
    JSON.stringify({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror: { helm },
    }),
    'isc.yaml',
  );
  const web = createWeb();
  onTestFinished(() => web.close());
  const source = () => {
    throw new Error('no registry');
  };
  const { images, failures } = await collectHelm(silentContext(), set, { source, web, ...deps });
  return { failures, names: images.map((image) => formatReference(image.source)) };
}

const IMAGES = (version: string) => [
  'quay.io/example/first:1',
  'quay.io/example/child:1',
  'quay.io/example/operator:7',
  `quay.io/example/agent:${version}`,
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
    const charts = await packaged('1.2.0', '1.9.0', '2.0.0');
    const folder = dirname(charts[0] ?? '');
    await run('helm', ['repo', 'index', folder]);
    const shown: (string | undefined)[] = [];
    const server = createServer(async (request, response) => {
      shown.push(request.headers.authorization);
      const isKnown = request.headers.authorization === `Basic ${btoa('team:pass word')}`;
      response.statusCode = isKnown ? 200 : 401;
      response.end(isKnown ? await readFile(join(folder, basename(request.url ?? ''))) : 'who?');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const config = join(await tempDir(), 'repositories.yaml');
    const env = { HELM_REPOSITORY_CONFIG: config };
    const chart = { name: 'parent', version: '^1.2', valuesFiles: [await valuesFile()] };
    const helm = { repositories: [{ name: 'r', url, charts: [chart] }] };

    const refused = await collect(helm);
    const login = ['--username', 'team', '--password', 'pass word', '--repository-config', config];
    await run('helm', ['repo', 'add', 'r', url, ...login]);
    const { names, failures } = await collect(helm, { chartLogin: (each) => helmLogin(env, each) });

    expect(refused.failures).toHaveLength(1);
    expect(failures).toEqual([]);
    expect(names).toContain('quay.io/example/agent:1.9.0');
    expect(shown).toContain(undefined);
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
