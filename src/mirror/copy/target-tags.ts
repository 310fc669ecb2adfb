import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';

/** What the tags that an image shall have name at the target now. */
export class TargetTags {
  readonly #found: readonly (readonly [tag: string, found: Descriptor | undefined])[];

  constructor(found: readonly (readonly [tag: string, found: Descriptor | undefined])[]) {
    this.#found = found;
  }

  /** Tags were asked for and none is there: nothing of the image is to be expected there. */
  get areMissing(): boolean {
    return this.#found.length > 0 && this.#found.every(([, found]) => found === undefined);
  }

  /** The image with this digest, if one of the tags names it. */
  find(digest: Digest): Descriptor | undefined {
    return this.#found.find(([, found]) => found?.digest === digest)?.[1];
  }

  /** The tags that name this digest. */
  naming(digest: Digest): ReadonlySet<string> {
    return new Set(this.#found.filter(([, found]) => found?.digest === digest).map(([tag]) => tag));
  }
}
