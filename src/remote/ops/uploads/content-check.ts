import { createHash, type Hash } from 'node:crypto';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { splitDigest } from '../../../oci/digest.ts';
import { mismatch } from '../../../oci/verify.ts';

/** Hashes a blob as it passes, each byte once, and refuses to let the last one go when it is wrong. */
export class ContentCheck {
  readonly #blob: Descriptor;
  readonly #hash: Hash;
  readonly #hex: string;
  #position = 0;

  constructor(blob: Descriptor) {
    const { algorithm, hex } = splitDigest(blob.digest);
    this.#blob = blob;
    this.#hash = createHash(algorithm);
    this.#hex = hex;
  }

  /** Bytes seen so far. */
  get position(): number {
    return this.#position;
  }

  /** Takes bytes that start at `offset` of the blob; those it has seen before are passed over. */
  take(chunk: Uint8Array, offset: number): void {
    const fresh = chunk.subarray(Math.max(0, this.#position - offset));
    if (fresh.length === 0) return;
    this.#position += fresh.length;
    if (this.#position > this.#blob.size) {
      throw mismatch(this.#blob, `more than ${this.#blob.size} bytes`);
    }
    this.#hash.update(fresh);
    if (this.#position === this.#blob.size) this.#compare();
  }

  /** Throws unless all of it has passed and was right. */
  finish(): void {
    if (this.#position < this.#blob.size) {
      throw mismatch(this.#blob, `only ${this.#position} of ${this.#blob.size} bytes`);
    }
    if (this.#blob.size === 0) this.#compare();
  }

  #compare(): void {
    if (this.#hash.digest('hex') !== this.#hex) throw mismatch(this.#blob, 'different bytes');
  }
}
