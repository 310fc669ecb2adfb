import type { Digest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';

/** What a run keeps of the manifests it has read: more images must not mean more memory. */
const BUDGET_BYTES = 4 * 1024 * 1024;

/** Manifests between planning and putting. What does not fit is read again when its turn comes. */
export class ManifestShelf {
  readonly #held = new Map<Digest, RawManifest>();
  #bytes = 0;

  keep(manifest: RawManifest): void {
    const { digest } = manifest.descriptor;
    if (this.#held.has(digest) || this.#bytes + manifest.bytes.length > BUDGET_BYTES) return;
    this.#held.set(digest, manifest);
    this.#bytes += manifest.bytes.length;
  }

  get(digest: Digest): RawManifest | undefined {
    return this.#held.get(digest);
  }

  drop(digest: Digest): void {
    this.#bytes -= this.#held.get(digest)?.bytes.length ?? 0;
    this.#held.delete(digest);
  }
}
