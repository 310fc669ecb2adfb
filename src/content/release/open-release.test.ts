import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  RELEASE_DIGEST as DIGEST,
  fixtureRelease as fixture,
  RELEASE_NAME as NAME,
  RELEASE_TIME,
} from '../../../test/support/fixture-release.ts';
import { UPSTREAM } from '../../../test/support/upstream.ts';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import { silentContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createWeb } from '../../http/web.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';
import { createGraphSource } from './graph/graph-source.ts';
import {
  findVersion,
  isBareVersion,
  openRelease,
  referenceOf,
  refusePartOfVersion,
} from './open-release.ts';
import { releaseInfo } from './release-info.ts';

const ctx = RELEASE_TIME;

describe('openRelease', () => {
  test('names the release by digest under the name it was asked for', async () => {
    const { pullSpec, descriptor, payload } = await fixture();

    expect(pullSpec).toBe(`quay.io/openshift-release-dev/ocp-release@${DIGEST}`);
    expect([descriptor.digest, payload.version]).toEqual([DIGEST, '4.18.1']);
  });

  test('has no such name for a folder, and says what it cannot find', async () => {
    const source = upstreamSource(parseReference(NAME));
    const folder = { reference: undefined, source, shown: 'oci:x' };

    const found = await openRelease(ctx, { ...folder, tagOrDigest: DIGEST });
    expect(found.pullSpec).toBeUndefined();
    await expect(openRelease(ctx, { ...folder, tagOrDigest: 'none' })).rejects.toMatchObject({
      code: 'IMAGE_UNKNOWN',
      message: 'Cannot find the release image oci:x',
    });
  });
});

test.each([
  ['4.18.1', true],
  ['4.18.0-rc.1', true],
  ['4.18', false],
  ['v4.18.1', false],
  ['4.18.1 ', false],
  ['4.18.10', true],
  ['14.8.1+x', true],
  ['4.18.1-', false],
])('isBareVersion of %j is %s', (text, expected) => {
  expect(isBareVersion(text)).toBe(expected);
});

test.each([
  ['quay.io/a/b:1', 'quay.io/a/b:1'],
  ['4.18.1', undefined],
  ['UPPER/case name', undefined],
  [undefined, undefined],
])('referenceOf takes %j for %j', (name, expected) => {
  const found = referenceOf(name);

  expect(found && formatReference(found)).toBe(expected);
});

describe('findVersion', () => {
  const graphs = createGraphSource(createWeb(), join(UPSTREAM, 'graph-stable-4.18-amd64.json'));

  test('finds the image of a version in one of its channels', async () => {
    expect(await findVersion(ctx, '4.18.1', 'amd64', graphs)).toMatchObject({ digest: DIGEST });
  });

  test('names the channels it looked into', async () => {
    await expect(findVersion(ctx, '4.18.99', 'amd64', graphs)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: 'Cannot find release 4.18.99 for amd64 in fast-4.18, stable-4.18, candidate-4.18',
    });
  });

  test('asks the next channel when one fails, and tells of the failure when none has it', async () => {
    const asked: string[] = [];
    const broken = {
      graph: async (_ctx: unknown, { channel }: { readonly channel: string }) => {
        asked.push(channel);
        throw new AtollError('REGISTRY_UNAVAILABLE', 'no way');
      },
    };

    await expect(findVersion(ctx, '4.18.1', 'amd64', broken)).rejects.toThrow('no way');
    expect(asked).toEqual(['fast-4.18', 'stable-4.18', 'candidate-4.18']);
  });

  test('stops when it is told to', async () => {
    const stop = new AbortController();
    const stopping = {
      graph: async () => {
        stop.abort(new Error('enough'));
        throw new Error('cut');
      },
    };

    const looking = findVersion(
      silentContext({ signal: stop.signal }),
      '4.18.1',
      'amd64',
      stopping,
    );

    await expect(looking).rejects.toThrow('enough');
  });
});

test('releaseInfo counts manifests without the two that describe the release, and joins versions', async () => {
  const release = await fixture();
  const names = [...release.payload.manifests.keys()];
  const versions = 'kubernetes=1.31.5,broken,a=1';
  const components = release.payload.components.map((component) => ({
    ...component,
    annotations: { 'io.openshift.build.versions': versions },
  }));

  const info = releaseInfo({ ...release, payload: { ...release.payload, components } });

  expect(info).toMatchObject({
    version: '4.18.1',
    digest: DIGEST,
    image: `quay.io/openshift-release-dev/ocp-release@${DIGEST}`,
    readFrom: 'quay.io/openshift-release-dev/ocp-release',
    components: components.length,
    manifests: names.length - 2,
  });
  expect(Object.entries(info.versions)).toEqual([
    ['a', '1'],
    ['kubernetes', '1.31.5'],
  ]);
});

test.each(['4.18', 'v4.18', 'stable-4.18'])(
  'refusePartOfVersion does not take %s for an image of Docker Hub',
  (text) => {
    expect(() => refusePartOfVersion(text)).toThrow(
      expect.objectContaining({
        message: `Cannot tell which release "${text}" is`,
        hint: expect.stringContaining('atoll list releases --version 4.18'),
      }),
    );
  },
);

test.each(['4.18.1', 'quay.io/a/b:4.18', 'oci:layout', 'release', ''])(
  'refusePartOfVersion leaves %j alone',
  (text) => {
    expect(() => refusePartOfVersion(text)).not.toThrow();
  },
);
