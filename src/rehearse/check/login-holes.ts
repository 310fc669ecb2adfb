import { AtollError, messageOf } from '../../core/errors.ts';
import { credentialFor, decodeAuth } from '../../generate/pull-secret.ts';
import type { Reference } from '../../oci/reference.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { loginCommand } from './commands.ts';
import type { Hole } from './hole.ts';

/** One registry with one login: what is refused there is refused for all that it is shown for. */
export function doorOf({ pullSecret }: NodeConfig, { registry, repository }: Reference): string {
  const entry = credentialFor(pullSecret, `${registry}/${repository}`);
  const name = Object.keys(pullSecret.auths).find((one) => pullSecret.auths[one] === entry);
  return `${registry} ${name ?? 'without a login'}`;
}

/** A registry that does not let a node in: without a login, with a wrong one, or to this place. */
export function deniedHole(config: NodeConfig, target: Reference, error: unknown): Hole {
  const { registry, repository } = target;
  const entry = credentialFor(config.pullSecret, `${registry}/${repository}`);
  if (!entry) return absent(config, registry, error);
  const username = decodeAuth(entry)?.username;
  const status = error instanceof AtollError ? error.details.status : undefined;
  return status === 403
    ? forbidden(config, target, username, error)
    : wrong(config, registry, username, error);
}

function absent(config: NodeConfig, registry: string, error: unknown): Hole {
  return {
    cause: 'credential-absent',
    severity: 'hole',
    key: registry,
    title: `Nodes have no login for ${registry}`,
    rule: `${config.origins.pullSecret} must have an entry "${registry}"`,
    commands: [loginCommand(config, registry)],
    evidence: messageOf(error),
  };
}

function wrong(
  config: NodeConfig,
  registry: string,
  username: string | undefined,
  error: unknown,
): Hole {
  const user = username === undefined ? 'the login' : `user "${username}" with this password`;
  return {
    cause: 'credential-wrong',
    severity: 'hole',
    key: registry,
    title: `${registry} refuses the login that nodes have`,
    rule: `The entry "${registry}" of ${config.origins.pullSecret} must be ${user} as ${registry} knows it`,
    commands: [loginCommand(config, registry, username)],
    evidence: messageOf(error),
  };
}

function forbidden(
  config: NodeConfig,
  { registry, repository }: Reference,
  username: string | undefined,
  error: unknown,
): Hole {
  return {
    cause: 'access-denied',
    severity: 'hole',
    key: `${registry} ${repository}`,
    title: `The login that nodes have may not pull ${registry}/${repository}`,
    rule: `The user of the entry "${registry}" in ${config.origins.pullSecret} must have the right to pull`,
    commands: [
      'atoll registry user add nodes --grant pull --dir REGISTRY_FOLDER',
      loginCommand(config, registry, username),
    ],
    evidence: messageOf(error),
  };
}
