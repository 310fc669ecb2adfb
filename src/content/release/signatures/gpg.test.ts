import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { createMessage, enums, generateKey, type PrivateKey, readKeys, sign } from 'openpgp';
import { describe, expect, test } from 'vitest';
import { describeWithPeers, peerPath } from '../../../../test/support/peers.ts';
import { tempDir } from '../../../../test/support/temp.ts';
import { UPSTREAM } from '../../../../test/support/upstream.ts';
import { silentContext } from '../../../core/context.ts';
import { createWeb } from '../../../http/web.ts';
import { type Digest, digestOf, parseDigest } from '../../../oci/digest.ts';
import { verifyRelease, verifySignature } from './gpg.ts';
import { loadReleaseKeys } from './release-keys.ts';
import { signatureConfigMaps } from './signature-config-map.ts';

const NOW = new Date('2027-06-01T00:00:00Z');
const ctx = silentContext({ now: () => NOW });
const web = createWeb();
const FIXTURE_KEY = join(UPSTREAM, 'release-key.asc');
const STORE = `file://${join(UPSTREAM, 'signatures')}`;
const R4181 = parseDigest(
  'sha256:d32a31796b2fe3e1c058a43d90f0345664bbf113dfab6f3cf17115707705d8d0',
);
const R4182 = parseDigest(
  'sha256:89739c863a3df42e0e48b54ae715c308925d83465a5b831e7e77b227cf917169',
);
const signatureFile = (digest: Digest) =>
  join(UPSTREAM, 'signatures', digest.replace(':', '='), 'signature-1');

async function newKey(options: { date?: Date; keyExpirationTime?: number } = {}) {
  return await generateKey({
    userIDs: [{ name: 'test', email: 'test@example.test' }],
    format: 'object',
    date: new Date('2027-01-01T00:00:00Z'),
    ...options,
  });
}

const statement = (fields: object = {}, digest: Digest = R4181) => ({
  critical: {
    type: 'atomic container signature',
    image: { 'docker-manifest-digest': digest },
    identity: { 'docker-reference': 'quay.io/a/b:1' },
    ...fields,
  },
  optional: { creator: 'test' },
});

async function signed(body: unknown, key: PrivateKey, date = new Date('2027-02-01T00:00:00Z')) {
  const message = await createMessage({ binary: Buffer.from(JSON.stringify(body)) });
  return await sign({ message, signingKeys: key, format: 'binary', date });
}

describe('verifyRelease', () => {
  test('accepts the signatures of the fixture, made by gpg', async () => {
    const keys = await loadReleaseKeys([FIXTURE_KEY]);

    const found = await verifyRelease(ctx, R4181, { web, keys, stores: [STORE] });

    expect(found).toMatchObject({
      digest: R4181,
      identity: 'quay.io/openshift-release-dev/ocp-release:4.18.1-x86_64',
      keyId: '5D5DC2CD2F8C2896',
    });
    expect(Buffer.from(found.bytes)).toEqual(await readFile(signatureFile(R4181)));
  });

  test('does not trust an unknown key: Red Hat did not sign the fixture', async () => {
    const keys = await loadReleaseKeys();

    await expect(verifyRelease(ctx, R4181, { web, keys, stores: [STORE] })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringContaining('key 5D5DC2CD2F8C2896 is not trusted'),
    });
  });

  test('says that there is no signature', async () => {
    const keys = await loadReleaseKeys([FIXTURE_KEY]);
    const unsigned = digestOf('something else');

    await expect(
      verifyRelease(ctx, unsigned, { web, keys, stores: [STORE] }),
    ).rejects.toMatchObject({
      code: 'SIGNATURE_MISSING',
      message: expect.stringContaining(`Cannot find a signature of ${unsigned}`),
      hint: expect.stringContaining('--signature-store'),
    });
  });

  test('takes a later signature when the first is not good, and a later store', async () => {
    const folder = await tempDir();
    const keys = await loadReleaseKeys([FIXTURE_KEY]);
    const place = join(folder, R4181.replace(':', '='));
    await mkdir(place);
    await writeFile(join(place, 'signature-1'), 'nonsense');
    const onlyBad = { web, keys, stores: [`file://${folder}`] };

    await expect(verifyRelease(ctx, R4181, onlyBad)).rejects.toThrow('not an OpenPGP message');
    const other = await verifyRelease(ctx, R4181, {
      ...onlyBad,
      stores: [...onlyBad.stores, STORE],
    });
    await copyFile(signatureFile(R4181), join(place, 'signature-2'));
    const later = await verifyRelease(ctx, R4181, onlyBad);

    expect(other.url).toContain(`${STORE}/`);
    expect(later.url).toContain('signature-2');
  });
});

