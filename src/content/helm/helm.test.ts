import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collectCharts } from '../../../test/support/charts.ts';
import { MemoryImages } from '../../../test/support/images.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CollectDeps } from '../collecting.ts';
import { parseJsonPath } from './json-path.ts';
import { renderedImages } from './rendered-images.ts';

/** What the real helm 3 prints for a chart with a deployment, a cron job, a pod and a CRD. */
const RENDERED = `---
# Source: web/crds/app.yaml
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: apps.example.com }
spec: { group: example.com }
---
# Source: web/templates/deployment.yaml
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      initContainers:
        - name: init
          image: quay.io/example/init:1
      containers:
        - name: web
          image: "quay.io/example/web@sha256:${'a'.repeat(64)}"
        - name: twice
          image: quay.io/example/init:1
---
apiVersion: batch/v1
kind: CronJob
metadata: { name: nightly }
spec:
  jobTemplate:
    spec:
      template:
        spec:
          containers: [{ name: c, image: quay.io/example/nightly:2 }]
---
apiVersion: v1
kind: List
items:
  - kind: Pod
    metadata: { name: test }
    spec: { containers: [{ name: t, image: busybox }] }
---
apiVersion: example.com/v1
kind: App
metadata: { name: app }
spec:
  sidecars:
    - { kind: proxy, image: quay.io/example/proxy:3 }
    - { kind: other, image: quay.io/example/other:4 }
`;

describe('renderedImages', () => {
  test('finds the images of pods, templates, cron jobs and lists, each once', () => {
    expect(renderedImages(RENDERED).map(({ image, object }) => `${object} ${image}`)).toEqual([
      `Deployment/web quay.io/example/web@sha256:${'a'.repeat(64)}`,
      'Deployment/web quay.io/example/init:1',
      'CronJob/nightly quay.io/example/nightly:2',
      'Pod/test busybox',
    ]);
  });

  test('finds what imagePaths lead to', () => {
    const paths = ['{.spec.sidecars[?(@.kind=="proxy")].image}'];

    expect(renderedImages(RENDERED, paths).at(-1)).toEqual({
      image: 'quay.io/example/proxy:3',
      object: 'App/app',
    });
  });

  test('reads merge keys, and a key that is there twice, as helm does', () => {
    const pod = `kind: Pod
metadata: { name: p, labels: { app: a, app: b } }
base: &base { image: quay.io/example/merged:1 }
spec:
  containers:
    - <<: *base
      name: c
`;

    expect(renderedImages(pod).map(({ image }) => image)).toEqual(['quay.io/example/merged:1']);
  });

  test('refuses what is no YAML', () => {
    expect(() => renderedImages('a: [')).toThrow('Cannot read the rendered chart');
  });
});

describe('parseJsonPath', () => {
  const value = {
    spec: { list: [{ n: 1, image: 'a' }, { n: 2, image: 'b' }, { n: 3 }], 'my.key': 'k' },
    image: 'top',
  };

  test.each<[string, unknown[]]>([
    ['{.spec.list[*].image}', ['a', 'b']],
    ['.spec.list[0].image', ['a']],
    ['$.spec.list[-2].image', ['b']],
    ['.spec.list[0:2].n', [1, 2]],
    ['..image', ['top', 'a', 'b']],
    ['{..list[*].n}', [1, 2, 3]],
    ["{.spec['my.key']}", ['k']],
    ['{.spec.my\\.key}', ['k']],
    ['{.spec.list[?(@.image)].n}', [1, 2]],
    ["{.spec.list[?(@.image=='b')].n}", [2]],
    ['{.spec.list[?(@.n==3)].n}', [3]],
    ['.spec.*[1].image', ['b']],
    ['.nothing.here', []],
    ['.image[0]', []],
  ])('%s finds %j', (path, expected) => {
    expect(parseJsonPath(path)(value)).toEqual(expected);
  });

  test.each(['.spec[', '.spec[?(@.a>1)]', '.a b', '[abc]'])('does not read %j', (path) => {
    expect(() => parseJsonPath(path)).toThrow('Cannot read the path');
  });
});

/** Not helm: a script that prints what helm was recorded to print, or fails as it does. */
async function fakeHelm(): Promise<string> {
  const folder = await tempDir();
  const program = join(folder, 'fake-helm-for-tests');
  await writeFile(join(folder, 'rendered.yaml'), RENDERED);
  await writeFile(
    program,
    `#!/bin/sh
case "$3" in *broken*) echo "Error: values don't meet the specifications" >&2; exit 1;; esac
[ -e "$3" ] && [ -n "$HELM_CONFIG_HOME" ] && [ "$4" = --include-crds ] && cat "$(dirname "$0")/rendered.yaml"
`,
  );
  await chmod(program, 0o755);
  return program;
}

