import { expect, test } from 'vitest';
import { countVerdicts, scoreCorpus, scoreUnaided } from '../scripts/score.mjs';
import { silentContext } from '../src/core/context.ts';
import { diagnose } from '../src/observe/diagnose.ts';
import { shippedRules } from '../src/observe/rules/catalogue.ts';

const score = (half: 'known' | 'blind') =>
  scoreCorpus(half, async (path) => (await diagnose(silentContext(), [path])).findings);

test('diagnose names the cause of nearly every blind case and a wrong one of none', async () => {
  const results = await score('blind');
  const failures = results.filter(({ cause }) => cause !== 'none');
  const { named } = countVerdicts(failures);

  expect(results.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
  expect(named / failures.length).toBeGreaterThanOrEqual(0.99);
}, 120_000);

test('diagnose names the cause of every known case', async () => {
  const results = await score('known');

  expect(results.length).toBeGreaterThanOrEqual(100);
  expect(results.filter(({ verdict }) => verdict !== 'named')).toEqual([]);
}, 120_000);

test('diagnose reads a likely cause from the errors of no healthy blind case', async () => {
  const results = await scoreCorpus('blind', async (path) => {
    const { likely } = await diagnose(silentContext(), [path]);
    return likely ? [{ kind: 'root', id: likely.id }] : [];
  });
  const healthy = results.filter(({ cause }) => cause === 'none');

  expect(healthy.length).toBeGreaterThan(50);
  expect(healthy.filter(({ verdict }) => verdict === 'wrong')).toEqual([]);
}, 120_000);

// As if each failure were one that nobody wrote a rule for: only what is harmless is known. Lines that say the same
// elsewhere count as others, so the true share is higher.
test.each([
  ['known', 0.81],
  ['blind', 0.75],
])(
  'without rules diagnose still reads the line that names the cause: %s',
  async (half, least) => {
    const harmless = shippedRules().filter(({ kind }) => kind === 'benign');
    const { found, other, silent } = await scoreUnaided(
      half,
      (path: string) => diagnose(silentContext(), [path]),
      (path: string) => diagnose(silentContext(), [path], { rules: harmless }),
    );

    expect(found / (found + other + silent)).toBeGreaterThanOrEqual(least);
  },
  240_000,
);