describe('verifySignature', () => {
  test('refuses the signature of another release', async () => {
    const keys = await loadReleaseKeys([FIXTURE_KEY]);
    const bytes = await readFile(signatureFile(R4182));

    await expect(verifySignature(bytes, R4181, keys, NOW)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: `Cannot trust the signature of ${R4181}: it is for ${R4182}`,
    });
  });

  test('refuses a signature in which any byte was changed', async () => {
    const keys = await loadReleaseKeys([FIXTURE_KEY]);
    const bytes = await readFile(signatureFile(R4181));

    for (const at of [30, 150, bytes.length - 20]) {
      const tampered = Buffer.from(bytes);
      tampered[at] = (tampered[at] ?? 0) ^ 1;
      await expect(verifySignature(tampered, R4181, keys, NOW)).rejects.toMatchObject({
        code: 'SIGNATURE_INVALID',
      });
    }
  });

  test('refuses a signature from the future and one of an expired key', async () => {
    const { privateKey, publicKey } = await newKey({ keyExpirationTime: 24 * 3600 });
    const whileValid = new Date('2027-01-01T06:00:00Z');
    const bytes = await signed(statement(), privateKey, whileValid);

    await expect(verifySignature(bytes, R4181, [publicKey], NOW)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringMatching(/expired/),
    });
    const early = new Date('2027-01-01T01:00:00Z');
    await expect(verifySignature(bytes, R4181, [publicKey], early)).rejects.toThrow(/future/);
    await expect(
      verifySignature(bytes, R4181, [publicKey], new Date('2027-01-01T07:00:00Z')),
    ).resolves.toMatchObject({ identity: 'quay.io/a/b:1' });
  });

  test('refuses a signature of an expired subkey, though its key is still valid', async () => {
    const { privateKey } = await newKey();
    const date = new Date('2027-01-01T00:00:00Z');
    const whole = await privateKey.addSubkey({ sign: true, keyExpirationTime: 24 * 3600, date });
    const subkey = whole.getSubkeys().at(-1)?.getKeyID();
    const message = await createMessage({ binary: Buffer.from(JSON.stringify(statement())) });
    const bytes = await sign({
      message,
      signingKeys: whole,
      signingKeyIDs: subkey ? [subkey] : [],
      format: 'binary',
      date: new Date('2027-01-01T06:00:00Z'),
    });
    const check = (now: Date) => verifySignature(bytes, R4181, [whole.toPublic()], now);

    await expect(check(new Date('2027-01-01T07:00:00Z'))).resolves.toMatchObject({
      keyId: subkey?.toHex().toUpperCase(),
    });
    await expect(check(NOW)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      message: expect.stringMatching(/expired/),
    });
  });

  test('refuses a small message that unfolds to a huge one', async () => {
    const { publicKey } = await newKey();
    const huge = await createMessage({ binary: Buffer.alloc(2 * 1024 * 1024) });
    // A packet of compressed data, to the end of the message, with zlib.
    const header = Buffer.from([0xa3, enums.compression.zlib]);
    const bomb = Buffer.concat([header, deflateSync(huge.write() as Uint8Array)]);

    await expect(verifySignature(bomb, R4181, [publicKey], NOW)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
      cause: { message: expect.stringContaining('Maximum decompressed message size') },
    });
  });

  test.each([
    ['another type', statement({ type: 'cosign container image signature' }), 'its type is'],
    ['no identity', statement({ identity: { 'docker-reference': '' } }), 'it names no image'],
    ['an unknown field', statement({ extra: 1 }), 'what it signs is not valid'],
    ['no JSON object', 'text', 'what it signs is not valid'],
  ])('refuses a good signature over %s', async (_, body, why) => {
    const { privateKey, publicKey } = await newKey();

    await expect(
      verifySignature(await signed(body, privateKey), R4181, [publicKey], NOW),
    ).rejects.toMatchObject({ code: 'SIGNATURE_INVALID', message: expect.stringContaining(why) });
  });

  test('refuses a message that nobody signed', async () => {
    const { publicKey } = await newKey();
    const message = await createMessage({ binary: Buffer.from(JSON.stringify(statement())) });

    await expect(
      verifySignature(message.write() as Uint8Array, R4181, [publicKey], NOW),
    ).rejects.toThrow('the message is not signed');
  });
});

