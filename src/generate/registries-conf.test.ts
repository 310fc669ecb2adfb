import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import type { MirrorRule } from './mirror-rule.ts';
import { registriesConf } from './registries-conf.ts';

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

  test('refuses a location with a scheme', () => {
    expect(() => registriesConf({ rules: [], blocked: ['https://quay.io'] })).toThrow(
      'Cannot use "https://quay.io" in registries.conf',
    );
  });
});
