import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { registerSecret } from '../../core/redact.ts';
import { bastionIgnition } from '../../generate/ignition/bastion.ts';
import { formatIgnition, textFile } from '../../generate/ignition/config.ts';
import { localHost } from '../../host/local-host.ts';
import type { PlatformSite } from '../platform.ts';

/** What a new bastion boots with, and how its answers are known to be its own. */
export interface BootConfig {
  readonly ignition: string;
  /** The public key of the host, which only this config gives it. */
  readonly hostKey: string;
}

const HOST_KEY = '/etc/ssh/ssh_host_ed25519_key';

/**
 * Where nobody shows the console of a machine, its host key is brought along: it is known before the
 * first connection, and nobody in between can show another.
 */
export async function bootConfig(
  ctx: Context,
  { name, shape }: Pick<PlatformSite, 'name' | 'shape'>,
): Promise<BootConfig> {
  const { user, authorizedKeys } = shape.bastion;
  const users = [{ name: user, sshAuthorizedKeys: await authorizedKeys() }];
  const key = await newHostKey(ctx, `${name}-bastion`);
  const files = [
    textFile(HOST_KEY, key.secret, { mode: 0o600 }),
    textFile(`${HOST_KEY}.pub`, `${key.shown}\n`),
  ];
  const config = bastionIgnition({ hostname: `${name}-bastion`, users, extra: { files } });
  return { ignition: formatIgnition(config), hostKey: key.shown };
}

/** By the system's OpenSSH, in its own format: every sshd reads it. */
async function newHostKey(
  ctx: Context,
  comment: string,
): Promise<{ secret: string; shown: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-key-'));
  try {
    const path = join(folder, 'key');
    const args = ['-q', '-t', 'ed25519', '-N', '', '-C', comment, '-f', path];
    const { status, stderr } = await localHost().run(ctx, 'ssh-keygen', args);
    if (status !== 0)
      throw new AtollError('PROGRAM_FAILED', `Cannot make a host key: ${stderr.trim()}`);
    const [type = '', key = ''] = (await readText(`${path}.pub`)).split(' ');
    const secret = await readText(path);
    registerSecret(secret);
    return { secret, shown: `${type} ${key}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
