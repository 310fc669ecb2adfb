import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp.ts';
import { UPSTREAM } from '../../../../test/support/upstream.ts';
import { silentContext } from '../../../core/context.ts';
import { createWeb, type Web } from '../../../http/web.ts';
import type { ReleaseChannel } from '../../image-set/image-set.ts';
import { createGraphSource } from './graph-source.ts';
import { parseUpdateGraph } from './schema.ts';
import { selectReleases } from './select-releases.ts';
import { compareVersions, mergeGraphs, shortestPath } from './update-path.ts';

const ctx = silentContext();
const FIXTURE = join(UPSTREAM, 'graph-stable-4.18-amd64.json');
const HEX = '0'.repeat(64);

function graphOf(
  versions: readonly string[],
  edges: readonly (readonly [string, string])[],
  conditional: readonly (readonly [string, string])[] = [],
) {
  return parseUpdateGraph(
    JSON.stringify({
      nodes: versions.map((version) => ({ version, payload: `quay.io/a/b@sha256:${HEX}` })),
      edges: edges.map(([from, to]) => [versions.indexOf(from), versions.indexOf(to)]),
      conditionalEdges: conditional.map(([from, to]) => ({
        edges: [{ from, to }],
        risks: [
          { name: 'Slow', url: 'https://x.test/1', message: 'It is slow', matchingRules: [] },
        ],
      })),
    }),
    'test',
  );
}

const channel = (fields: Partial<ReleaseChannel> = {}): ReleaseChannel => ({
  name: 'stable-4.18',
  type: 'ocp',
  minVersion: undefined,
  maxVersion: undefined,
  shortestPath: false,
  full: false,
  ...fields,
});

const VERSIONS = ['4.18.10', '4.17.9', '4.18.2', '4.18.1', '4.18.3-rc.1'];

function chosen(fields: Partial<ReleaseChannel>): string[] {
  const { releases } = selectReleases(graphOf(VERSIONS, []), channel(fields));
  return releases.map(({ node }) => node.version);
}

describe('selectReleases', () => {
  test('takes only the newest by default', () => {
    expect(chosen({})).toEqual(['4.18.10']);
  });

  test('takes everything with full, and what is between the bounds', () => {
    expect(chosen({ full: true })).toEqual([
      '4.17.9',
      '4.18.1',
      '4.18.2',
      '4.18.3-rc.1',
      '4.18.10',
    ]);
    expect(chosen({ minVersion: '4.18.2' })).toEqual(['4.18.2', '4.18.3-rc.1', '4.18.10']);
    expect(chosen({ maxVersion: '4.18.1' })).toEqual(['4.17.9', '4.18.1']);
    expect(chosen({ minVersion: '4.18.2', maxVersion: '4.18.2' })).toEqual(['4.18.2']);
  });

  test('names the nearest versions when the wanted one does not exist', () => {
    expect(() => chosen({ minVersion: '4.18.4', maxVersion: '4.18.4' })).toThrow(
      'Cannot find release 4.18.4 in channel "stable-4.18": the nearest are 4.18.3-rc.1, 4.18.10',
    );
  });

  test('warns of a bound that is no release', () => {
    const graph = graphOf(VERSIONS, []);

    const { releases, warnings } = selectReleases(graph, channel({ minVersion: '4.18.7' }));

    expect(releases.map(({ node }) => node.version)).toEqual(['4.18.10']);
    expect(warnings).toEqual([
      expect.stringMatching(/^minVersion 4.18.7 is not a release of stable-4.18; the nearest are/),
    ]);
  });

  test('takes the shortest path and shows the risks it cannot avoid', () => {
    const graph = graphOf(
      ['4.17.9', '4.18.1', '4.18.2', '4.18.10'],
      [
        ['4.17.9', '4.18.1'],
        ['4.18.1', '4.18.2'],
      ],
      [
        ['4.18.2', '4.18.10'],
        ['4.17.9', '4.18.2'],
      ],
    );
    const wanted = channel({ minVersion: '4.17.9', maxVersion: '4.18.10', shortestPath: true });

    const { releases, path, warnings } = selectReleases(graph, wanted);

    expect(releases.map(({ node }) => node.version)).toEqual([
      '4.17.9',
      '4.18.1',
      '4.18.2',
      '4.18.10',
    ]);
    expect(path.map(({ risks }) => risks.length)).toEqual([0, 0, 1]);
    expect(warnings).toEqual([
      'The update from 4.18.2 to 4.18.10 is not recommended to every cluster: Slow: It is slow (https://x.test/1)',
    ]);
  });

  test('says that there is no path, and that a version is not there', () => {
    const graph = graphOf(['4.18.1', '4.18.2'], [['4.18.2', '4.18.1']]);
    const wanted = { minVersion: '4.18.1', shortestPath: true };

    expect(() => selectReleases(graph, channel({ ...wanted, maxVersion: '4.18.2' }))).toThrow(
      'Cannot find an update path from 4.18.1 to 4.18.2',
    );
    expect(() => selectReleases(graph, channel({ ...wanted, maxVersion: '4.18.3' }))).toThrow(
      'Cannot find release 4.18.3',
    );
  });
});