/** Not helm: a script that prints the name it is told and what the chart holds. */
async function echoingHelm(): Promise<string> {
  const program = join(await tempDir(), 'echoing-helm-for-tests');
  await writeFile(program, `#!/bin/sh\necho "# $2"; cat "$3"; echo "$2" >> "$0.names"\n`);
  await chmod(program, 0o755);
  return program;
}

async function collect(helm: object, overrides: Partial<CollectDeps> = {}) {
  const images = new MemoryImages();
  return await collectCharts(helm, { source: () => images, helm: await fakeHelm(), ...overrides });
}

/** A chart repository, its documents by URL. */
function repository(documents: Readonly<Record<string, string>>) {
  const fetched: string[] = [];
  const web = {
    fetched,
    get: async (_ctx: unknown, url: string) => {
      fetched.push(url);
      const text = documents[url];
      return text === undefined ? undefined : Buffer.from(text);
    },
    download: async () => false,
    close: () => undefined,
  };
  return web;
}

const URL = 'https://charts.example.com/stable';
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const INDEX = JSON.stringify({
  apiVersion: 'v1',
  entries: {
    web: [
      { version: '2.0.0-rc.1', urls: ['web-2.0.0-rc.1.tgz'] },
      { version: '1.10.0', urls: ['web-1.10.0.tgz'], digest: sha256('chart 1.10') },
      { version: '1.9.0', urls: ['https://cdn.example.com/web-1.9.0.tgz'] },
    ],
    common: [{ version: '1.0.0', type: 'library', urls: ['common.tgz'] }],
  },
});
const DOCUMENTS = {
  [`${URL}/index.yaml`]: INDEX,
  [`${URL}/web-1.10.0.tgz`]: 'chart 1.10',
  [`${URL}/web-2.0.0-rc.1.tgz`]: 'chart 2',
  'https://cdn.example.com/web-1.9.0.tgz': 'chart 1.9',
};

