import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeBytes } from '../../../test/support/bytes.ts';
import {
  RELEASE_DIGEST as DIGEST,
  fixtureRelease as fixture,
  RELEASE_NAME as NAME,
  RELEASE_TIME,
} from '../../../test/support/fixture-release.ts';
import { UPSTREAM } from '../../../test/support/upstream.ts';
import { upstreamSource } from '../../../test/support/upstream-source.ts';
import { recordingContext } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { createWeb } from '../../http/web.ts';
import type { Source } from '../../oci/content.ts';
import { parseDigest } from '../../oci/digest.ts';
import { formatReference, parseReference, type Reference } from '../../oci/reference.ts';
import { type ComponentReach, locateComponent, nameComponent } from './locate-component.ts';
import type { PlacedSource } from './open-release.ts';
import { loadReleaseKeys } from './signatures/release-keys.ts';
import { verifyOpenRelease } from './verify-release.ts';

const ctx = RELEASE_TIME;

/** A source that has what the map says, and throws the errors in it. */
function having(
  found: Readonly<Record<string, string | AtollError>>,
  endpoint?: string,
): PlacedSource {
  const source: Source = {
    async resolve(_ctx, tagOrDigest) {
      const digest = found[tagOrDigest];
      if (digest instanceof AtollError) throw digest;
      return digest === undefined
        ? undefined
        : { ...describeBytes(''), digest: parseDigest(digest) };
    },
    manifest: () => Promise.reject(new Error('not asked for')),
    blob: () => {
      throw new Error('not asked for');
    },
    can: {},
  };
  return endpoint === undefined ? source : { ...source, endpoint };
}

/** A reach that notes whom it asks. */
function reachOf(places: Readonly<Record<string, PlacedSource>>) {
  const asked: string[] = [];
  const at = (name: string) => {
    asked.push(name);
    return places[name] ?? having({});
  };
  const reach: ComponentReach = {
    source: ({ registry, repository }: Reference) => at(`conf:${registry}/${repository}`),
    repository: (registry, repository) => at(`${registry}/${repository}`),
  };
  return { reach, asked };
}

/** The fixture as a mirror in `mirror.test` has it. */
async function mirrored(repository: string) {
  const release = await fixture();
  const [component] = release.payload.components;
  if (!component) throw new Error('The fixture has components');
  const reference = parseReference(`mirror.test/${repository}:4.18.1-x86_64`);
  const source = having({}, `mirror.test/${repository}`);
  const place = { ...release.place, reference, source };
  return { release: { ...release, place }, component, digest: component.image.digest };
}

describe('locateComponent', () => {
  test.each([
    ['ocp/release-images', 'ocp/release', ['mirror.test/ocp/release']],
    [
      'ocp/release-images',
      'ocp/release-images',
      ['mirror.test/ocp/release', 'mirror.test/ocp/release-images'],
    ],
    ['ocp/all', 'ocp/all', ['mirror.test/ocp/all']],
  ])('beside a release in %s finds what is in %s', async (repository, home, expected) => {
    const { release, component, digest } = await mirrored(repository);
    const { reach, asked } = reachOf({ [`mirror.test/${home}`]: having({ [digest]: digest }) });

    const found = await locateComponent(ctx, release, component, reach);

    expect([found.repository, found.descriptor.digest]).toEqual([`mirror.test/${home}`, digest]);
    expect(asked).toEqual(expected);
  });

  test.each(['IMAGE_UNKNOWN', 'REGISTRY_DENIED', 'REGISTRY_BLOCKED'] as const)(
    'follows its name where the mirror says %s',
    async (code) => {
      const { release, component, digest } = await mirrored('ocp/all');
      const name = `conf:${component.image.registry}/${component.image.repository}`;
      const { reach } = reachOf({
        'mirror.test/ocp/all': having({ [digest]: new AtollError(code, 'no') }),
        [name]: having({ [digest]: digest }, 'other.test/x'),
      });

      expect(await locateComponent(ctx, release, component, reach)).toMatchObject({
        repository: 'other.test/x',
      });
    },
  );

  test('fails with a mirror that is down, and names a component that is nowhere', async () => {
    const { release, component, digest } = await mirrored('ocp/all');
    const down = reachOf({
      'mirror.test/ocp/all': having({ [digest]: new AtollError('REGISTRY_UNAVAILABLE', 'down') }),
    });

    await expect(locateComponent(ctx, release, component, down.reach)).rejects.toThrow('down');
    await expect(locateComponent(ctx, release, component, reachOf({}).reach)).rejects.toMatchObject(
      {
        code: 'IMAGE_UNKNOWN',
        message: expect.stringContaining(`"${component.name}"`),
      },
    );
  });

  test('reads what a folder holds, and asks nobody beside an upstream release', async () => {
    const { release, component, digest } = await mirrored('ocp/all');
    const folder = {
      ...release,
      place: { ...release.place, source: having({ [digest]: digest }) },
    };
    const upstream = await fixture();
    const { reach, asked } = reachOf({});

    expect((await locateComponent(ctx, folder, component, reach)).repository).toBeUndefined();
    await expect(locateComponent(ctx, upstream, component, reach)).rejects.toThrow('Cannot find');
    expect(asked).toEqual([`conf:${component.image.registry}/${component.image.repository}`]);
  });
});