describe('shortestPath', () => {
  test('prefers fewer steps, then the bigger jump', () => {
    const graph = graphOf(
      ['4.18.1', '4.18.2', '4.18.3', '4.18.4'],
      [
        ['4.18.1', '4.18.2'],
        ['4.18.1', '4.18.3'],
        ['4.18.2', '4.18.4'],
        ['4.18.3', '4.18.4'],
      ],
    );

    const path = shortestPath(graph, '4.18.1', '4.18.4');

    expect(path?.map(({ to }) => to)).toEqual(['4.18.3', '4.18.4']);
    expect(shortestPath(graph, '4.18.2', '4.18.2')).toEqual([]);
    expect(shortestPath(graph, '4.18.4', '4.18.1')).toBeUndefined();
  });

  test('goes through two channels when their graphs are merged', () => {
    const first = graphOf(['4.17.1', '4.17.9'], [['4.17.1', '4.17.9']]);
    const second = graphOf(['4.17.9', '4.18.2'], [['4.17.9', '4.18.2']]);

    const path = shortestPath(mergeGraphs([first, second]), '4.17.1', '4.18.2');

    expect(path?.map(({ to }) => to)).toEqual(['4.17.9', '4.18.2']);
  });
});

describe('createGraphSource', () => {
  const query = { channel: 'stable-4.18', architecture: 'amd64', type: 'ocp' } as const;

  test('reads a file, and a folder of files in both spellings', async () => {
    const folder = await tempDir();
    await copyFile(FIXTURE, join(folder, 'amd64-stable-4.18.json'));
    await copyFile(FIXTURE, join(folder, 'graph-fast-4.18-amd64.json'));
    const web = createWeb();

    const fromFile = await createGraphSource(web, FIXTURE).graph(ctx, query);
    const source = createGraphSource(web, `file://${folder}`);

    expect(fromFile.nodes.map(({ version }) => version)).toEqual(['4.18.1', '4.18.2']);
    expect(fromFile.nodes[0]?.payload).toMatchObject({
      registry: 'quay.io',
      repository: 'openshift-release-dev/ocp-release',
    });
    expect(await source.graph(ctx, query)).toEqual(fromFile);
    expect(await source.graph(ctx, { ...query, channel: 'fast-4.18' })).toEqual(fromFile);
    await expect(source.graph(ctx, { ...query, architecture: 'arm64' })).rejects.toThrow(
      /for arm64 in/,
    );
  });

  test('takes a release that says nothing of its channels, also with an empty word', async () => {
    const path = join(await tempDir(), 'graph.json');
    const payload = `quay.io/a/b@sha256:${'a'.repeat(64)}`;
    const metadata = { 'io.openshift.upgrades.graph.release.channels': '' };
    const nodes = [{ version: '4.18.1', payload, metadata }];
    await writeFile(path, JSON.stringify({ nodes, edges: [] }));

    const graph = await createGraphSource(createWeb(), path).graph(ctx, query);

    expect(graph.nodes.map(({ version }) => version)).toEqual(['4.18.1']);
  });

  test('names the channels a file has', async () => {
    const source = createGraphSource(createWeb(), FIXTURE);

    await expect(source.graph(ctx, { ...query, channel: 'stable-4.81' })).rejects.toMatchObject({
      message: expect.stringContaining('Cannot use channel "stable-4.81"'),
      hint: 'It has candidate-4.18, fast-4.18, stable-4.18',
    });
  });

  test('asks a service once for each channel and architecture', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url?.startsWith('/moved')) {
        response.writeHead(302, { location: request.url.replace('/moved', '/graph') }).end();
      } else response.end(JSON.stringify({ nodes: [], edges: [] }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const web = createWeb({ env: {} });
    onTestFinished(() => web.close());
    const source = createGraphSource(web, `http://127.0.0.1:${port}/moved?token=1`);

    await expect(source.graph(ctx, query)).rejects.toThrow('has no release in it');

    expect(asked).toEqual([
      '/moved?token=1&arch=amd64&channel=stable-4.18',
      '/graph?token=1&arch=amd64&channel=stable-4.18',
    ]);
  });

  test('refuses what is no graph', async () => {
    const folder = await tempDir();
    await mkdir(join(folder, 'x'));
    const path = join(folder, 'graph.json');
    const source = createGraphSource(createWeb(), path);

    for (const text of ['<html>', '[]', '{"nodes":[],"edges":[[0,1]]}']) {
      await writeFile(path, text);
      await expect(source.graph(ctx, query)).rejects.toMatchObject({
        code: 'INPUT_INVALID',
        message: expect.stringContaining(`Cannot use the update graph "${path}"`),
      });
    }
  });
});

