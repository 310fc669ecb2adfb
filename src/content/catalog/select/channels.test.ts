import fc from 'fast-check';
import semver from 'semver';
import { describe, expect, test } from 'vitest';
import type { ChannelEntry } from '../model/catalog.ts';
import { channelGraph, faultOf, headOf } from './channel-graph.ts';
import { connectChannel } from './connect-channel.ts';

const versionOf = (name: string) => semver.parse(name) ?? undefined;
const connect = (entries: readonly ChannelEntry[], ...names: readonly string[]) =>
  connectChannel(channelGraph(entries, versionOf), new Set(names));

const CHAIN: readonly ChannelEntry[] = [
  { name: '1.0.0' },
  { name: '1.1.0', replaces: '1.0.0' },
  { name: '1.2.0', replaces: '1.1.0' },
  { name: '1.3.0', replaces: '1.2.0', skips: ['1.2.1'] },
  { name: '1.2.1', replaces: '1.2.0' },
];

describe('faultOf', () => {
  test.each<[string, readonly ChannelEntry[], string | undefined]>([
    ['a chain with a skipped entry', CHAIN, undefined],
    ['two heads', [{ name: 'a' }, { name: 'b' }], 'it has 2 heads: a, b'],
    [
      'a circle',
      [
        { name: 'a', replaces: 'b' },
        { name: 'b', replaces: 'a' },
      ],
      'its replacements go round in a circle, so it has no head',
    ],
    [
      'a circle below the head',
      [
        { name: 'h', replaces: 'a' },
        { name: 'a', replaces: 'b' },
        { name: 'b', replaces: 'a' },
      ],
      'its replacements go round in a circle at "a"',
    ],
    [
      'an entry that replaces itself',
      [{ name: 'a', replaces: 'a' }],
      'its replacements go round in a circle, so it has no head',
    ],
    ['an entry twice', [{ name: 'a' }, { name: 'a' }], 'it has an entry twice'],
    [
      'a stranded entry',
      [{ name: 'h', skips: ['x'] }, { name: 'x', replaces: 'y' }, { name: 'y' }],
      'nothing leads to y',
    ],
    [
      'an entry that is skipped by a skipped one, which is as good as any',
      [{ name: 'h', skips: ['x'] }, { name: 'x', skips: ['y'] }, { name: 'y' }],
      undefined,
    ],
  ])('knows %s', (_name, entries, fault) => {
    expect(faultOf(entries)).toBe(fault);
  });
});

describe('headOf', () => {
  test('takes skipRange into account where nothing else tells the head', () => {
    const entries = [{ name: '1.0.0' }, { name: '1.1.0', skipRange: '>=1.0.0 <1.1.0' }];

    expect(headOf(channelGraph(entries, versionOf))).toBe('1.1.0');
  });

  test('says what is wrong when there is no single one', () => {
    expect(headOf(channelGraph([], versionOf))).toEqual({ fault: 'it has no entries' });
    expect(headOf(channelGraph([{ name: 'a' }, { name: 'b' }], versionOf))).toEqual({
      fault: 'it has 2 heads: a, b',
    });
  });
});