describe('nameComponent', () => {
  test('gives only the name of upstream for a release that is read there', async () => {
    const release = await fixture();
    const [component] = release.payload.components;
    if (!component) throw new Error('The fixture has components');

    expect(await nameComponent(ctx, release, component, reachOf({}).reach)).toEqual({
      name: component.name,
      image: formatReference(component.image),
      mirror: undefined,
      mirrorTag: undefined,
    });
  });

  test.each([
    ['the same image', true],
    ['another image', false],
  ])('gives the tag on the mirror when it leads to %s: %s', async (_what, isSame) => {
    const { release, component, digest } = await mirrored('ocp/all');
    const tag = `4.18.1-x86_64-${component.name}`;
    const tagged = isSame ? digest : DIGEST;
    const { reach } = reachOf({
      'mirror.test/ocp/all': having({ [digest]: digest, [tag]: tagged }),
    });

    expect(await nameComponent(ctx, release, component, reach)).toMatchObject({
      mirror: `mirror.test/ocp/all@${digest}`,
      mirrorTag: isSame ? `mirror.test/ocp/all:${tag}` : undefined,
    });
  });
});

describe('verifyOpenRelease', () => {
  const trusting = async () => ({
    web: createWeb(),
    keys: await loadReleaseKeys([join(UPSTREAM, 'release-key.asc')]),
    stores: [`file://${join(UPSTREAM, 'signatures')}`],
  });

  test('tells who signed, and that a Sigstore signature is there', async () => {
    const verdict = await verifyOpenRelease(ctx, await fixture(), { trust: await trusting() });

    expect(verdict).toMatchObject({
      version: '4.18.1',
      digest: DIGEST,
      signature: { identity: NAME, keyId: '5D5DC2CD2F8C2896' },
      sigstore: 'present',
      images: undefined,
    });
  });

  test('warns of a Sigstore signature that is missing where none is needed', async () => {
    const recording = recordingContext({ now: ctx.now });
    const release = await fixture();
    const { source } = release.place;
    const unsigned: PlacedSource = {
      ...source,
      resolve: async (asked, name) =>
        name.endsWith('.sig') ? undefined : await source.resolve(asked, name),
    };
    const place = { ...release.place, source: unsigned };

    const verdict = await verifyOpenRelease(
      recording,
      { ...release, place },
      { trust: await trusting() },
    );

    expect(verdict.sigstore).toBe('missing');
    expect(recording.events).toMatchObject([{ type: 'warning.raised', subject: '4.18.1-x86_64' }]);
  });

  test('finds every component by its name, and names those that are missing', async () => {
    const release = await fixture();
    const { components } = release.payload;
    const [absent, ...rest] = components;
    const all = Object.fromEntries(rest.map(({ image }) => [image.digest, image.digest]));
    const reach: ComponentReach = { source: () => having(all), repository: () => having({}) };

    const { images } = await verifyOpenRelease(ctx, release, {
      trust: await trusting(),
      images: reach,
    });

    expect(images).toEqual({ found: rest.length, missing: [absent?.name], signed: 0, wrong: [] });
  });

  test('does not follow the names of upstream once a mirror has one of the components', async () => {
    const { release } = await mirrored('ocp/all');
    const [first, ...others] = release.payload.components;
    const digest = first?.image.digest ?? '';
    const beside = having({ [digest]: digest });
    const source = { ...upstreamSource(parseReference(NAME)), endpoint: 'mirror.test/ocp/all' };
    const reach: ComponentReach = {
      repository: () => beside,
      source: () => {
        throw new Error('not asked for');
      },
    };

    const { images } = await verifyOpenRelease(
      ctx,
      { ...release, place: { ...release.place, source } },
      { trust: await trusting(), images: reach },
    );

    expect(images).toEqual({
      found: 1,
      missing: others.map(({ name }) => name),
      signed: 0,
      wrong: [],
    });
  });
});
