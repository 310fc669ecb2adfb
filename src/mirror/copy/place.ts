import type { Source, Target } from '../../oci/content.ts';
import { isSource, locationOf } from './capabilities.ts';
import type { ImageJob } from './job.ts';

/** Where content goes. What is in one place of a group can be mounted into another. */
export interface Place {
  readonly target: Target;
  /** One registry, or one store. */
  readonly group: string;
  /** Repository within the registry; undefined where there is only one place in the group. */
  readonly repository: string | undefined;
  readonly key: string;
}

/** Where content comes from. */
export interface Origin {
  readonly source: Source;
  /** One registry, or one store: what shares connections and limits. */
  readonly group: string;
  /** One repository: what shares tags. */
  readonly key: string;
}

/** Who of a group has a blob, or should have it: mounted from there, or read where that is refused. */
export interface Home {
  readonly repository: string | undefined;
  readonly origin: Origin | undefined;
}

export function homeAt({ target, group, key, repository }: Place): Home {
  return { repository, origin: isSource(target) ? { source: target, group, key } : undefined };
}

/** A source that is a repository of the registry things go to has all it gives. */
export function homeWithin({ group, repository }: Place, origin: Origin): Home | undefined {
  if (repository === undefined || origin.group !== group) return undefined;
  return { repository: origin.key.slice(group.length + 1), origin };
}

/** Gives places and origins their names. Two jobs with the same repository get the same one. */
export class Places {
  readonly #ids = new WeakMap<object, string>();
  readonly #places = new Map<string, Place>();
  #next = 0;

  placeOf({ target }: Pick<ImageJob, 'target'>): Place {
    const located = locationOf(target);
    const group = located?.registry ?? this.#idOf(target);
    const key = located ? `${located.registry}/${located.repository}` : group;
    const known = this.#places.get(key);
    if (known) return known;
    const place = { target, group, repository: located?.repository, key };
    this.#places.set(key, place);
    return place;
  }

  originOf({ source, sourceRepository }: Pick<ImageJob, 'source' | 'sourceRepository'>): Origin {
    const located = locationOf(source);
    const name = sourceRepository ?? (located && `${located.registry}/${located.repository}`);
    const key = name ?? this.#idOf(source);
    return { source, key, group: name?.split('/')[0] ?? key };
  }

  #idOf(thing: object): string {
    const known = this.#ids.get(thing);
    if (known) return known;
    this.#next += 1;
    const id = `local-${this.#next}`;
    this.#ids.set(thing, id);
    return id;
  }
}
