import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { parseManifest, type RawManifest } from '../../oci/manifest.ts';

/** Bounds the memory of a run, however many images it has. */
const BUDGET_BYTES = 4 * 1024 * 1024;

/**
 * Bytes of manifests between planning and putting; parsed, they would take several times the memory.
 * What does not fit is read again when it is needed.
 */
export class ManifestCache {
  readonly #held = new Map<Digest, Uint8Array>();
  #bytes = 0;

  add({ descriptor: { digest }, bytes }: RawManifest): void {
    if (this.#held.has(digest) || this.#bytes + bytes.length > BUDGET_BYTES) return;
    this.#held.set(digest, bytes);
    this.#bytes += bytes.length;
  }

  get({ digest, mediaType }: Descriptor): RawManifest | undefined {
    const bytes = this.#held.get(digest);
    return bytes && parseManifest(bytes, mediaType, digest);
  }

  drop(digest: Digest): void {
    this.#bytes -= this.#held.get(digest)?.length ?? 0;
    this.#held.delete(digest);
  }
}
