import type { Source, Target } from '../../oci/content.ts';
import { locationOf } from './capabilities.ts';
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
