import { mkdir, mkdtemp, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { logBundle, writeLogBundle } from '../../test/support/log-bundle.ts';
import { type PlacedSample, placeSample } from '../../test/support/rule-sample.ts';
import { tempDir } from '../../test/support/temp.ts';
import { silentContext } from '../core/context.ts';
import { diagnose } from './diagnose.ts';
import { meaningOf, parseRules, type Rule, shippedRules } from './rules/catalogue.ts';

const WRITTEN = new Date('2026-08-20T11:00:00Z');

/** Writes the sample below a directory of its own, which stands for one bundle or install directory. */
async function written(base: string, sample: PlacedSample): Promise<string> {
  const root = await mkdtemp(join(base, 'sample-'));
  const file = join(root, sample.path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, sample.content);
  await utimes(file, WRITTEN, WRITTEN);
  return root;
}

async function firedBy(paths: readonly string[]): Promise<string[]> {
  const { findings, benign } = await diagnose(silentContext(), paths);
  const counted = findings.filter(({ aside }) => aside === undefined);
  const fired = [...counted, ...benign].map(({ id }) => id);
  return fired.filter((id) => id !== HEALTHY).toSorted();
}

/** Several rules may mean the same cause: on a line that many match, the one that knows its place best speaks. */
const meaningsOf = (ids: readonly string[], rules: readonly Rule[]): string[] => [
  ...new Set(ids.map((id) => rules.find((rule) => rule.id === id)?.cause_id ?? id)),
];

/** Whether other lines can change what a sample means: then it is read amid those of a healthy bundle. */
const dependsOnOthers = ({ sample }: Rule, rules: readonly Rule[]): boolean =>
  typeof sample !== 'string' ||
  rules.some(
    ({ regexp, needs, unless, over }) =>
      (needs.length > 0 || unless.length > 0 || over !== undefined) &&
      sample.split('\n').some((line) => regexp?.test(line)),
  );

/** A few at a time: most of the time is spent on files. */
async function inParallel<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const worker = async () => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: 4 }, worker));
}

/** A healthy bundle has this line, too; it is benign. */
const HEALTHY = 'boot-release-digest-unresolved';

async function healthyBundle(): Promise<string> {
  return writeLogBundle(await tempDir(), logBundle('healthy'));
}

test('diagnose finds nothing in a healthy bundle', async () => {
  const diagnosis = await diagnose(silentContext(), [await healthyBundle()]);

  expect(diagnosis.findings).toEqual([]);
  expect(diagnosis.bootstrap?.verdict).toBe('complete');
});

describe('the shipped catalogue', () => {
  let rules: readonly Rule[] = [];
  beforeAll(() => {
    rules = shippedRules();
  });

  test('has rules in all four categories', () => {
    const categories = new Set(rules.map(({ category }) => category));
    expect(categories).toEqual(new Set(['image-sync', 'bootstrap', 'install', 'node-join']));
    expect(rules.length).toBeGreaterThan(160);
  });

  test('means by each sample what its rule says, and nothing else', {
    timeout: 600_000,
  }, async () => {
    const [base, bundle] = [await tempDir(), await healthyBundle()];
    const wrong: unknown[] = [];
    const told: string[] = [HEALTHY];
    const samples = rules
      .filter(({ id }) => id !== HEALTHY)
      .flatMap((rule) => rule.where.map((where, index) => ({ rule, where, index })));
    await inParallel(samples, async ({ rule, where, index }) => {
      const expected = meaningsOf([rule.id, ...rule.also], rules).toSorted();
      const sample = await written(base, placeSample(where, rule.sample));
      const inBundle = index === 0 && dependsOnOthers(rule, rules);
      const fired = await firedBy(inBundle ? [bundle, sample] : [sample]);
      told.push(...fired.filter((id) => id === rule.id));
      const meant = meaningsOf(fired, rules).toSorted();
      if (meant.join() !== expected.join()) wrong.push({ rule: rule.id, where, fired });
    });
    expect(wrong).toEqual([]);
    // A rule that never speaks is there in vain.
    expect(rules.map(({ id }) => id).filter((id) => !told.includes(id))).toEqual([]);
  });

  test('knows each other wording of a rule', async () => {
    const base = await tempDir();
    const wrong: unknown[] = [];
    const all = rules.flatMap((rule) => rule.wordings.map((wording) => ({ rule, wording })));
    await inParallel(all, async ({ rule, wording }) => {
      const sample = await written(base, placeSample(rule.where[0] ?? '', wording));
      const meant = meaningsOf(await firedBy([sample]), rules);
      if (!meant.includes(meaningOf(rule))) wrong.push({ rule: rule.id, wording, meant });
    });
    expect(wrong).toEqual([]);
  });

  test('stays silent on what only looks alike', { timeout: 300_000 }, async () => {
    const base = await tempDir();
    const paths = [await healthyBundle()];
    for (const { where, not_sample } of rules) {
      paths.push(await written(base, placeSample(where[0] ?? '', not_sample)));
    }
    expect(await firedBy(paths)).toEqual([]);
  });

  test('gives every root a remedy with a command', () => {
    const poor = rules.filter(({ kind, commands }) => kind === 'root' && commands.length === 0);
    expect(poor.map(({ id }) => id)).toEqual([]);
  });
});

const entry = (fields: string) => `version: 1
failures:
- id: a
  category: install
  kind: root
  where: ['installer-log']
  sample: 'x'
  not_sample: 'y'
  cause: c
  remedy: r
  source: s
${fields}`;

test.each([
  ['a pattern that is no regular expression', "  pattern: 'abcdefgh('", /pattern of "a"/],
  ['a pattern without fixed text', "  pattern: '\\d+ (ab|cd)'", /no fixed text of 6/],
  ['neither pattern nor object', '', /either a pattern or an object/],
  ['an unknown rule in instead_of', "  pattern: 'abcdefgh'\n  instead_of: ['b']", /names "b"/],
  ['an unknown field', "  pattern: 'abcdefgh'\n  patern: x", /patern/],
])('parseRules refuses %s', (_, fields, message) => {
  expect(() => parseRules('mine.yaml', entry(fields))).toThrow(message);
});
