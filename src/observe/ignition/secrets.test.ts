import { expect, test } from 'vitest';
import { redact } from '../../core/redact.ts';
import type { IgnitionFile, ParsedIgnition } from './config.ts';
import { loginKeysOf, registriesIn, secretsOf } from './secrets.ts';

const NO_USERS: ParsedIgnition = { ignition: { version: '3.2.0' } };

const file = (text: string | undefined): IgnitionFile => ({
  path: '/x',
  mode: 0o600,
  content: text === undefined ? undefined : Buffer.from(text),
  source: undefined,
});

const heldBy = (text: string | undefined) =>
  secretsOf([file(text)], NO_USERS).map(({ holds }) => holds);

test.each([
  ['-----BEGIN PRIVATE KEY-----\nx', ['private key']],
  ['-----BEGIN OPENSSH PRIVATE KEY-----\nx', ['private key']],
  [
    `key: ${Buffer.from('-----BEGIN EC PRIVATE KEY-----\nx').toString('base64')}`,
    ['private key, encoded'],
  ],
  [`ca: ${Buffer.from('-----BEGIN CERTIFICATE-----\nx').toString('base64')}`, []],
  ['-----BEGIN PUBLIC KEY-----\nx', []],
  ['kind: Secret\ndata:\n  a: eA==\nstringData:\n  b: x\n', ['Secret with a, b']],
  ['kind: "Secret"\nmetadata: {}\n', ['Secret with no keys']],
  ['kind: Secret\ndata: {a: b\n', ['Secret']],
  ['---\n---\nkind: Secret\nstringData:\n  b: x\n', ['Secret with b']],
  ['kind: SecretStore\ndata:\n  a: b\n', []],
  ['{"auths":{"b.io":{"auth":"eA=="},"a.io":{}}}', ['credentials for a.io, b.io']],
  ['{"auths":{}}', ['credentials for no registry']],
  ['{"auths":', []],
  ['nothing of it', []],
  [undefined, []],
])('secretsOf %j holds %j', (text, expected) => {
  expect(heldBy(text)).toEqual(expected);
});

test('secretsOf tells of each secret of a file, and of the users whose password is set', () => {
  const text = 'kind: Secret\ndata:\n  key: |\n    -----BEGIN PRIVATE KEY-----\n';
  const users = [{ name: 'core', passwordHash: '$6$x' }, { name: 'other' }];

  expect(secretsOf([file(text)], { ...NO_USERS, passwd: { users } })).toEqual([
    { path: '/x', holds: 'private key' },
    { path: '/x', holds: 'Secret with key' },
    { path: 'user core', holds: 'password hash' },
  ]);
});

test('registriesIn finds credentials in the midst of other text, and remembers them to be hidden', () => {
  const secret = 'dGVzdDpzZWNyZXRzLXRlc3Q=';
  const text = `cat <<EOF\n{"auths":{"m.lab":{"auth":"${secret}"},"n.lab":{"auth":7}}}\nEOF\n`;

  expect(registriesIn(text)).toEqual(['m.lab', 'n.lab']);
  expect(redact(`a ${secret} b`)).not.toContain(secret);
});

test('registriesIn knows text that has no credentials', () => {
  expect(registriesIn('{"auth": "x"}')).toBeUndefined();
  expect(registriesIn('{"auths": broken}')).toBeUndefined();
});

test('loginKeysOf shows the fingerprint of each key with its user, type and comment', () => {
  const users = [
    { name: 'core', sshAuthorizedKeys: ['  ssh-ed25519 AAAA me  at home ', 'ssh-rsa'] },
    { name: 'other' },
  ];

  expect(loginKeysOf({ ...NO_USERS, passwd: { users } })).toEqual([
    'core: ssh-ed25519 me at home SHA256:cJ6AyISHokEeHuTfufIqhhSS0gxHZRUMDHlKvXD4FHw',
    'core: ssh-rsa SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  ]);
  expect(loginKeysOf(NO_USERS)).toEqual([]);
});