describe('collectHelm', () => {
  test('finds the images of a local chart', async () => {
    const path = join(await tempDir(), 'web');
    await mkdir(path);

    const { images, failures } = await collect({ local: [{ name: 'web', path }] });

    expect(failures).toEqual([]);
    expect(images.map(({ source }) => formatReference(source))).toEqual([
      `quay.io/example/web@sha256:${'a'.repeat(64)}`,
      'quay.io/example/init:1',
      'quay.io/example/nightly:2',
      'docker.io/library/busybox:latest',
    ]);
    expect(images[1]).toMatchObject({
      kind: 'helm',
      chart: 'web',
      reason: 'Deployment/web of chart web',
    });
  });

  test('takes the newest version that is no pre-release, and checks it', async () => {
    const web = repository(DOCUMENTS);

    const { images, failures } = await collect(
      { repositories: [{ name: 'r', url: URL, charts: [{ name: 'web' }] }] },
      { web },
    );

    expect(failures).toEqual([]);
    expect(images[0]?.chart).toBe('web 1.10.0');
    expect(web.fetched).toEqual([`${URL}/index.yaml`, `${URL}/web-1.10.0.tgz`]);
  });

  test('takes every version of every application when no chart is named', async () => {
    const web = repository(DOCUMENTS);

    const { images } = await collect({ repositories: [{ name: 'r', url: `${URL}/` }] }, { web });

    expect([...new Set(images.map(({ chart }) => chart))]).toEqual([
      'web 2.0.0-rc.1',
      'web 1.10.0',
      'web 1.9.0',
    ]);
  });

  test('renders charts of the same name from two repositories, each its own', async () => {
    const pod = (image: string) =>
      JSON.stringify({ kind: 'Pod', spec: { containers: [{ image }] } });
    const index = JSON.stringify({
      entries: { web: [{ version: '1.0.0', urls: ['web.tgz'] }] },
    });
    const web = repository({
      'https://a.example.com/index.yaml': index,
      'https://a.example.com/web.tgz': pod('quay.io/example/a:1'),
      'https://b.example.com/index.yaml': index,
      'https://b.example.com/web.tgz': pod('quay.io/example/b:1'),
    });

    const { images, failures } = await collect(
      {
        repositories: ['a', 'b'].map((name) => ({ name, url: `https://${name}.example.com` })),
      },
      { web, helm: await echoingHelm() },
    );

    expect(failures).toEqual([]);
    expect(images.map(({ source }) => formatReference(source))).toEqual([
      'quay.io/example/a:1',
      'quay.io/example/b:1',
    ]);
  });

  test('never takes the name of a chart for an option of helm', async () => {
    const helm = await echoingHelm();
    const names = ['--output-dir=/etc', 'My_Chart', '--', `${'long-'.repeat(11)}name`];
    const entries = Object.fromEntries(
      names.map((name) => [name, [{ version: '1.0.0', urls: ['web.tgz'] }]]),
    );
    const web = repository({
      [`${URL}/index.yaml`]: JSON.stringify({ entries }),
      [`${URL}/web.tgz`]: '{}',
    });

    const { failures } = await collect({ repositories: [{ name: 'r', url: URL }] }, { web, helm });

    expect(failures).toEqual([]);
    const told = (await readFile(`${helm}.names`, 'utf8')).trim().split('\n').toSorted();
    expect(told).toEqual(['chart', `${'long-'.repeat(10)}lon`, 'my-chart', 'output-dir-etc']);
  });

  test('what is empty or broken in an index costs no other chart', async () => {
    const entries = {
      gone: null,
      odd: [null, { version: '1.0.0' }],
      web: [{ version: '1.9.0', urls: ['https://cdn.example.com/web-1.9.0.tgz'] }],
    };
    const web = repository({ ...DOCUMENTS, [`${URL}/index.yaml`]: JSON.stringify({ entries }) });

    const collection = await collect({ repositories: [{ name: 'r', url: URL }] }, { web });

    expect(collection.images).toHaveLength(4);
    expect(collection.failures).toMatchObject([
      { subject: 'chart odd', message: 'Cannot find a URL of chart "odd" 1.0.0 in "r"' },
    ]);
  });

  test.each<[string, object, Record<string, string>, object]>([
    ['a misspelled chart', { name: 'wep' }, DOCUMENTS, { hint: 'Did you mean "web"?' }],
    [
      'a version that is not there',
      { name: 'web', version: '1.10.1' },
      DOCUMENTS,
      { hint: 'Did you mean "1.10.0"?' },
    ],
    ['no repository', { name: 'web' }, {}, { message: `Cannot find a Helm repository at ${URL}` }],
    [
      'an index that is none',
      { name: 'web' },
      { [`${URL}/index.yaml`]: '<html>' },
      { code: 'INPUT_INVALID' },
    ],
    [
      'a chart that is gone',
      { name: 'web' },
      { [`${URL}/index.yaml`]: INDEX },
      { message: expect.stringContaining('there is nothing at') },
    ],
    [
      'a chart that was altered',
      { name: 'web' },
      { ...DOCUMENTS, [`${URL}/web-1.10.0.tgz`]: 'evil' },
      { code: 'CONTENT_MISMATCH' },
    ],
  ])('reports %s', async (_name, chart, documents, failure) => {
    const collection = await collect(
      { repositories: [{ name: 'r', url: URL, charts: [chart] }] },
      { web: repository(documents) },
    );

    expect(collection.images).toEqual([]);
    expect(collection.failures).toMatchObject([failure]);
  });

  test('says that helm is missing, for that chart only', async () => {
    const path = await tempDir();

    const { failures } = await collect(
      {
        local: [
          { name: 'a', path },
          { name: 'b', path },
        ],
      },
      { helm: join(path, 'no-helm-here') },
    );

    expect(failures).toMatchObject([
      { subject: 'chart a', code: 'PROGRAM_MISSING' },
      {
        subject: 'chart b',
        code: 'PROGRAM_MISSING',
        hint: expect.stringContaining('Install helm'),
      },
    ]);
  });

  test('one chart that cannot be rendered does not cost the others', async () => {
    const folder = await tempDir();
    const [broken, whole] = [join(folder, 'broken'), join(folder, 'whole')];
    await Promise.all([mkdir(broken), mkdir(whole)]);

    const collection = await collect({
      local: [
        { name: 'broken', path: broken },
        { name: 'gone', path: join(folder, 'gone') },
        { name: 'whole', path: whole },
      ],
    });

    expect(collection.images).toHaveLength(4);
    expect(collection.failures).toMatchObject([
      { code: 'PROGRAM_FAILED', message: expect.stringContaining("values don't meet") },
      { code: 'FILE_UNREADABLE' },
    ]);
  });

  test('pulls a chart from a registry', async () => {
    const images = new MemoryImages();
    const type = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
    const layer = images.addBlob(Buffer.from('chart'), type);
    const config = images.addBlob(Buffer.from('{}'), 'application/vnd.cncf.helm.config.v1+json');
    images.addManifest({ config, layers: [layer] }, MEDIA_TYPES.ociManifest, '1.0.0_2');
    const charts = (version?: string) => ({
      repositories: [
        { name: 'r', url: 'oci://registry.example.com/charts', charts: [{ name: 'web', version }] },
      ],
    });

    const found = await collect(charts('1.0.0+2'), { source: () => images });
    const missing = await collect(charts('3.0.0'), { source: () => images });
    const unnamed = await collect(charts(), { source: () => images });

    expect(found.images).toHaveLength(4);
    expect(missing.failures[0]?.message).toContain('it is not in oci://');
    expect(unnamed.failures[0]?.hint).toContain('Give its version');
  });
});
