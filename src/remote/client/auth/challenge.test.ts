import { expect, test } from 'vitest';
import { parseChallenges } from './challenge.ts';

test('parseChallenges reads several challenges from one header', () => {
  const header =
    'Bearer realm="https://a/token",service="a",scope="repository:x:pull,push", Basic realm=b';

  expect(parseChallenges(header)).toEqual([
    {
      scheme: 'bearer',
      params: { realm: 'https://a/token', service: 'a', scope: 'repository:x:pull,push' },
    },
    { scheme: 'basic', params: { realm: 'b' } },
  ]);
});

test('parseChallenges copes with quotes, spaces and nothing at all', () => {
  expect(parseChallenges('Basic realm = "say \\"hi\\""')).toEqual([
    { scheme: 'basic', params: { realm: 'say "hi"' } },
  ]);
  expect(parseChallenges('Negotiate, Basic')).toEqual([
    { scheme: 'negotiate', params: {} },
    { scheme: 'basic', params: {} },
  ]);
  expect(parseChallenges(undefined)).toEqual([]);
  expect(parseChallenges('"="')).toEqual([]);
});
