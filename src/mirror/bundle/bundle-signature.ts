import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { PrivateKey, PublicKey } from 'openpgp';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf, systemCodeOf } from '../../core/errors.ts';
import { readText, readTextIfPresent, unreadable } from '../../core/files.ts';
import { checkSigner, loadOpenpgp } from '../../core/openpgp.ts';
import { registerSecret } from '../../core/redact.ts';
import { SIGNATURE_FILE } from './bundle-index.ts';

/** Signs the index, which has the sha256 of everything else. */
export type Signer = (text: string, date: Date) => Promise<string>;

/** A signer with the armored private key in this file. */
export async function loadSigner(file: string, passphrase: string | undefined): Promise<Signer> {
  if (passphrase !== undefined) registerSecret(passphrase);
  const signingKeys = await unlocked(file, await readText(file), passphrase);
  const { createMessage, sign } = await loadOpenpgp();
  return async (text, date) => {
    const message = await createMessage({ binary: Buffer.from(text) });
    return await sign({ message, signingKeys, detached: true, date });
  };
}

async function unlocked(
  file: string,
  armoredKey: string,
  passphrase: string | undefined,
): Promise<PrivateKey> {
  const { decryptKey, readPrivateKey } = await loadOpenpgp();
  try {
    const privateKey = await readPrivateKey({ armoredKey });
    if (privateKey.isDecrypted()) return privateKey;
    if (passphrase === undefined) throw new Error('it has a passphrase, and none was given');
    return await decryptKey({ privateKey, passphrase });
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot sign with "${file}": ${messageOf(cause)}`, {
      hint: 'Export it with "gpg --armor --export-secret-keys KEY"; give its passphrase with --sign-passphrase-file FILE',
      cause,
    });
  }
}

/** Public keys whose signatures count, armored, one or more in each file. */
export async function loadBundleKeys(files: readonly string[]): Promise<readonly PublicKey[]> {
  const { readKeys } = await loadOpenpgp();
  const read = files.map(async (file) => {
    const text = await readText(file);
    try {
      return await readKeys({ armoredKeys: text });
    } catch (cause) {
      throw new AtollError('INPUT_INVALID', `Cannot use the key "${file}": ${messageOf(cause)}`, {
        hint: 'Export it with "gpg --armor --export KEY"',
        cause,
      });
    }
  });
  return (await Promise.all(read)).flat();
}

/** Where a machine names the keys without whose signature no bundle is loaded on it. */
const KEY_RULE_FOLDER = '/etc/atoll/bundle-keys';

/** The keys of such a folder; undefined where the machine has none, and so no rule. One that was named has to be there. */
async function loadKeyRule(named: string | undefined): Promise<readonly PublicKey[] | undefined> {
  const folder = named ?? KEY_RULE_FOLDER;
  const names = await readdir(folder).catch((error: unknown) => {
    if (named === undefined && systemCodeOf(error) === 'ENOENT') return undefined;
    throw unreadable(folder, error);
  });
  if (!names) return undefined;
  const files = names.filter((name) => name.endsWith('.asc')).toSorted();
  return await loadBundleKeys(files.map((name) => join(folder, name)));
}

/** The keys a bundle has to be signed with: those that were given, and no others than the rule of the machine or of a folder allows. */
export async function keysUnderRule(
  given: readonly PublicKey[],
  named?: string,
): Promise<readonly PublicKey[]> {
  const rule = await loadKeyRule(named);
  if (!rule) return given;
  const allowed = new Set(rule.map((key) => key.getFingerprint()));
  const keys = given.length > 0 ? given.filter((key) => allowed.has(key.getFingerprint())) : rule;
  if (keys.length > 0) return keys;
  const found = given.length > 0 ? 'none of the given keys is there' : 'there is none';
  throw new AtollError(
    'SIGNATURE_INVALID',
    `Cannot trust any bundle: this machine takes only those signed by a key of "${named ?? KEY_RULE_FOLDER}", and ${found}`,
    { hint: 'Put the public key of whoever saves bundles there, as NAME.asc' },
  );
}

/** Throws unless one of the keys signed exactly this index and may be trusted now. */
export async function verifyIndex(
  ctx: Context,
  folder: string,
  text: string,
  keys: readonly PublicKey[],
): Promise<void> {
  const armoredSignature = await readTextIfPresent(join(folder, SIGNATURE_FILE));
  if (armoredSignature === undefined) throw refused(folder, `there is no ${SIGNATURE_FILE}`);
  const date = ctx.now();
  const signatures = await checked(folder, text, armoredSignature, keys, date);
  let why: unknown = 'it holds no signature';
  for (const { keyID, verified } of signatures) {
    try {
      await verified;
      await checkSigner(keys, keyID, date);
      return;
    } catch (error) {
      why = error;
    }
  }
  throw refused(folder, typeof why === 'string' ? why : messageOf(why), why);
}

async function checked(
  folder: string,
  text: string,
  armoredSignature: string,
  keys: readonly PublicKey[],
  date: Date,
) {
  const { createMessage, readSignature, verify } = await loadOpenpgp();
  try {
    const signature = await readSignature({ armoredSignature });
    const message = await createMessage({ binary: Buffer.from(text) });
    return (await verify({ message, signature, verificationKeys: [...keys], date })).signatures;
  } catch (cause) {
    throw refused(folder, messageOf(cause), cause);
  }
}

function refused(folder: string, found: string, cause?: unknown): AtollError {
  return new AtollError('SIGNATURE_INVALID', `Cannot trust the bundle in "${folder}": ${found}`, {
    hint: 'Nothing was used. Copy bundle.json and bundle.json.asc again, and check the key',
    cause,
  });
}
