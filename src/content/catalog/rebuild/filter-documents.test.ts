import { describe, expect, test } from 'vitest';
import { toYaml } from '../../../core/yaml.ts';
import type { KeptDocument } from '../read-files.ts';
import type { SelectedPackage } from '../select/selection.ts';
import { filterDocument, keepsDocument } from './filter-documents.ts';

const OP: SelectedPackage = {
  name: 'op',
  defaultChannel: 'stable',
  channels: [
    { name: 'fast', head: 'op.v3', entries: [{ name: 'op.v3' }] },
    {
      name: 'stable',
      head: 'op.v2',
      entries: [{ name: 'op.v2', replaces: 'op.v1', skips: ['op.v0'] }, { name: 'op.v1' }],
    },
  ],
  bundles: ['op.v1', 'op.v2'].map((name) => ({
    name,
    package: 'op',
    reasons: [{ kind: 'head', channel: 'stable' }],
  })),
  isDependency: false,
};

const json = (value: Record<string, unknown>): KeptDocument => ({
  schema: String(value.schema),
  package: 'op',
  name: value.name as string | undefined,
  text: Buffer.from(JSON.stringify(value)),
  format: 'json',
});
const read = (document: KeptDocument | undefined) => JSON.parse(String(document?.text));

describe('keepsDocument', () => {
  const keeps = keepsDocument({ packages: [OP], warnings: [], failures: [], unmet: [] });

  test.each([
    ['what belongs to no package', { schema: 'custom', package: undefined, name: 'x' }, true],
    ['another package', { schema: 'olm.package', package: 'other', name: 'other' }, false],
    ['a chosen bundle', { schema: 'olm.bundle', package: 'op', name: 'op.v1' }, true],
    ['another bundle', { schema: 'olm.bundle', package: 'op', name: 'op.v9' }, false],
    ['a chosen channel', { schema: 'olm.channel', package: 'op', name: 'fast' }, true],
    [
      'a channel named like a bundle',
      { schema: 'olm.channel', package: 'op', name: 'op.v1' },
      false,
    ],
    ['anything else of the package', { schema: 'olm.csv', package: 'op', name: 'op.v9' }, true],
  ])('answers for %s', (_what, key, kept) => {
    expect(keeps(key)).toBe(kept);
  });
});

describe('filterDocument', () => {
  test('leaves documents of no package and of unknown kinds as they are', () => {
    const custom = json({ schema: 'custom', name: 'stable', entries: [{ name: 'op.v9' }] });
    const channel = json({ schema: 'olm.channel', name: 'stable', entries: [{ name: 'op.v9' }] });

    expect(filterDocument(custom, OP)).toBe(custom);
    expect(filterDocument(channel, undefined)).toBe(channel);
  });

  test('changes the default channel only where it is another, under the spelling it finds', () => {
    const same = json({ schema: 'olm.package', name: 'op', defaultChannel: 'stable' });
    const other = json({ schema: 'olm.package', name: 'op', defaultchannel: 'fast', icon: 1 });
    const none = json({ schema: 'olm.package', name: 'op' });

    expect(filterDocument(same, OP)).toBe(same);
    expect(read(filterDocument(other, OP))).toEqual({
      ...{ schema: 'olm.package', name: 'op', defaultchannel: 'stable', icon: 1 },
    });
    expect(read(filterDocument(none, OP))).toHaveProperty('defaultChannel', 'stable');
  });

  test('leaves a channel byte for byte when all its entries stay', () => {
    const entries = [
      { name: 'op.v2', replaces: 'op.v1', skips: ['op.v0'], skipRange: '<2' },
      { name: 'op.v1' },
    ];
    const channel = json({ schema: 'olm.channel', name: 'stable', entries });

    expect(filterDocument(channel, OP)).toBe(channel);
  });

  test('takes the entries of its own channel, with all that they say', () => {
    const entries = [
      { name: 'op.v2', replaces: 'op.v1', skips: ['op.v0'], skipRange: '<2' },
      { name: 'op.v1', note: 'kept' },
      { name: 'op.v3' },
    ];
    const channel = json({ schema: 'olm.channel', name: 'stable', entries });

    expect(read(filterDocument(channel, OP)).entries).toEqual(entries.slice(0, 2));
    expect(read(filterDocument({ ...channel, name: 'fast' }, OP)).entries).toEqual([entries[2]]);
    expect(read(filterDocument({ ...channel, name: 'gone' }, OP)).entries).toEqual([]);
  });

  test('writes links that a range made as skips, and only where there are more of them', () => {
    const entries = [{ name: 'op.v2', replaces: 'op.v1', skipRange: '<2' }, { name: 'op.v1' }];
    const channel = json({ schema: 'olm.channel', name: 'stable', entries });
    const equal = [{ ...entries[0], skips: ['op.v7'] }, entries[1]];
    const full = json({ schema: 'olm.channel', name: 'stable', entries: equal });

    expect(read(filterDocument(channel, OP)).entries).toEqual([
      { ...entries[0], skips: ['op.v0'] },
      entries[1],
    ]);
    expect(filterDocument(full, OP)).toBe(full);
  });

  test('reads YAML and writes what it changed as JSON', () => {
    const value = { schema: 'olm.channel', name: 'fast', entries: [{ name: 'x' }] };
    const yaml: KeptDocument = { ...json(value), format: 'yaml', text: Buffer.from(toYaml(value)) };
    const changed = filterDocument(yaml, OP);

    expect(changed?.format).toBe('json');
    expect(read(changed)).toEqual({ ...value, entries: [] });
  });

  test('keeps deprecations of what stays, and leaves out a document of which nothing is left', () => {
    const entry = (schema: string, name?: string) => ({
      reference: { schema, name },
      message: 'old',
    });
    const kept = [entry('olm.package'), entry('olm.bundle', 'op.v2'), entry('olm.channel', 'fast')];
    const gone = [entry('olm.bundle', 'op.v9'), entry('olm.channel', 'op.v2')];
    const some = json({ schema: 'olm.deprecations', entries: [...gone, ...kept] });
    const all = json({ schema: 'olm.deprecations', entries: kept });

    expect(read(filterDocument(some, OP)).entries).toEqual(JSON.parse(JSON.stringify(kept)));
    expect(filterDocument(all, OP)).toBe(all);
    expect(filterDocument(json({ schema: 'olm.deprecations', entries: gone }), OP)).toBeUndefined();
  });
});
