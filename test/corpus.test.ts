import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';

const CORPUS = join(import.meta.dirname, 'corpus');
const files = readdirSync(join(CORPUS, 'blind')).sort();

// The vocabulary is the list of causes in the README: "- `id`: one sentence."
const vocabulary = new Set(
  Array.from(
    readFileSync(join(CORPUS, 'README.md'), 'utf8').matchAll(/^- `([a-z0-9-]+)`: /gm),
    ([, id]) => id ?? '',
  ),
);

const Cause = z.string().refine((id) => vocabulary.has(id), 'not in the vocabulary');

const Case = z
  .strictObject({
    title: z.string().min(10),
    machine: z.enum([
      'bootstrap',
      'control-plane',
      'worker',
      'workstation',
      'bastion',
      'mirror',
      'installer-host',
    ]),
    form: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
    file: z.string().min(1),
    cause: Cause,
    also: z.array(Cause).min(1).optional(),
    misleading: z.literal(true).optional(),
    not: z.array(Cause).min(1).optional(),
    /** Somebody pasted the few lines they believed in. */
    excerpt: z.literal(true).optional(),
    text: z.string().min(1),
  })
  .refine(
    ({ cause, also = [], not = [] }) => !not.some((id) => [cause, ...also].includes(id)),
    'a cause is named both right and wrong',
  )
  .refine(({ cause, also }) => cause !== 'none' || !also, 'healthy, yet with a cause');

const readCase = (file: string) =>
  Case.parse(parse(readFileSync(join(CORPUS, 'blind', file), 'utf8')));

test.each(files)('the case %s is whole and its causes are in the vocabulary', (file) => {
  const { text, excerpt } = readCase(file);
  const lines = text.trimEnd().split('\n').length;

  expect(file).toMatch(/^\d{3}-[a-z0-9-]+\.yaml$/);
  if (excerpt) expect(lines).toBeLessThan(10);
  else expect(lines).toBeGreaterThanOrEqual(10);
  expect(lines).toBeLessThanOrEqual(80);
});

test('most cases are long enough for a cause to hide in', () => {
  const long = files.filter((file) => !readCase(file).excerpt);

  expect(long.length / files.length).toBeGreaterThan(0.75);
});

test('the cases are numbered from 001 without a gap', () => {
  expect(files.map((file) => Number(file.slice(0, 3)))).toEqual(files.map((_, i) => i + 1));
});

test('every cause of the vocabulary has a case, and every known case a cause of the vocabulary', () => {
  const known = readdirSync(join(CORPUS, 'known')).map((file) =>
    Case.parse(parse(readFileSync(join(CORPUS, 'known', file), 'utf8'))),
  );
  const named = new Set([...known, ...files.map(readCase)].map(({ cause }) => cause));

  expect([...vocabulary].filter((id) => !named.has(id))).toEqual([]);
});
