import { AtollError } from '../../core/errors.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';
import { objectName } from '../dns-name.ts';

export interface CatalogInput {
  /** The catalog in the mirror, with tag or digest. */
  readonly image: string;
  /** Name of the object; by default made from the image, as oc-mirror does. */
  readonly name?: string | undefined;
  readonly displayName?: string | undefined;
  readonly publisher?: string | undefined;
  /** How often to look for a newer image behind the same tag, such as `30m`. */
  readonly pollInterval?: string | undefined;
  /** Higher wins where two catalogs hold one package. */
  readonly priority?: number | undefined;
}

export interface CatalogSource {
  readonly apiVersion: 'operators.coreos.com/v1alpha1';
  readonly kind: 'CatalogSource';
  readonly metadata: { readonly name: string; readonly namespace: 'openshift-marketplace' };
  readonly spec: Readonly<Record<string, unknown>>;
}

export interface ClusterCatalog {
  readonly apiVersion: 'olm.operatorframework.io/v1';
  readonly kind: 'ClusterCatalog';
  readonly metadata: { readonly name: string };
  readonly spec: Readonly<Record<string, unknown>>;
}

/** An operator catalog for OLM. */
export function catalogSource(input: CatalogInput): CatalogSource {
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'CatalogSource',
    metadata: {
      name: nameOf('cs', input),
      namespace: 'openshift-marketplace',
    },
    spec: {
      sourceType: 'grpc',
      image: input.image,
      ...(input.displayName ? { displayName: input.displayName } : {}),
      ...(input.publisher ? { publisher: input.publisher } : {}),
      ...(input.priority === undefined ? {} : { priority: input.priority }),
      ...(input.pollInterval
        ? { updateStrategy: { registryPoll: { interval: input.pollInterval } } }
        : {}),
    },
  };
}

/** An operator catalog for OLM v1 (4.18 and later). */
export function clusterCatalog(input: CatalogInput): ClusterCatalog {
  const minutes = input.pollInterval === undefined ? undefined : minutesOf(input.pollInterval);
  if (minutes !== undefined && parseReference(input.image).digest) {
    throw new AtollError('INPUT_INVALID', `Cannot look for news behind "${input.image}"`, {
      hint: 'A digest never changes: name the catalog by its tag, or give no poll interval',
    });
  }
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name: nameOf('cc', input) },
    spec: {
      ...(input.priority === undefined ? {} : { priority: input.priority }),
      source: {
        type: 'Image',
        image: {
          ref: input.image,
          ...(minutes === undefined ? {} : { pollIntervalMinutes: minutes }),
        },
      },
    },
  };
}

/** A merge patch for a catalog the cluster already has. */
export function clusterCatalogOff(name: string): ClusterCatalog {
  return {
    apiVersion: 'olm.operatorframework.io/v1',
    kind: 'ClusterCatalog',
    metadata: { name },
    spec: { availabilityMode: 'Unavailable' },
  };
}

export interface OperatorHub {
  readonly apiVersion: 'config.openshift.io/v1';
  readonly kind: 'OperatorHub';
  readonly metadata: { readonly name: 'cluster' };
  readonly spec: { readonly disableAllDefaultSources: boolean };
}

/** OperatorHub with the sources on the internet switched off. */
export function operatorHub(options: { readonly defaultsOff: boolean }): OperatorHub {
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'OperatorHub',
    metadata: { name: 'cluster' },
    spec: { disableAllDefaultSources: options.defaultsOff },
  };
}

const nameOf = (prefix: 'cs' | 'cc', { name, image }: CatalogInput): string =>
  objectName('a catalog', name ?? catalogName(prefix, image));

/** `cs-redhat-operator-index-v4-18` from its image: the name oc-mirror would give it. */
export function catalogName(prefix: 'cs' | 'cc', image: string): string {
  const reference = parseReference(image);
  const repository = reference.repository.split('/').at(-1) ?? '';
  const name = `${prefix}-${repository}-${suffixOf(reference)}`
    .replaceAll(/[^a-z0-9-]/g, '-')
    .replace(/-+$/, '');
  if (name.length <= 63) return name;
  throw new AtollError('INPUT_INVALID', `Cannot name a catalog after "${image}"`, {
    hint: 'Give it a name of at most 63 characters',
  });
}

function suffixOf({ tag, digest }: Reference): string {
  const text = tag ?? digest?.slice(digest.indexOf(':') + 1) ?? '0';
  return text.slice(0, 12).toLowerCase();
}

function minutesOf(interval: string): number {
  const [, count = '', unit = ''] = /^(\d+)([mh])$/.exec(interval) ?? [];
  const minutes = Number(count) * (unit === 'h' ? 60 : 1);
  if (minutes > 0) return minutes;
  throw new AtollError('INPUT_INVALID', `Cannot use poll interval "${interval}"`, {
    hint: 'Write whole minutes or hours, such as "30m" or "2h"',
  });
}
