import { resolve } from 'node:path';
import type { PublicKey } from 'openpgp';
import { readText } from '../../../core/files.ts';
import {
  keysUnderRule,
  loadBundleKeys,
  loadSigner,
  type Signer,
} from '../../../mirror/bundle/bundle-signature.ts';
import type { OptionSpec, OptionValues, Terminal } from '../../command.ts';
import { text, texts } from '../../flags.ts';

/** The flags of commands that write a bundle. */
export const SIGNING_OPTIONS = {
  signKey: text('FILE', 'Armored GPG private key to sign the bundle with'),
  signPassphraseFile: text('FILE', 'File with the passphrase of the key; "-" reads standard input'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The flag of commands that read a bundle. */
export const VERIFY_KEY = texts(
  'FILE',
  'Public GPG key: the bundle must be signed by it; may be repeated',
) satisfies OptionSpec;

/** The keys of the flag, under the rule of ATOLL_BUNDLE_KEYS. That of the machine is looked at wherever a bundle is read. */
export async function bundleKeysFrom(
  files: readonly string[],
  { ATOLL_BUNDLE_KEYS: folder }: Terminal['env'],
): Promise<readonly PublicKey[]> {
  const given = await loadBundleKeys(files.map((file) => resolve(file)));
  return folder ? await keysUnderRule(given, resolve(folder)) : given;
}

export async function signerFrom(
  options: OptionValues<typeof SIGNING_OPTIONS>,
  terminal: Pick<Terminal, 'readStdin'>,
): Promise<Signer | undefined> {
  const { signKey, signPassphraseFile: file } = options;
  if (signKey === undefined) return undefined;
  const text = file === '-' ? await terminal.readStdin() : file && (await readText(resolve(file)));
  return await loadSigner(resolve(signKey), text?.replace(/\r?\n$/, ''));
}
