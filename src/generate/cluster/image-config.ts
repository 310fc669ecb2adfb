import { AtollError } from '../../core/errors.ts';
import { sortedUnique } from '../../core/order.ts';
import { clusterObject } from '../cluster-object.ts';
import { objectName } from '../dns-name.ts';
import { type ConfigMap, configMap } from './config-map.ts';

/** The key the update service looks for in the ConfigMap of `additionalTrustedCA`. */
const UPDATE_SERVICE_KEY = 'updateservice-registry';

/** `host..port`: a ConfigMap key may not hold a colon. */
export function trustedCaKey(registry: string): string {
  if (registry === UPDATE_SERVICE_KEY) return registry;
  const key = registry.replace(/:(?=\d+$)/, '..');
  if (/^[a-zA-Z0-9._-]+$/.test(key)) return key;
  throw new AtollError('INPUT_INVALID', `Cannot trust a CA for "${registry}"`, {
    hint: 'Write "host" or "host:port"',
  });
}

/** CAs for image imports, builds and nodes; each registry with the PEM that signs its certificate. */
export function trustedCaConfigMap(
  name: string,
  certificates: Readonly<Record<string, string>>,
): ConfigMap {
  const data = Object.entries(certificates).map(([registry, pem]) => [
    trustedCaKey(registry),
    `${pem.trimEnd()}\n`,
  ]);
  return configMap('openshift-config', name, Object.fromEntries(data));
}

export interface ImageConfigInput {
  /** Name of the ConfigMap that {@link trustedCaConfigMap} made. */
  readonly additionalTrustedCA?: string | undefined;
  readonly allowedRegistries?: readonly string[] | undefined;
  readonly blockedRegistries?: readonly string[] | undefined;
  readonly insecureRegistries?: readonly string[] | undefined;
}

/** `image.config.openshift.io/cluster`: only the fields that were asked for, so that it can be merged. */
export function imageConfig(input: ImageConfigInput) {
  if (input.allowedRegistries?.length && input.blockedRegistries?.length) {
    throw new AtollError('INPUT_INVALID', 'Cannot both allow and block registries', {
      hint: 'The cluster takes one of the two lists; drop the other',
    });
  }
  const sources = registrySources(input);
  const trusted = input.additionalTrustedCA;
  const spec: Readonly<Record<string, unknown>> = {
    ...(trusted ? { additionalTrustedCA: { name: objectName('a ConfigMap', trusted) } } : {}),
    ...(Object.keys(sources).length > 0 ? { registrySources: sources } : {}),
  };
  return clusterObject('config.openshift.io/v1', 'Image', { name: 'cluster' }, spec);
}

function registrySources(input: ImageConfigInput): Record<string, readonly string[]> {
  const { allowedRegistries, blockedRegistries, insecureRegistries } = input;
  const lists = Object.entries({ allowedRegistries, blockedRegistries, insecureRegistries });
  return Object.fromEntries(
    lists.flatMap(([key, list]) => (list?.length ? [[key, sortedUnique(list)]] : [])),
  );
}
