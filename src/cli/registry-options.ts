import { accessSync, constants, statSync } from 'node:fs';
import { unreadable } from '../core/files.ts';
import { createRegistries } from '../remote/create-registries.ts';
import type { Registries, RegistryOptions } from '../remote/registries.ts';
import type { OptionSpec, OptionValues, Terminal } from './command.ts';
import { onOff, text, texts } from './flags.ts';

/** The flags of every command that talks to registries. Spread them into its `options`. */
export const REGISTRY_OPTIONS = {
  authfile: text('FILE', 'Credentials for registries, instead of the usual auth files'),
  registriesConf: text(
    'FILE',
    'registries.conf with mirrors and blocks, instead of the system one',
  ),
  registriesD: text(
    'DIR',
    'registries.d folder: where signatures of images lie, instead of the usual one',
  ),
  ca: texts('FILE', 'Trust the CAs in this PEM file as well; may be given more than once'),
  certsDir: text('DIR', 'Folder of HOST[:PORT] folders with certificates, instead of certs.d'),
  insecure: onOff('Allow plain HTTP and certificates that do not verify'),
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** For commands that fill a registry. */
export const VERIFY_TARGET = onOff(
  'Ask for every layer before believing that an image is there; the embedded registry says so by itself',
);

export type RegistryFlags = OptionValues<typeof REGISTRY_OPTIONS> & {
  readonly verifyTarget?: boolean;
};

/** What the flags mean to the client. */
export function registryOptionsFrom(
  flags: RegistryFlags,
  terminal: Pick<Terminal, 'env'>,
): RegistryOptions {
  return {
    authfile: flags.authfile,
    registriesConf: flags.registriesConf,
    registriesD: flags.registriesD,
    ca: flags.ca,
    certsDir: flags.certsDir,
    insecure: flags.insecure,
    verifyTarget: flags.verifyTarget,
    env: terminal.env,
  };
}

/** The registries of one command; close them when it ends. */
export function registriesFrom(flags: RegistryFlags, terminal: Pick<Terminal, 'env'>): Registries {
  const { authfile = [], registriesConf = [], registriesD = [], ca, certsDir = [] } = flags;
  for (const path of [authfile, registriesConf, ca].flat()) requireReadable(path, 'EISDIR');
  for (const path of [certsDir, registriesD].flat()) requireReadable(path, 'ENOTDIR');
  return createRegistries(registryOptionsFrom(flags, terminal));
}

/** Runs work with the registries of one command, and closes them. */
export async function withRegistries<T>(
  flags: RegistryFlags,
  terminal: Terminal,
  work: (registries: Registries) => Promise<T>,
): Promise<T> {
  const registries = registriesFrom(flags, terminal);
  try {
    return await work(registries);
  } finally {
    await registries.close();
  }
}

/**
 * A file that was named counts, also where no registry asks for what is in it. It is not read here:
 * that can be done only once when it is a pipe.
 */
function requireReadable(path: string, wrongKind: 'EISDIR' | 'ENOTDIR'): void {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory() === (wrongKind === 'EISDIR'))
      throw Object.assign(new Error(wrongKind), { code: wrongKind });
  } catch (cause) {
    throw unreadable(path, cause);
  }
}
