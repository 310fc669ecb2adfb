import type { Source, Target } from '../../oci/content.ts';
import type { ImageJob } from './job.ts';

/** What shares connections and limits, and what blobs can be mounted within: a registry, or one store. */
export interface CopyGroup {
  readonly kind: 'registry' | 'local';
  /** The host of a registry; for a store a name that no host can have. */
  readonly name: string;
}

export interface DestinationRepository {
  readonly target: Target;
  readonly group: CopyGroup;
  /** Repository within the registry; undefined for a store. */
  readonly repository: string | undefined;
  /** The same for jobs with the same repository. */
  readonly key: string;
}

export interface SourceRepository {
  readonly source: Source;
  readonly group: CopyGroup;
  /** The same for jobs with the same repository, which share tags. */
  readonly key: string;
}

/** A repository of the destination's group that has a blob, or should have it: mounted or read from there. */
export interface MountCandidate {
  readonly repository: string | undefined;
  readonly from: SourceRepository | undefined;
}

export function candidateAt({
  target,
  group,
  key,
  repository,
}: DestinationRepository): MountCandidate {
  const source = target.can.read;
  return { repository, from: source && { source, group, key } };
}

/** A source that is a repository of the destination's own registry has all it gives. */
export function candidateInSameRegistry(
  { group, repository }: DestinationRepository,
  from: SourceRepository,
): MountCandidate | undefined {
  if (repository === undefined || from.group.name !== group.name) return undefined;
  return { repository: from.key.slice(group.name.length + 1), from };
}

/** Tells which jobs share a repository or a registry. */
export class CopyRepositories {
  readonly #stores = new WeakMap<object, CopyGroup>();
  readonly #destinations = new Map<string, DestinationRepository>();
  #storeCount = 0;

  destinationOf({ target }: Pick<ImageJob, 'target'>): DestinationRepository {
    const { location } = target;
    const group = location ? registryGroup(location.registry) : this.#storeGroup(target);
    const key = location ? `${location.registry}/${location.repository}` : group.name;
    const known = this.#destinations.get(key);
    if (known) return known;
    const destination = { target, group, repository: location?.repository, key };
    this.#destinations.set(key, destination);
    return destination;
  }

  sourceOf({
    source,
    sourceRepository,
  }: Pick<ImageJob, 'source' | 'sourceRepository'>): SourceRepository {
    const { location } = source;
    const key = sourceRepository ?? (location && `${location.registry}/${location.repository}`);
    if (key !== undefined) return { source, key, group: registryGroup(key.split('/')[0] ?? key) };
    const group = this.#storeGroup(source);
    return { source, key: group.name, group };
  }

  #storeGroup(store: object): CopyGroup {
    const known = this.#stores.get(store);
    if (known) return known;
    this.#storeCount += 1;
    const group = { kind: 'local', name: `store ${this.#storeCount}` } as const;
    this.#stores.set(store, group);
    return group;
  }
}

function registryGroup(name: string): CopyGroup {
  return { kind: 'registry', name };
}
