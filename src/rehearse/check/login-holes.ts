import { AtollError, messageOf } from '../../core/errors.ts';
import { credentialFor, decodeAuth } from '../../generate/pull-secret.ts';
import type { Reference } from '../../oci/reference.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { loginCommand } from './commands.ts';
import { type Hole, makeHole } from './hole.ts';

/** One registry with one login: what is refused there is refused for all that it is shown for. */
export function doorOf({ pullSecret }: NodeConfig, { registry, repository }: Reference): string {
  const entry = credentialFor(pullSecret, `${registry}/${repository}`);
  const name = Object.keys(pullSecret.auths).find((one) => pullSecret.auths[one] === entry);
  return `${registry} ${name ?? 'without a login'}`;
}

/** A registry that does not let a node in: without a login, with a wrong one, or to this place. */
export function deniedHole(config: NodeConfig, target: Reference, error: unknown): Hole {
  const { registry: host, repository } = target;
  const { pullSecret } = config.origins;
  const entry = credentialFor(config.pullSecret, `${host}/${repository}`);
  const username = entry && decodeAuth(entry)?.username;
  const login = loginCommand(config, host, username);
  const seen = { key: host, evidence: messageOf(error), commands: [login] };
  if (!entry) return makeHole('credential-absent', { host, pullSecret }, seen);
  if (error instanceof AtollError && error.details.status === 403) {
    const place = `${host}/${repository}`;
    const { commands, ...rest } = { ...seen, key: `${host} ${repository}` };
    return makeHole('access-denied', { host, pullSecret, place, login }, rest);
  }
  const user = username === undefined ? 'the login' : `user "${username}" with this password`;
  return makeHole('credential-wrong', { host, pullSecret, user }, seen);
}
