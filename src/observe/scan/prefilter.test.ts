import { expect, test } from 'vitest';
import { shippedRules } from '../rules/catalogue.ts';
import { SIGNAL_PATTERNS } from '../timeline/timeline.ts';
import { requiredLiterals } from './literals.ts';

const UNITS = ['kubelet', 'crio', 'bootkube', 'approve-csr', 'node-image-pull', 'release-image'];

/** How lines begin; a journal with units has one of these in every line. */
const BEGINNINGS = UNITS.map(
  (unit) => `Thu 2026-08-20 10:12:37 UTC bootstrap ${unit}.service[5867]: I0820 10:12:37.1`,
);

test('no pattern is looked for by words with which lines of a journal begin', () => {
  const sources = [
    ...shippedRules().flatMap(({ pattern = [], over = [] }) => [pattern, over].flat()),
    ...SIGNAL_PATTERNS.map(({ pattern }) => pattern),
  ];
  const common = sources.filter((source) =>
    requiredLiterals(source, 3)?.some((literal) =>
      BEGINNINGS.some((text) => text.toLowerCase().includes(literal)),
    ),
  );

  expect(sources.length).toBeGreaterThan(200);
  expect(common).toEqual([]);
});
