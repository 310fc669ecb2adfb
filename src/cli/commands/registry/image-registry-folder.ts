import { join } from 'node:path';
import { AtollError } from '../../../core/errors.ts';
import { exists } from '../../../core/files.ts';
import type { UserPaths } from '../../../registry/auth/users.ts';
import { CONFIG_NAME, type RegistryFile, readConfigFile } from '../../../registry/config-file.ts';
import { openDiskStore } from '../../../store/disk/disk-store.ts';
import type { Store } from '../../../store/store.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';

/** Where a registry's files are. Spread it into the options of a command. */
export const FOLDER_OPTIONS = {
  dir: {
    type: 'string',
    value: 'DIR',
    default: 'registry',
    summary: 'Folder that "registry init" made',
  },
  config: {
    type: 'string',
    value: 'FILE',
    summary: 'Configuration file, instead of config.yaml in that folder',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

export type FolderValues = OptionValues<typeof FOLDER_OPTIONS>;

export async function readFolder({ dir, config }: FolderValues): Promise<RegistryFile> {
  const path = config ?? join(dir, CONFIG_NAME);
  if (await exists(path)) return await readConfigFile(path);
  throw new AtollError('FILE_UNREADABLE', `Cannot read "${path}": there is no registry yet`, {
    hint: 'Make one with "atoll registry init", or name its folder with --dir or its file with --config',
    details: { path },
  });
}

export async function openStore({ storage }: RegistryFile): Promise<Store> {
  if (storage.path !== undefined) return await openDiskStore(storage.path);
  if (!storage.s3) throw new Error('The configuration has no storage');
  // The client of AWS is large; only those who use a bucket wait for it.
  const { openS3Store } = await import('../../../store/s3/s3-store.ts');
  return openS3Store(storage.s3);
}

export async function userPaths(values: FolderValues): Promise<UserPaths> {
  const { auth } = await readFolder(values);
  if (auth) return { htpasswd: auth.htpasswd, grants: auth.grants };
  throw new AtollError('INPUT_INVALID', 'Cannot change users: the registry has none', {
    hint: 'Add "auth" with "htpasswd" and "grants" to its configuration',
  });
}
