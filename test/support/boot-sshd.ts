import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sshd } from './sshd.ts';

interface Config {
  readonly passwd: {
    readonly users: readonly { readonly sshAuthorizedKeys?: readonly string[] }[];
  };
  readonly storage: {
    readonly files: readonly {
      readonly path: string;
      readonly contents: { readonly source: string };
    }[];
  };
}

/** Makes an sshd what a machine with this Ignition config would be: its host key, and who may log in. */
export async function bootSshd(sshd: Sshd, ignition: string): Promise<void> {
  const { passwd, storage } = JSON.parse(ignition) as Config;
  const key = storage.files.find(({ path }) => path === '/etc/ssh/ssh_host_ed25519_key');
  const path = join(sshd.folder, 'host_ed25519');
  await writeFile(path, Buffer.from(key?.contents.source.split(',')[1] ?? '', 'base64'));
  await chmod(path, 0o600);
  const keys = passwd.users.flatMap(({ sshAuthorizedKeys = [] }) => sshAuthorizedKeys);
  await writeFile(join(sshd.folder, 'authorized_keys'), `${keys.join('\n')}\n`);
  await sshd.stop();
  await sshd.restart();
}