test.each([
  ['ocp', 'https://api.openshift.com/api/upgrades_info/v1/graph?arch=amd64&channel=stable-4.18'],
  ['okd', 'https://origin-release.ci.openshift.org/graph'],
] as const)('createGraphSource asks the public service of %s, once', async (type, url) => {
  const asked: string[] = [];
  const bytes = Buffer.from(
    JSON.stringify({
      nodes: ['4.18.1', '4.17.1'].map((version) => ({
        version,
        payload: `quay.io/a/b@sha256:${HEX}`,
        metadata: {
          'io.openshift.upgrades.graph.release.channels': version.replace(/(.*)\..*/, 'stable-$1'),
        },
      })),
      edges: [[1, 0]],
    }),
  );
  const web: Web = {
    ...createWeb({ env: {} }),
    get: async (_ctx, asking, options) => {
      asked.push(`${asking} ${options?.accept}`);
      return bytes;
    },
  };
  const source = createGraphSource(web);
  const query = { channel: 'stable-4.18', architecture: 'amd64', type } as const;

  const graph = await source.graph(ctx, query);
  await source.graph(ctx, query);

  expect(asked).toEqual([`${url} application/json`]);
  // OKD has one graph for all; of the other only what is in the channel, and its edges, count.
  const isWhole = type === 'okd';
  expect(graph.nodes.map(({ version }) => version)).toEqual(
    isWhole ? ['4.18.1', '4.17.1'] : ['4.18.1'],
  );
  expect(graph.edges).toHaveLength(isWhole ? 1 : 0);
});

test('createGraphSource says that a service has no graph, and asks again after a failure', async () => {
  let asked = 0;
  const web: Web = {
    ...createWeb({ env: {} }),
    get: async () => {
      asked += 1;
      return undefined;
    },
  };
  const source = createGraphSource(web, 'https://graphs.test/g?token=1');
  const query = { channel: 'stable-4.18', architecture: 'amd64', type: 'okd' } as const;

  for (const _ of [1, 2]) {
    await expect(source.graph(ctx, query)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message:
        'Cannot find the update graph of "stable-4.18" from https://graphs.test/g: it has none',
    });
  }

  expect(asked).toBe(2);
});

test('compareVersions sorts versions by their numbers, after what is none', () => {
  const sorted = ['a', 'b', '4.9.0', '4.10.0-rc.1', '4.10.0', '4.10.0+build.2'];

  for (const [at, version] of sorted.entries()) {
    const signs = sorted.map((other) => Math.sign(compareVersions(version, other)));
    expect(signs).toEqual(sorted.map((_, other) => Math.sign(at - other)));
  }
});
