import type { PublicKey } from 'openpgp';
import { readAsset } from '../../../core/assets.ts';
import { AtollError, messageOf } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { loadOpenpgp } from '../../../core/openpgp.ts';

export type ReleaseKeys = readonly PublicKey[];

/** Red Hat's release keys, which ship with atoll; or the armored ones in these files instead. */
export async function loadReleaseKeys(files: readonly string[] = []): Promise<ReleaseKeys> {
  return (await givenReleaseKeys(files)) ?? (await builtIn());
}

/**
 * The armored keys in these files, read before anything is done with them. Undefined without files: the
 * built-in ones need no look before a signature is there, and many runs check none.
 */
export async function givenReleaseKeys(files: readonly string[]): Promise<ReleaseKeys | undefined> {
  if (files.length === 0) return undefined;
  const keys = await Promise.all(
    files.map(async (file) => readArmored(await readText(file), `"${file}"`)),
  );
  return keys.flat();
}

let ours: Promise<ReleaseKeys> | undefined;
const builtIn = () => (ours ??= readArmored(readAsset('redhat-release-keys.asc'), 'the built-in'));

/** A file may hold several armored blocks, one after the other. */
async function readArmored(text: string, name: string): Promise<ReleaseKeys> {
  const { readKeys } = await loadOpenpgp();
  const blocks = text.match(/-----BEGIN PGP PUBLIC KEY BLOCK-----[\s\S]*?-----END[^-]*-----/g);
  try {
    const read = await Promise.all((blocks ?? []).map((armoredKeys) => readKeys({ armoredKeys })));
    const keys = read.flat();
    if (keys.length > 0) return keys;
  } catch (cause) {
    throw invalid(name, messageOf(cause), cause);
  }
  throw invalid(name, 'it holds no armored public key');
}

function invalid(name: string, found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the release key ${name}: ${found}`, {
    hint: 'Export it with: gpg --armor --export KEY',
    cause,
  });
}