describe('connectChannel', () => {
  test('adds nothing to entries that hang together', () => {
    expect(connect(CHAIN, '1.1.0', '1.2.0')).toEqual({
      head: '1.2.0',
      entries: CHAIN.slice(1, 3),
      links: [],
    });
  });

  test('adds what lies between, and says so', () => {
    expect(connect(CHAIN, '1.0.0', '1.2.0')).toMatchObject({ head: '1.2.0', links: ['1.1.0'] });
  });

  test('takes a skipped entry alone when only that is wanted', () => {
    expect(connect(CHAIN, '1.2.1')).toMatchObject({ head: '1.2.1', links: [] });
  });

  test('adds the lowest entry above two that know nothing of each other', () => {
    const forked: readonly ChannelEntry[] = [
      { name: '1.0.0' },
      { name: '1.1.0' },
      { name: '2.0.0', replaces: '1.1.0', skips: ['1.0.0'] },
      { name: '3.0.0', replaces: '2.0.0' },
    ];

    expect(connect(forked, '1.0.0', '1.1.0')).toMatchObject({ head: '2.0.0', links: ['2.0.0'] });
  });

  test('follows skipRange, and writes the link as a skip', () => {
    const entries: readonly ChannelEntry[] = [
      { name: '1.0.0' },
      { name: '1.1.0', replaces: '1.0.0' },
      { name: '1.2.0', replaces: '1.1.0', skipRange: '>=1.0.0 <1.2.0' },
    ];

    expect(connect(entries, '1.0.0', '1.2.0')).toEqual({
      head: '1.2.0',
      entries: [
        { name: '1.0.0' },
        { name: '1.2.0', replaces: '1.1.0', skipRange: '>=1.0.0 <1.2.0', skips: ['1.0.0'] },
      ],
      links: [],
    });
  });

  test('falls back to the chain where the smallest part would strand an entry', () => {
    const entries: readonly ChannelEntry[] = [
      { name: 'z' },
      { name: 'y', replaces: 'z' },
      { name: 'm', replaces: 'base', skips: ['z'] },
      { name: 'h', replaces: 'm', skips: ['y'] },
      { name: 'base' },
    ];

    const connected = connect(entries, 'h', 'y', 'z');

    expect(connected).toMatchObject({ head: 'h', links: ['m'] });
  });

  test('keeps entries that one after the other skips the one before', () => {
    const entries = [{ name: '1.0.0' }, { name: '1.1.0', skips: ['1.0.0'] }];
    const channel = [...entries, { name: '1.2.0', skips: ['1.1.0'] }];

    expect(connect(channel, '1.0.0', '1.1.0', '1.2.0')).toEqual({
      head: '1.2.0',
      entries: channel,
      links: [],
    });
    expect(connect(channel, '1.0.0', '1.2.0')).toMatchObject({ links: ['1.1.0'] });
  });

  test('falls back to the whole channel where no part of it could be served', () => {
    const entries = [
      { name: '1.0.0' },
      { name: '1.1.0' },
      { name: '1.2.0', replaces: '1.1.0', skips: ['1.0.0'] },
      { name: '1.3.0', skips: ['1.2.0'] },
      { name: '2.0.0', replaces: '1.0.0', skips: ['1.0.0', '1.1.0', '1.3.0'] },
      { name: '2.1.0', replaces: '1.1.0', skips: ['1.1.0'] },
      { name: '2.2.0', replaces: '1.3.0', skips: ['2.0.0', '2.1.0'] },
    ];

    expect(faultOf(entries)).toBeUndefined();
    expect(connect(entries, '1.0.0', '1.1.0', '1.2.0', '1.3.0')).toEqual({
      head: '2.2.0',
      entries,
      links: ['2.0.0', '2.1.0', '2.2.0'],
    });
  });

  test('goes the way with the fewest others, and through what is wanted where it can', () => {
    const entries: readonly ChannelEntry[] = [
      { name: 'z' },
      { name: 'y1', replaces: 'z' },
      { name: 'y2', replaces: 'z' },
      { name: 'x1', replaces: 'y1' },
      { name: 'h', replaces: 'x1', skips: ['y2', 'y1'] },
    ];

    expect(connect(entries, 'h', 'z', 'y2')).toMatchObject({ head: 'h' });
    expect(connect(entries, 'x1', 'z')).toEqual({
      head: 'x1',
      entries: [entries[0], entries[1], entries[3]],
      links: ['y1'],
    });
  });

  test('prefers a wanted entry for the head to one that is only above', () => {
    const entries: readonly ChannelEntry[] = [
      { name: 'a' },
      { name: 'b', replaces: 'a' },
      { name: 'c', replaces: 'b' },
      { name: 'd', replaces: 'c', skips: ['a'] },
    ];

    expect(connect(entries, 'a', 'c')).toEqual({
      head: 'c',
      entries: entries.slice(0, 3),
      links: ['b'],
    });
    expect(connect(entries, 'a', 'd')).toEqual({
      head: 'd',
      entries: [entries[0], entries[3]],
      links: [],
    });
  });

  test('keeps the chain of a channel that is too large to be searched', () => {
    const entries = Array.from(
      { length: 2001 },
      (_, at): ChannelEntry => ({
        name: `n${at}`,
        ...(at > 0 ? { replaces: `n${at - 1}` } : {}),
      }),
    );

    expect(connect(entries, 'n1', 'n4')).toEqual({
      head: 'n4',
      entries: entries.slice(1, 5),
      links: ['n2', 'n3'],
    });
  });

  test('keeps of a large channel what skips a wanted entry, and says when nothing leads to one', () => {
    const chain = Array.from(
      { length: 2001 },
      (_, at): ChannelEntry => ({
        name: `n${at}`,
        ...(at > 0 ? { replaces: `n${at - 1}` } : {}),
        ...(at === 3 ? { skips: ['side'] } : {}),
      }),
    );

    expect(connect([...chain, { name: 'side' }], 'side', 'n1')).toMatchObject({
      head: 'n3',
      links: ['n2', 'n3'],
    });
    expect(
      connect([...chain, { name: 'a', replaces: 'b' }, { name: 'b', replaces: 'a' }], 'n1', 'b'),
    ).toEqual({
      fault: 'nothing leads to b',
    });
  });

  test('says why a channel cannot be connected', () => {
    expect(connect([{ name: 'a' }, { name: 'b' }], 'a', 'b')).toEqual({
      fault: 'it has 2 heads: a, b',
    });
  });

  interface Spec {
    readonly onChain: boolean;
    readonly ranged: boolean;
    readonly wanted: boolean;
    readonly link: boolean;
  }

  const nameOf = (at: number) => `1.${at}.0`;

  /** Channels as vendors make them: a chain, entries skipped off it, ranges here and there. */
  function entryAt(specs: readonly Spec[], at: number): ChannelEntry {
    const isChained = (index: number) => specs[index]?.onChain || index === specs.length - 1;
    const below = specs.findLastIndex((_, index) => index < at && isChained(index));
    const between = specs.map((_, index) => index).slice(below + 1, at);
    const replaced = isChained(at) ? below : specs[at]?.link ? at - 1 : -1;
    return {
      name: nameOf(at),
      ...(replaced >= 0 ? { replaces: nameOf(replaced) } : {}),
      ...(isChained(at) && between.length > 0 ? { skips: between.map(nameOf) } : {}),
      ...(specs[at]?.ranged
        ? { skipRange: `>=${nameOf(Math.max(0, at - 4))} <${nameOf(at)}` }
        : {}),
    };
  }

  const channel = fc
    .array(
      fc.record({
        onChain: fc.boolean(),
        ranged: fc.boolean(),
        wanted: fc.boolean(),
        link: fc.boolean(),
      }),
      { minLength: 1, maxLength: 14 },
    )
    .map((specs) => {
      const wanted = specs.flatMap((spec, at) => (spec.wanted ? [nameOf(at)] : []));
      return {
        entries: specs.map((_, at) => entryAt(specs, at)),
        wanted: wanted.length > 0 ? wanted : [nameOf(specs.length - 1)],
      };
    });

  test('always gives a channel the server accepts, with all that is wanted, in any order', () => {
    fc.assert(
      fc.property(channel, fc.nat(), ({ entries, wanted }, seed) => {
        fc.pre(faultOf(entries) === undefined);
        const place = ({ name }: ChannelEntry) => (Number(name.split('.')[1]) * 7919 + seed) % 101;
        const shuffled = entries.toSorted((a, b) => place(a) - place(b));

        const connected = connect(entries, ...wanted);
        const again = connect(shuffled, ...wanted.toReversed());

        if ('fault' in connected || 'fault' in again) throw new Error(JSON.stringify(connected));
        expect(faultOf(connected.entries)).toBeUndefined();
        const names = connected.entries.map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(wanted));
        expect(names).toHaveLength(wanted.length + connected.links.length);
        const byName = (list: readonly ChannelEntry[]) =>
          list.toSorted((a, b) => (a.name < b.name ? -1 : 1));
        expect(byName(again.entries)).toEqual(byName(connected.entries));
      }),
      { numRuns: 500 },
    );
  });
});
