import { afterEach, expect, test } from 'vitest';
import {
  forgetSecrets,
  REDACTED,
  redact,
  redactJson,
  registerCredential,
  registerPullSecret,
  registerSecret,
} from './redact.ts';

afterEach(forgetSecrets);

test('redact removes a registered secret in every form it takes on the wire', () => {
  const secret = 'p@ss "word"/+?';
  registerSecret(secret);
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ];

  for (const form of forms) {
    expect(redact(`before ${form} after`)).toMatch(/^before "?\[redacted\]=*"? after$/);
  }
});

test('redact removes the longer of two secrets whole', () => {
  registerSecret('secret');
  registerSecret('secret-and-more');

  expect(redact('x secret-and-more y secret z')).toBe(`x ${REDACTED} y ${REDACTED} z`);
});

test('redact does not blot out words because a secret is short', () => {
  registerSecret('abc');

  expect(redact('abc')).toBe('abc');
});

test('registerCredential covers the pair of a Basic header', () => {
  registerCredential('user', 'hunter2hunter2');
  const pair = Buffer.from('user:hunter2hunter2').toString('base64');

  expect(redact(`auth ${pair}`)).toBe(`auth ${REDACTED}`);
});

test('registerSecret covers a private key line by line', () => {
  const line = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSj';
  registerSecret(`-----BEGIN PRIVATE KEY-----\n${line}\n-----END PRIVATE KEY-----\n`);

  expect(redact(`read: ${line}`)).toBe(`read: ${REDACTED}`);
});

test('registerPullSecret covers the file, its entries and their passwords', () => {
  const auth = Buffer.from('robot:the-real-password').toString('base64');
  const text = JSON.stringify({ auths: { 'quay.io': { auth, email: 'a@b.c' } } }, undefined, 2);

  registerPullSecret(text);

  for (const secret of [text, JSON.stringify(JSON.parse(text)), auth, 'the-real-password']) {
    expect(redact(`found ${secret}.`)).toBe(`found ${REDACTED}.`);
  }
  expect(redact('quay.io')).toBe('quay.io');
});

test('registerPullSecret takes a file it cannot parse for a secret too', () => {
  registerPullSecret('{"auths": broken');

  expect(redact('in {"auths": broken')).toBe(`in ${REDACTED}`);
});

test.each([
  ['https://user:pass@mirror:5000/v2/', `https://${REDACTED}@mirror:5000/v2/`],
  ['docker://robot@mirror/a', `docker://${REDACTED}@mirror/a`],
  ['Authorization: Basic dXNlcjpwYXNz', `Authorization: Basic ${REDACTED}`],
  ['authorization: bearer eyJhbGciOi.eyJzdWIi.c2ln', `authorization: bearer ${REDACTED}`],
  ['/blob?X-Amz-Signature=abc123&part=2', `/blob?X-Amz-Signature=${REDACTED}&part=2`],
  ['/token?service=a&access_token=abc', `/token?service=a&access_token=${REDACTED}`],
  ['{"auth": "dXNlcjpwYXNz"}', `{"auth": "${REDACTED}"}`],
  ['{"password":"a\\"b"}', `{"password":"${REDACTED}"}`],
])('redact cleans %s, registered or not', (text, clean) => {
  expect(redact(text)).toBe(clean);
});

test.each([
  'docker://busybox@sha256:0123456789abcdef',
  'The registry wants Basic authentication',
  'Bearer realm="https://auth.example/token",service="mirror"',
  'https://mirror:5000/v2/a/manifests/latest',
  'oci:layout/path@tag',
])('redact leaves %s alone', (text) => {
  expect(redact(text)).toBe(text);
});

test('redactJson cleans every string, key and secret field, and keeps the rest', () => {
  registerSecret('top-secret');
  const value = {
    list: ['top-secret', 1, null, true],
    'key top-secret': { deep: 'a top-secret' },
    Password: 'not registered',
    password: { nested: 'fine' },
  };

  expect(redactJson(value)).toEqual({
    list: [REDACTED, 1, null, true],
    [`key ${REDACTED}`]: { deep: `a ${REDACTED}` },
    Password: REDACTED,
    password: { nested: 'fine' },
  });
});

test('registerPullSecret finds every kind of secret in every entry, and passes over the rest', () => {
  const pair = Buffer.from('robot:first:second line\nthird').toString('base64');
  const noPair = Buffer.from('no-colon-here').toString('base64');
  const auths = {
    a: { auth: pair },
    b: { password: 'password-of-b', identitytoken: 'identity-of-b', registrytoken: 'token-of-b' },
    c: { auth: noPair },
    d: { auth: 12_345_678, email: 'public@example.com' },
    e: null,
    f: 'text',
  };

  registerPullSecret(`\n ${JSON.stringify({ auths })} \n`);

  for (const secret of [
    JSON.stringify({ auths }),
    'first:second line\nthird',
    'password-of-b',
    'identity-of-b',
    'token-of-b',
    noPair,
  ]) {
    expect(redact(`<${secret}>`)).toBe(`<${REDACTED}>`);
  }
  expect(redact('public@example.com, text, 12345678, Stryker was here')).not.toContain(REDACTED);
});

test.each(['null', '[]', '{}', '{"auths":null}', '"a text"'])(
  'registerPullSecret takes %s for a file without entries',
  (text) => {
    expect(() => registerPullSecret(text)).not.toThrow();
    expect(redact('Stryker was here')).toBe('Stryker was here');
  },
);

test('redact removes a secret as JSON shows it inside a longer text, and its base64 without the end', () => {
  registerSecret('say "hello"');

  expect(redact(JSON.stringify('they say "hello" to us'))).toBe(`"they ${REDACTED} to us"`);
  expect(redact(Buffer.from('say "hello"').toString('base64').replace(/=+$/, ''))).toBe(REDACTED);
});

test('registerSecret covers no other line of a private key, and no line of another text', () => {
  const short = 'x'.repeat(20);
  registerSecret(
    `-----BEGIN PRIVATE KEY-----\n${short}\n${'y'.repeat(21)}\n-----END PRIVATE KEY-----`,
  );
  registerSecret(`${'z'.repeat(30)}\nand another line that is long`);
  const harmless = [
    short,
    '-----BEGIN PRIVATE KEY-----',
    '-----END PRIVATE KEY-----',
    'z'.repeat(30),
  ];

  for (const line of harmless) expect(redact(line)).toBe(line);
  expect(redact('y'.repeat(21))).toBe(REDACTED);
});

test('registerSecret takes text that cannot be in a URL', () => {
  registerSecret('half \ud800 pair');

  expect(redact('half \ud800 pair')).toBe(REDACTED);
});

test('forgetSecrets forgets', () => {
  registerSecret('known once');
  expect(redact('known once')).toBe(REDACTED);

  forgetSecrets();

  expect(redact('known once')).toBe('known once');
});
