import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCodeOf } from '../../core/errors.ts';
import { readText, readTextIfPresent, unreadable } from '../../core/files.ts';
import {
  mergeFiles,
  type RegistriesConf,
  type RegistriesFile,
} from '../../oci/registries/model.ts';
import { parseRegistriesFile } from '../../oci/registries/parse.ts';

type Env = Readonly<Record<string, string | undefined>>;

export interface RegistriesConfOptions {
  /** This file and nothing else: no drop-in directories either. */
  readonly registriesConf?: string | undefined;
  readonly env?: Env | undefined;
}

const SYSTEM_FILE = '/etc/containers/registries.conf';
const SYSTEM_DROP_INS = '/etc/containers/registries.conf.d';

/** Reads `registries.conf` and its drop-in directories as the container tools do. */
export async function loadRegistriesConf(
  options: RegistriesConfOptions = {},
): Promise<RegistriesConf> {
  if (options.registriesConf !== undefined) {
    return mergeFiles([await readOne(options.registriesConf)]);
  }
  const env = options.env ?? process.env;
  const user = env.HOME ? join(env.HOME, '.config', 'containers') : undefined;
  // All at once, because every run begins with this.
  const systemDropIns = inAdvance(readDropIns(SYSTEM_DROP_INS));
  const userDropIns = inAdvance(user ? readDropIns(join(user, 'registries.conf.d')) : []);
  const main = await readMain(env.CONTAINERS_REGISTRIES_CONF || undefined, user);
  // A user's own file replaces the system's, drop-ins included.
  const isOwn = user !== undefined && main?.path === join(user, 'registries.conf');
  const dropIns = [...(isOwn ? [] : await systemDropIns), ...(await userDropIns)];
  return mergeFiles([...(main ? [main] : []), ...dropIns]);
}

/** Reads ahead: a failure counts only if the result is used. */
function inAdvance<T>(work: Promise<T> | T): Promise<T> {
  const begun = Promise.resolve(work);
  begun.catch(() => undefined);
  return begun;
}

async function readMain(
  named: string | undefined,
  user: string | undefined,
): Promise<RegistriesFile | undefined> {
  if (named) return await readOne(named);
  const system = inAdvance(readIfPresent(SYSTEM_FILE));
  const own = user && (await readIfPresent(join(user, 'registries.conf')));
  return own || (await system);
}

/** A file that went away since it was listed, or a link to nowhere, is passed over. */
async function readDropIns(directory: string): Promise<RegistriesFile[]> {
  const files = await Promise.all((await filesIn(directory, '.conf')).map(readIfPresent));
  return files.filter((file) => file !== undefined);
}

async function readOne(path: string): Promise<RegistriesFile> {
  return parseRegistriesFile(path, await readText(path));
}

async function readIfPresent(path: string): Promise<RegistriesFile | undefined> {
  const text = await readTextIfPresent(path);
  return text === undefined ? undefined : parseRegistriesFile(path, text);
}

/** Files with this ending, in the order of their names; none where there is no such folder. */
export async function filesIn(directory: string, ending: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(ending));
    return names.map((entry) => join(directory, entry.name)).toSorted();
  } catch (cause) {
    if (systemCodeOf(cause) === 'ENOENT') return [];
    throw unreadable(directory, cause);
  }
}
