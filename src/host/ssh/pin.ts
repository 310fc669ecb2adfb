import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { runProgram } from '../../core/process.ts';
import { explain } from './explain.ts';
import { LOUD, nameOf, PINNED_NAME, type SshTarget, sshArguments } from './ssh-target.ts';

/** Which keys to ask for, one after the other: a fingerprint does not say of which kind it is. */
const ALGORITHMS = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256,ecdsa-sha2-nistp384,ecdsa-sha2-nistp521',
  'rsa-sha2-512,rsa-sha2-256',
];

const STRICT = ['StrictHostKeyChecking=yes'];

/** The options of `ssh` that make it accept the pinned keys and no others. */
export async function pinOptions(
  ctx: Context,
  target: SshTarget,
  folder: string,
): Promise<readonly string[]> {
  const { pin } = target;
  // Without a pin the user's own known hosts count, and a stranger is refused, not asked about.
  if (pin === undefined) return STRICT;
  if ('knownHosts' in pin) return pinnedIn(pin.knownHosts);
  const keys = 'keys' in pin ? pin.keys : await keysBehind(ctx, target, pin.fingerprints, folder);
  const path = join(folder, 'known_hosts');
  await writeFileAtomic(path, keys.map(knownHostLine).join(''), { mode: SECRET_MODE });
  return [...pinnedIn(path), `HostKeyAlias=${PINNED_NAME}`];
}

/** A path is quoted for `ssh`, which splits this option at spaces. */
const pinnedIn = (path: string) => [
  ...STRICT,
  `UserKnownHostsFile="${path}"`,
  'GlobalKnownHostsFile=/dev/null',
  'CheckHostIP=no',
];

function knownHostLine(key: string): string {
  const [type = '', blob = ''] = key.trim().split(/\s+/);
  if (!/^[a-z0-9@.-]+$/.test(type) || !/^[A-Za-z0-9+/]+=*$/.test(blob))
    throw new AtollError('INPUT_INVALID', `Cannot pin "${key}": it is not a public host key`, {
      hint: 'Write it as ssh-keygen does: "ssh-ed25519 AAAA…"',
    });
  return `${PINNED_NAME} ${type} ${blob}\n`;
}

export function fingerprintOf(key: string): string {
  const blob = Buffer.from(key.trim().split(/\s+/)[1] ?? '', 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/**
 * The key behind one of these fingerprints. The host is asked for its keys without a login; a key
 * with another fingerprint is never used for more than this comparison.
 */
async function keysBehind(
  ctx: Context,
  target: SshTarget,
  fingerprints: readonly string[],
  folder: string,
): Promise<readonly string[]> {
  const wanted = fingerprints.map((text) => text.trim().replace(/=+$/, ''));
  const seen: string[] = [];
  for (const [index, algorithms] of ALGORITHMS.entries()) {
    const shown = await shownKeys(ctx, target, algorithms, join(folder, `shown-${index}`));
    const right = shown.filter((key) => wanted.includes(fingerprintOf(key)));
    if (right.length > 0) return right;
    seen.push(...shown.map(fingerprintOf));
  }
  throw new AtollError(
    'HOST_KEY_UNTRUSTED',
    `Cannot trust ${nameOf(target)}: it shows ${seen.join(', ')}, and not ${wanted.join(' or ')}`,
    { hint: 'Either the fingerprint is of another host, or somebody answers in its place' },
  );
}

async function shownKeys(
  ctx: Context,
  target: SshTarget,
  algorithms: string,
  path: string,
): Promise<readonly string[]> {
  const options = [
    'StrictHostKeyChecking=accept-new',
    `UserKnownHostsFile="${path}"`,
    'GlobalKnownHostsFile=/dev/null',
    `HostKeyAlias=${PINNED_NAME}`,
    `HostKeyAlgorithms=${algorithms}`,
    'PreferredAuthentications=none',
    'HashKnownHosts=no',
    'ControlPath=none',
  ];
  const args = [...sshArguments(target, options), ...LOUD, '--', target.address, 'true'];
  const { stderr } = await runProgram(ctx, 'ssh', args, { group: true });
  const text = (await readTextIfPresent(path)) ?? '';
  const keys = text.split('\n').flatMap((line) => line.split(' ').slice(1).join(' ') || []);
  // A host that has no such key says so; one that does not answer at all is another matter.
  if (keys.length === 0 && !/no matching host key type/i.test(stderr))
    throw explain(nameOf(target), stderr);
  return keys;
}