describeWithPeers(['gpg'], 'verifySignature and gpg', () => {
  test('accepts what gpg signed, until that signature expires', async () => {
    const home = await tempDir();
    const gpg = (args: readonly string[], input = '') =>
      execFileSync(peerPath('gpg') ?? 'gpg', ['--homedir', home, '--batch', ...args], {
        input,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
    const at = ['--faked-system-time', '20270101T000000!'];
    gpg([...at, '--passphrase', '', '--quick-gen-key', 'g@example.test', 'ed25519', 'sign', '0']);
    const [key] = await readKeys({ armoredKeys: String(gpg(['--armor', '--export'])) });
    const body = JSON.stringify(statement());
    const bytes = gpg([...at, '--default-sig-expire', '1d', '--sign'], body);
    const check = (date: string) => verifySignature(bytes, R4181, key ? [key] : [], new Date(date));

    await expect(check('2027-01-01T12:00:00Z')).resolves.toMatchObject({ digest: R4181 });
    await expect(check('2027-01-03T00:00:00Z')).rejects.toThrow(/signature is expired/);
  });
});

describe('loadReleaseKeys', () => {
  test("has Red Hat's release and beta keys built in, and both can be used today", async () => {
    const keys = await loadReleaseKeys();

    const ids = keys.map((key) => key.getFingerprint().toUpperCase());
    expect(ids).toEqual([
      '567E347AD0044ADE55BA8A5F199E2F91FD431D51',
      'B08B659EE86AF623BC90E8DB938A80CAF21541EB',
    ]);
    for (const key of keys) await key.getSigningKey(undefined, NOW);
  });

  test('names a file that holds no key', async () => {
    const file = join(await tempDir(), 'key.asc');
    await writeFile(file, 'no key');

    await expect(loadReleaseKeys([file])).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      message: expect.stringContaining(file),
    });
  });
});

test('signatureConfigMaps gives each digest one, with numbered signatures', () => {
  const release = { version: '4.18.1', tag: '4.18.1-x86_64' };
  const one = { digest: R4181, bytes: Buffer.from('a'), release };

  const maps = signatureConfigMaps([
    one,
    { ...one, bytes: Buffer.from('b') },
    one,
    { ...one, digest: R4182 },
  ]);

  expect(
    maps.map(({ name, binaryData }) => [name.slice(0, 12), Object.values(binaryData)]),
  ).toEqual([
    ['sha256-89739', ['YQ==']],
    ['sha256-d32a3', ['YQ==', 'Yg==']],
  ]);
  expect(Object.keys(maps[1]?.binaryData ?? {})[1]).toBe(`sha256-${R4181.slice(7)}-2`);
});
