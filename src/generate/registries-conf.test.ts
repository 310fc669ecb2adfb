import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { MirrorRule } from './mirror-rule.ts';
import { type RegistriesConfInput, registriesConf } from './registries-conf.ts';

const RELEASE: MirrorRule = {
  source: 'quay.io/openshift-release-dev/ocp-release',
  mirrors: ['mirror.example:5000/openshift/release-images'],
};
const COMPONENTS: MirrorRule = {
  source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
  mirrors: ['mirror.example:5000/openshift/release', 'second.example/release'],
  policy: 'NeverContactSource',
};
const TAGS: MirrorRule = {
  source: 'quay.io/openshift-release-dev/ocp-release',
  mirrors: ['mirror.example:5000/openshift/release-images', 'tags.example/release'],
};
const full = {
  rules: [COMPONENTS, RELEASE],
  tagRules: [TAGS],
  blocked: ['quay.io', '*.redhat.io'],
  insecure: ['second.example'],
  unqualifiedSearch: ['registry.access.redhat.com', 'docker.io'],
};

/** The table for a place, as an independent parser reads it. */
function tableOf(input: RegistriesConfInput, place: string): Record<string, unknown> {
  const { registry } = parse(registriesConf(input)) as unknown as {
    registry: Record<string, unknown>[];
  };
  return registry.find(({ location, prefix }) => (location ?? prefix) === place) ?? {};
}

describe('registriesConf', () => {
  test('writes what a strict site needs', async () => {
    await expect(registriesConf(full)).toMatchFileSnapshot('golden/registries.conf');
  });

  test('writes only digest rules as old nodes understand them', async () => {
    const text = registriesConf({ rules: [RELEASE] });

    await expect(text).toMatchFileSnapshot('golden/registries-digest-only.conf');
    expect(text).not.toContain('pull-from-mirror');
  });

  test('is TOML that an independent parser reads back', () => {
    const { registry } = parse(registriesConf(full)) as unknown as {
      registry: Record<string, unknown>[];
    };

    expect(registry.map(({ location, prefix }) => location ?? prefix)).toEqual([
      '*.redhat.io',
      'quay.io',
      RELEASE.source,
      COMPONENTS.source,
      'second.example',
    ]);
    expect(registry.filter(({ blocked }) => blocked === true)).toHaveLength(4);
    expect(registry.filter(({ insecure }) => insecure === true)).toHaveLength(1);
  });

  test('does not depend on the order of its input', () => {
    const reversed = {
      ...full,
      rules: full.rules.toReversed(),
      blocked: full.blocked.toReversed(),
    };

    expect(registriesConf(reversed)).toBe(registriesConf(full));
  });

  test('is never insecure unless asked', () => {
    expect(registriesConf({ ...full, insecure: [] })).not.toContain('insecure');
  });

  const QUAY: MirrorRule = { source: 'quay.io', mirrors: ['mirror.example:5000/quay'] };
  const STRICT: MirrorRule = { ...QUAY, policy: 'NeverContactSource' };

  test.each([
    ['blocked', { rules: [QUAY], blocked: ['quay.io/a'] }],
    ['insecure, and keeps its source closed', { rules: [STRICT], insecure: ['quay.io/a'] }],
  ])('keeps the mirrors of a place of which a part is %s', (_what, input) => {
    expect(tableOf(input, 'quay.io/a')).toMatchObject({
      blocked: true,
      mirror: [{ location: 'mirror.example:5000/quay/a' }],
    });
  });

  test('keeps the mirrors of a domain of which a host is blocked', () => {
    const rules = [{ source: '*.redhat.io', mirrors: ['mirror.example/redhat'] }];

    expect(
      tableOf({ rules, blocked: ['registry.redhat.io/ubi9'] }, 'registry.redhat.io/ubi9'),
    ).toMatchObject({ mirror: [{ location: 'mirror.example/redhat/ubi9' }] });
  });

  test('blocks a host of a domain whatever its port', () => {
    const rules = [{ source: 'reg.redhat.io:8443/a', mirrors: ['mirror.example/a'] }];

    expect(tableOf({ rules, blocked: ['*.redhat.io'] }, 'reg.redhat.io:8443/a').blocked).toBe(true);
  });

  test.each([
    ['mirror.corp.example:5000/quay', '*.corp.example'],
    ['quay.example:5000/quay', 'quay.example'],
  ])('opens the mirror %s below the blocked %s', (mirror, place) => {
    const input = { rules: [{ source: 'quay.io', mirrors: [mirror] }], blocked: [place] };

    expect(tableOf(input, mirror)).toEqual({ location: mirror });
    expect(tableOf(input, place).blocked).toBe(true);
  });

  test('carries the mirrors of a host to a port of it, as containers/image would find them', () => {
    const rules = [{ source: 'reg.example', mirrors: ['m.example', 'm.example/path'] }];
    const input = { rules, blocked: ['reg.example:5000/a'] };

    // `m.example/path:5000/a` is no place to pull from.
    expect(tableOf(input, 'reg.example:5000/a').mirror).toEqual([{ location: 'm.example:5000/a' }]);
  });

  test('is insecure and blocked at every port of an insecure or blocked host', () => {
    const rules = [{ source: 'reg.example:5000/a', mirrors: ['m.example:5000/a'] }];
    const input = { rules, insecure: ['m.example'], blocked: ['reg.example'] };

    expect(tableOf(input, 'reg.example:5000/a')).toMatchObject({
      blocked: true,
      mirror: [{ insecure: true }],
    });
  });

  test('refuses to block a mirror', () => {
    expect(() => registriesConf({ rules: [QUAY], blocked: QUAY.mirrors })).toThrow(
      'Cannot block "mirror.example:5000/quay": a rule has it as its mirror',
    );
  });

  test('is insecure below an insecure path, too', () => {
    const input = { rules: [{ source: 'quay.io/a/b', mirrors: ['m.example/q/r'] }] };

    expect(
      tableOf({ ...input, insecure: ['quay.io/a', 'm.example/q'] }, 'quay.io/a/b'),
    ).toMatchObject({ insecure: true, mirror: [{ insecure: true }] });
  });

  test('tries the mirrors of tags in their own order', () => {
    const rules = [{ source: 'quay.io', mirrors: ['a.example', 'b.example'] }];
    const tagRules = [{ source: 'quay.io', mirrors: ['b.example', 'a.example'] }];
    const { mirror } = tableOf({ rules, tagRules }, 'quay.io');

    expect(mirror).toEqual([
      { location: 'a.example', 'pull-from-mirror': 'digest-only' },
      { location: 'b.example', 'pull-from-mirror': 'digest-only' },
      { location: 'b.example', 'pull-from-mirror': 'tag-only' },
      { location: 'a.example', 'pull-from-mirror': 'tag-only' },
    ]);
  });

  test('refuses a location with a scheme', () => {
    expect(() => registriesConf({ rules: [], blocked: ['https://quay.io'] })).toThrow(
      'Cannot use "https://quay.io" in registries.conf',
    );
  });
});
