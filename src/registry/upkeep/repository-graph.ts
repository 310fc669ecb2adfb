import type { Context } from '../../core/context.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isIndex } from '../../oci/manifest.ts';
import { findSoundManifest } from '../../store/read-manifest.ts';
import type { Store } from '../../store/store.ts';
import type { Links } from '../storage/links.ts';

interface RepositoryManifest {
  /** Manifests of an index. */
  readonly manifests: readonly Digest[];
  readonly subject: Digest | undefined;
}

/** The manifests of one repository: which names which, and which is about which. */
export type RepositoryGraph = ReadonlyMap<Digest, RepositoryManifest>;

export async function readRepository(
  ctx: Context,
  store: Store,
  links: Links,
  repository: string,
): Promise<RepositoryGraph> {
  const graph = new Map<Digest, RepositoryManifest>();
  for await (const digest of links.manifests.list(ctx, repository)) {
    const manifest = await findSoundManifest(ctx, store.blobs, digest);
    graph.set(digest, {
      manifests: manifest && isIndex(manifest) ? manifest.children.map((each) => each.digest) : [],
      subject: manifest?.subject?.digest,
    });
  }
  return graph;
}

/** Everything that belongs to these: images of an index, and what is attached to any of them. */
export function reachedFrom(graph: RepositoryGraph, start: readonly Digest[]): ReadonlySet<Digest> {
  const about = new Map<Digest, Digest[]>();
  for (const [digest, { subject }] of graph) {
    if (subject) about.set(subject, [...(about.get(subject) ?? []), digest]);
  }
  const reached = new Set(start);
  // A set may grow while it is walked.
  for (const digest of reached) {
    for (const each of graph.get(digest)?.manifests ?? []) reached.add(each);
    for (const each of about.get(digest) ?? []) reached.add(each);
  }
  return reached;
}

/** Takes a manifest out of its repository, and out of the list of what is attached to its subject. */
export async function removeManifest(
  ctx: Context,
  links: Links,
  repository: string,
  digest: Digest,
  subject: Digest | undefined,
): Promise<void> {
  if (subject) await links.referrers(subject).remove(ctx, repository, digest);
  await links.manifests.remove(ctx, repository, digest);
}

/** `sha256-HEX.sig` is about `sha256:HEX`; so is `sha256-HEX`, unless it names that very manifest. */
export function attachedTo(tag: string): Digest | undefined {
  const digest = tag.replace(/\.[a-z]+$/, '').replace('-', ':');
  return isDigest(digest) ? digest : undefined;
}
