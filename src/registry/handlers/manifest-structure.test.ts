import { expect, test } from 'vitest';
import { requireModest } from './manifest-structure.ts';

const modest = (text: string) => () => requireModest(Buffer.from(text));

test('requireModest refuses deep nesting and very many values, whatever stands around them', () => {
  expect(modest('['.repeat(65))).toThrow('nested deeper than 64');
  expect(modest(`{"a":${'{"a":'.repeat(64)}1`)).toThrow('nested deeper');
  expect(modest(`[${'1,'.repeat(50_001)}1]`)).toThrow('more than 50000 values');
  expect(modest(`[${'[],'.repeat(30_000)}1]`)).toThrow('more than 50000 values');
});

test('requireModest does not count what is inside of texts', () => {
  const text = '[{,'.repeat(60_000);

  expect(modest(JSON.stringify({ a: text, b: `\\"${text}\\\\` }))).not.toThrow();
  expect(modest(`"${text}`)).not.toThrow();
  expect(modest('['.repeat(64) + ']'.repeat(64))).not.toThrow();
  expect(modest('[]'.repeat(100))).not.toThrow();
});
