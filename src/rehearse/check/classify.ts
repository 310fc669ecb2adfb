import { AtollError, messageOf } from '../../core/errors.ts';
import type { Reference } from '../../oci/reference.ts';
import type { NodeConfig } from '../node/node-config.ts';
import { type Hole, makeHole } from './hole.ts';
import { deniedHole } from './login-holes.ts';
import { expired, notTls, unreachable, unresolved, untrusted, wrongName } from './tls-holes.ts';

/** Why a registry of the mirror could not be asked, as a hole. */
export function refusedHole(config: NodeConfig, target: Reference, error: unknown): Hole {
  const { registry } = target;
  const code = error instanceof AtollError ? error.code : undefined;
  const words = messageOf(error);
  switch (code) {
    case 'NAME_UNRESOLVED':
      return unresolved(config, registry);
    case 'TLS_UNTRUSTED':
      return untrusted(config, registry);
    case 'TLS_NAME_MISMATCH':
      return wrongName(config, registry);
    case 'TLS_EXPIRED':
      return expired(registry, words);
    case 'TLS_NOT_SPOKEN':
      return notTls(registry, words);
    case 'REGISTRY_DENIED':
    case 'TOKEN_EXPIRED':
      return deniedHole(config, target, error);
    case 'REGISTRY_UNAVAILABLE':
    case 'TIMED_OUT':
    case 'PROXY_FAILED':
    case 'PROXY_DENIED':
      return unreachable(registry, words);
    default:
      return makeHole('mirror-refused', { host: registry }, { key: registry, evidence: words });
  }
}
