import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AtollError, systemCodeOf } from '../core/errors.ts';
import { readText, readTextIfPresent } from '../core/files.ts';

export interface CertsDirOptions {
  /** Folder of `<host>[:port]/` folders to use instead of the system's. */
  readonly certsDir?: string | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
}

/** PEM texts: CAs to trust for one host besides the system's, and client pairs to show it. */
export interface HostCertificates {
  readonly ca: readonly string[];
  readonly clients: readonly { readonly cert: string; readonly key: string }[];
}

const SYSTEM_DIRECTORIES = ['/etc/containers/certs.d', '/etc/docker/certs.d'];

/** What `certs.d` holds for `host[:port]`: the first folder that exists counts, and only that one. */
export async function loadCertsDir(
  host: string,
  options: CertsDirOptions = {},
): Promise<HostCertificates> {
  const paths = directoriesOf(options).map((directory) => join(directory, host));
  const lists = await Promise.all(
    paths.map(async (path) => ({ path, names: await listIfPresent(path) })),
  );
  for (const { path, names } of lists) if (names) return await readCertificates(path, names);
  return { ca: [], clients: [] };
}

function directoriesOf({ certsDir, env = process.env }: CertsDirOptions): string[] {
  if (certsDir !== undefined) return [certsDir];
  const user = env.HOME ? [join(env.HOME, '.config', 'containers', 'certs.d')] : [];
  return [...user, ...SYSTEM_DIRECTORIES];
}

async function listIfPresent(path: string): Promise<string[] | undefined> {
  try {
    return (await readdir(path)).toSorted();
  } catch (cause) {
    // The container tools pass over folders they may not look into.
    const code = systemCodeOf(cause);
    if (code === 'ENOENT' || code === 'EACCES' || code === 'EPERM') return undefined;
    throw new AtollError('FILE_UNREADABLE', `Cannot read the certificates in "${path}"`, {
      cause,
      details: { path },
    });
  }
}

async function readCertificates(path: string, names: string[]): Promise<HostCertificates> {
  const withSuffix = (suffix: string) => names.filter((name) => name.endsWith(suffix));
  const stems = withSuffix('.cert').map((name) => name.slice(0, -'.cert'.length));
  for (const key of withSuffix('.key')) {
    if (!stems.includes(key.slice(0, -'.key'.length))) throw unpaired(path, key, '.cert');
  }
  const clients = stems.map(async (stem) => {
    if (!names.includes(`${stem}.key`)) throw unpaired(path, `${stem}.cert`, '.key');
    const [cert, key] = await Promise.all([
      readText(join(path, `${stem}.cert`)),
      readText(join(path, `${stem}.key`)),
    ]);
    return { cert, key };
  });
  // Distributions ship links to CAs of packages that may not be installed.
  const ca = withSuffix('.crt').map((name) => readTextIfPresent(join(path, name)));
  return {
    ca: (await Promise.all(ca)).filter((text) => text !== undefined),
    clients: await Promise.all(clients),
  };
}

function unpaired(path: string, name: string, suffix: string): AtollError {
  const wanted = name.replace(/\.[a-z]+$/, suffix);
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use "${join(path, name)}": no "${wanted}" beside it`,
    {
      hint: 'A client certificate is a pair NAME.cert and NAME.key; a CA is one file NAME.crt',
      details: { path: join(path, name) },
    },
  );
}
