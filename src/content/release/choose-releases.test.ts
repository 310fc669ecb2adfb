import { expect, test } from 'vitest';
import { silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { parseReference } from '../../oci/reference.ts';
import { parseImageSet } from '../image-set/parse-image-set.ts';
import { chooseReleases } from './choose-releases.ts';
import { parseUpdateGraph } from './graph/schema.ts';

const ctx = silentContext();
const digest = (version: string) => Buffer.from(version).toString('hex').padEnd(64, '0');

type Edge = readonly [from: string, to: string];

function graphOf(versions: readonly string[], edges: readonly Edge[] = []) {
  const nodes = versions.map((version) => ({
    version,
    payload: `quay.io/a/b@sha256:${digest(version)}`,
  }));
  const numbered = edges.map((edge) => edge.map((version) => versions.indexOf(version)));
  return parseUpdateGraph(JSON.stringify({ nodes, edges: numbered }), 'test');
}

/** What is chosen for these channels when the service has these graphs. */
async function choose(
  channels: readonly object[],
  graphs: Readonly<Record<string, ReturnType<typeof graphOf>>>,
  architectures = ['amd64'],
) {
  const set = { platform: { architectures, channels } };
  const { platform } = parseImageSet(
    JSON.stringify({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror: set,
    }),
    'isc.yaml',
  );
  if (!platform) throw new Error('The set has a platform');
  const asked: string[] = [];
  const source = {
    graph: async (_ctx: unknown, query: { readonly channel: string }) => {
      asked.push(query.channel);
      const graph = graphs[query.channel];
      if (!graph) throw new AtollError('INPUT_INVALID', `no ${query.channel}`);
      return graph;
    },
  };
  const found = await chooseReleases(ctx, platform, source);
  return { ...found, asked, versions: found.releases.map(({ version }) => version) };
}

const only = (name: string, version: string) => ({
  name,
  minVersion: version,
  maxVersion: version,
});

test('chooseReleases adds what a cluster has to pass between two channels', async () => {
  const found = await choose([only('stable-4.16', '4.16.1'), only('stable-4.17', '4.17.9')], {
    'stable-4.16': graphOf(['4.16.1', '4.16.5'], [['4.16.1', '4.16.5']]),
    'stable-4.17': graphOf(['4.16.5', '4.17.9'], [['4.16.5', '4.17.9']]),
  });

  expect(found.versions).toEqual(['4.16.1', '4.17.9', '4.16.5']);
  expect(found.warnings).toEqual([
    {
      subject: 'update from 4.16.1 to 4.17.9 for amd64',
      message: '4.16.5 added: on the update path from 4.16.1 to 4.17.9 across channels',
    },
  ]);
  expect(found.asked).toEqual(['stable-4.16', 'stable-4.17']);
});

test('chooseReleases finds the way from 4 to 5, through the channels of both', async () => {
  const found = await choose([only('stable-4.21', '4.21.1'), only('stable-5.0', '5.0.2')], {
    'stable-4.21': graphOf(['4.21.1']),
    'stable-4.22': graphOf(['4.21.1', '4.22.4'], [['4.21.1', '4.22.4']]),
    'stable-5.0': graphOf(['4.22.4', '5.0.2'], [['4.22.4', '5.0.2']]),
  });

  expect(found.versions).toEqual(['4.21.1', '5.0.2', '4.22.4']);
  expect(found.asked).toEqual(['stable-4.21', 'stable-5.0', 'stable-4.22', 'stable-4.23']);
});

test('chooseReleases asks for the channels between, and does without those that are not there', async () => {
  const found = await choose([only('eus-4.14', '4.14.1'), only('eus-4.18', '4.18.1')], {
    'eus-4.14': graphOf(['4.14.1']),
    'eus-4.16': graphOf(
      ['4.14.1', '4.16.1', '4.18.1'],
      [
        ['4.14.1', '4.16.1'],
        ['4.16.1', '4.18.1'],
      ],
    ),
    'eus-4.18': graphOf(['4.18.1']),
  });

  expect(found.asked).toEqual(['eus-4.14', 'eus-4.18', 'eus-4.15', 'eus-4.16', 'eus-4.17']);
  expect(found.versions).toEqual(['4.14.1', '4.18.1', '4.16.1']);
});

test('chooseReleases says that no updates lead from one channel to the other', async () => {
  const found = await choose([only('stable-4.18', '4.18.1'), only('stable-4.17', '4.17.9')], {
    'stable-4.17': graphOf(['4.17.9']),
    'stable-4.18': graphOf(['4.18.1']),
  });

  expect(found.versions).toEqual(['4.18.1', '4.17.9']);
  expect(found.warnings.map(({ message }) => message)).toEqual([
    'No chain of updates leads from 4.17.9 to 4.18.1 in these channels',
  ]);
});

test.each([
  ['one channel', [{ name: 'stable-4.18', minVersion: '4.18.1', maxVersion: '4.18.2' }]],
  ['the same release in two', [only('stable-4.18', '4.18.2'), only('fast-4.18', '4.18.2')]],
])('chooseReleases has no way to look for with %s', async (_what, channels) => {
  const graph = graphOf(['4.18.1', '4.18.2']);

  const found = await choose(channels, { 'stable-4.18': graph, 'fast-4.18': graph });

  expect(found.warnings).toEqual([]);
  expect(new Set(found.versions).size).toBe(found.versions.length);
});

test('chooseReleases does not look for a way that needs nothing more', async () => {
  const found = await choose([only('stable-4.16', '4.16.1'), only('stable-4.17', '4.17.9')], {
    'stable-4.16': graphOf(['4.16.1']),
    'stable-4.17': graphOf(['4.16.1', '4.17.9'], [['4.16.1', '4.17.9']]),
  });

  expect([found.versions, found.warnings]).toEqual([['4.16.1', '4.17.9'], []]);
});

test('chooseReleases keeps what one channel gives when another fails, for each architecture', async () => {
  const found = await choose(
    [only('stable-4.18', '4.18.1'), { name: 'stable-4.99' }],
    { 'stable-4.18': graphOf(['4.18.1']) },
    ['amd64', 'arm64'],
  );

  expect(found.versions).toEqual(['4.18.1']);
  expect(found.failures.map(({ subject }) => subject)).toEqual([
    'channel stable-4.99 for amd64',
    'channel stable-4.99 for arm64',
  ]);
});

test('chooseReleases takes the image that is named, and asks no graph', async () => {
  const release = parseReference('quay.io/a/b:4.18.1');
  const platform = { release, architectures: [], channels: [] };
  const graphs = { graph: () => Promise.reject(new Error('not asked for')) };

  const found = await chooseReleases(ctx, { ...(await emptyPlatform()), ...platform }, graphs);

  expect(found.releases).toEqual([
    { reference: release, version: undefined, architecture: undefined, reason: 'platform.release' },
  ]);
});

async function emptyPlatform() {
  const { platform } = parseImageSet(
    JSON.stringify({
      apiVersion: 'mirror.openshift.io/v2alpha1',
      kind: 'ImageSetConfiguration',
      mirror: { platform: { channels: [{ name: 'stable-4.18' }] } },
    }),
    'isc.yaml',
  );
  if (!platform) throw new Error('The set has a platform');
  return platform;
}
