import { AtollError } from '../../core/errors.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';
import { clusterObject } from '../cluster-object.ts';
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

type Spec = Readonly<Record<string, unknown>>;

/** An operator catalog for OLM. */
export function catalogSource(input: CatalogInput) {
  const metadata = { name: nameOf('cs', input), namespace: 'openshift-marketplace' };
  const spec: Spec = {
    sourceType: 'grpc',
    image: input.image,
    ...(input.displayName ? { displayName: input.displayName } : {}),
    ...(input.publisher ? { publisher: input.publisher } : {}),
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    ...(input.pollInterval
      ? { updateStrategy: { registryPoll: { interval: input.pollInterval } } }
      : {}),
  };
  return clusterObject('operators.coreos.com/v1alpha1', 'CatalogSource', metadata, spec);
}

export type CatalogSource = ReturnType<typeof catalogSource>;

/** An operator catalog for OLM v1 (4.18 and later). */
export function clusterCatalog(input: CatalogInput) {
  const minutes = input.pollInterval === undefined ? undefined : minutesOf(input.pollInterval);
  if (minutes !== undefined && parseReference(input.image).digest) {
    throw new AtollError('INPUT_INVALID', `Cannot look for news behind "${input.image}"`, {
      hint: 'A digest never changes: name the catalog by its tag, or give no poll interval',
    });
  }
  if (input.image.startsWith('[')) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot use "${input.image}" in a ClusterCatalog: it is an IPv6 address`,
      { hint: 'Give the mirror a name, in DNS or with "atoll render hosts"' },
    );
  }
  const poll = minutes === undefined ? {} : { pollIntervalMinutes: minutes };
  return catalogV1(nameOf('cc', input), {
    ...(input.priority === undefined ? {} : { priority: input.priority }),
    source: { type: 'Image', image: { ref: input.image, ...poll } },
  });
}

const catalogV1 = (name: string, spec: Spec) =>
  clusterObject('olm.operatorframework.io/v1', 'ClusterCatalog', { name }, spec);

/** A merge patch for a catalog the cluster already has. */
export const clusterCatalogOff = (name: string) =>
  catalogV1(name, { availabilityMode: 'Unavailable' });

/** OperatorHub with the sources on the internet switched off. */
export function operatorHub({ defaultsOff }: { readonly defaultsOff: boolean }) {
  const spec = { disableAllDefaultSources: defaultsOff };
  return clusterObject('config.openshift.io/v1', 'OperatorHub', { name: 'cluster' }, spec);
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

/** What clusters with a way out call the catalogs of Red Hat: subscriptions written for those hold then, too. */
const DEFAULT_NAMES: Readonly<Record<string, string>> = {
  'redhat-operator-index': 'redhat-operators',
  'certified-operator-index': 'certified-operators',
  'community-operator-index': 'community-operators',
  'redhat-marketplace-index': 'redhat-marketplace',
};

/** The default name of a mirrored catalog; undefined where it is none of Red Hat's. */
export function defaultCatalogName(image: string): string | undefined {
  return DEFAULT_NAMES[parseReference(image).repository.split('/').at(-1) ?? ''];
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
