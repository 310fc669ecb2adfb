import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { readBearer, signBearer } from './bearer.ts';

const KEY = 'key of this registry';
const CLAIMS = {
  user: 'ci',
  grants: [{ role: 'pull', prefix: 'ocp' }],
  expires: 1_900_000_000,
} as const;

/** A token around any payload, signed as this registry signs. */
function signed(payload: unknown): string {
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  return `${text}.${createHmac('sha256', KEY).update(text).digest('base64url')}`;
}

test('readBearer gives back what signBearer signed', () => {
  expect(readBearer(KEY, signBearer(KEY, CLAIMS))).toEqual(CLAIMS);
  expect(readBearer('another key', signBearer(KEY, CLAIMS))).toBeUndefined();
});

test.each([
  ['without an end', { ...CLAIMS, expires: undefined }],
  ['with an end that is no number', { ...CLAIMS, expires: 'never' }],
  ['without grants', { ...CLAIMS, grants: undefined }],
  ['with a grant that is none', { ...CLAIMS, grants: ['pull'] }],
  ['that is a list', [CLAIMS]],
])('readBearer refuses a signed token %s', (_, payload) => {
  expect(readBearer(KEY, signed(payload))).toBeUndefined();
});
