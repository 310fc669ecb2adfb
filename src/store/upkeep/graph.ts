import type { Context } from '../../core/context.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { isIndex, type RawManifest } from '../../oci/manifest.ts';
import { digestsIn, findManifest, isDamage } from '../read-manifest.ts';
import type { Blobs } from '../store.ts';
import type { Root } from './roots.ts';

/** Which content refers to which, as far as the store's manifests can be read. */
export interface ContentGraph {
  readonly roots: readonly Root[];
  readonly manifests: ReadonlyMap<Digest, GraphManifest>;
  /** Manifests that cannot be read or have other bytes than their digest says: what they refer to is unknown. */
  readonly damaged: ReadonlySet<Digest>;
  /** Everything that some root needs. */
  readonly reached: ReadonlySet<Digest>;
}

export interface GraphManifest {
  readonly children: readonly Descriptor[];
  readonly isIndex: boolean;
}

const READERS = 8;

/** Reads every manifest that the roots reach. */
export async function readGraph(
  ctx: Context,
  blobs: Blobs,
  roots: AsyncIterable<Root>,
): Promise<ContentGraph> {
  const graph = new GraphReader(ctx, blobs);
  const all: Root[] = [];
  for await (const root of roots) all.push(root);
  await graph.follow(all.filter(({ subject }) => subject === undefined).map(digestOf));
  await graph.followAttached(all.filter(({ subject }) => subject !== undefined));
  return { roots: all, manifests: graph.manifests, damaged: graph.damaged, reached: graph.reached };
}

const digestOf = ({ digest }: { readonly digest: Digest }): Digest => digest;

class GraphReader {
  readonly manifests = new Map<Digest, GraphManifest>();
  readonly damaged = new Set<Digest>();
  readonly reached = new Set<Digest>();
  readonly #ctx: Context;
  readonly #blobs: Blobs;

  constructor(ctx: Context, blobs: Blobs) {
    this.#ctx = ctx;
    this.#blobs = blobs;
  }

  /** Level by level, so that the depth of an index costs neither stack nor memory. */
  async follow(start: readonly Digest[]): Promise<void> {
    let level = this.#fresh(start);
    while (level.length > 0) {
      const found = await mapBounded(this.#ctx, READERS, level, (digest) => this.#visit(digest));
      level = this.#fresh(found.flat());
    }
  }

  /** Artifacts may be about artifacts: a signature of an SBOM of an image. */
  async followAttached(roots: readonly Root[]): Promise<void> {
    let waiting = roots;
    while (true) {
      const ready = waiting.filter(({ subject }) => subject && this.reached.has(subject));
      if (ready.length === 0) return;
      waiting = waiting.filter((root) => !ready.includes(root));
      await this.follow(ready.map(digestOf));
    }
  }

  #fresh(digests: readonly Digest[]): Digest[] {
    return digests.filter((digest) => {
      if (this.reached.has(digest)) return false;
      this.reached.add(digest);
      return true;
    });
  }

  /** Notes a manifest's children, and returns those that may be manifests themselves. */
  async #visit(digest: Digest): Promise<readonly Digest[]> {
    const manifest = await this.#read(digest);
    if (!manifest) return await this.#mentionedBy(digest);
    const node = { children: manifest.children, isIndex: isIndex(manifest) };
    this.manifests.set(digest, node);
    if (node.isIndex) return node.children.map(digestOf);
    for (const child of node.children) this.reached.add(child.digest);
    return [];
  }

  /** Another tool may have stored a manifest of a kind we do not know. What it needs has to stay. */
  async #mentionedBy(digest: Digest): Promise<readonly Digest[]> {
    if (this.damaged.has(digest)) return [];
    return await digestsIn(this.#ctx, this.#blobs, digest);
  }

  async #read(digest: Digest): Promise<RawManifest | undefined> {
    try {
      return await findManifest(this.#ctx, this.#blobs, digest);
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.damaged.add(digest);
      return undefined;
    }
  }
}
