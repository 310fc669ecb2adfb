import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Source, SourceAbilities } from '../../oci/content.ts';
import { bare, type Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { referrerDescriptor } from '../../oci/referrers.ts';
import type { DiskStore } from '../disk/disk-store.ts';
import { findManifest, findSoundManifest, readManifest } from '../read-manifest.ts';
import { readReferences } from './references.ts';

export interface LayoutSource extends Source {
  readonly can: Required<Pick<SourceAbilities, 'tags' | 'referrers'>>;
}

/** Reads images from a layout on disk. Its tags are the names in `index.json`. */
export function layoutSource(store: DiskStore): LayoutSource {
  const referrers = referrersOf(store);
  return {
    resolve: (ctx, tagOrDigest) => resolve(ctx, store, tagOrDigest),
    manifest: (ctx, descriptor) => readManifest(ctx, store.blobs, descriptor),
    blob: (ctx, { digest, size }, offset = 0) =>
      store.blobs.read(ctx, digest, { start: offset, end: Math.max(size - 1, 0) }),
    can: {
      async *tags() {
        const references = await readReferences(store);
        yield* references.flatMap(({ name }) => (name === undefined ? [] : [name])).toSorted();
      },
      referrers: async (ctx, subject) => (await referrers(ctx)).get(subject) ?? [],
    },
  };
}

async function resolve(
  ctx: Context,
  store: DiskStore,
  tagOrDigest: string,
): Promise<Descriptor | undefined> {
  const references = await readReferences(store);
  const named = references.find(({ name }) => name === tagOrDigest);
  if (named) return bare(named.descriptor);
  if (!isDigest(tagOrDigest)) return undefined;
  const listed = references.find(({ descriptor }) => descriptor.digest === tagOrDigest);
  if (listed) return bare(listed.descriptor);
  return (await findManifest(ctx, store.blobs, tagOrDigest))?.descriptor;
}

/** The image that `oci:DIR[:ref]` names: without a name the layout must hold exactly one. */
export async function layoutRoot(
  ctx: Context,
  store: DiskStore,
  name?: string,
): Promise<Descriptor> {
  if (name !== undefined) {
    const found = await resolve(ctx, store, name);
    if (found) return found;
  }
  const references = await readReferences(store);
  const digests = new Set(references.map(({ descriptor }) => descriptor.digest));
  const [only] = references;
  if (name === undefined && only && digests.size === 1) return bare(only.descriptor);
  throw noImage(
    store.root,
    name,
    digests.size,
    references.flatMap((each) => each.name ?? []),
  );
}

function noImage(
  root: string,
  name: string | undefined,
  count: number,
  names: readonly string[],
): AtollError {
  const close = name === undefined ? undefined : nearest(name, names);
  const found = name === undefined ? `it holds ${count} images` : `it has no image "${name}"`;
  const hint = close
    ? `Did you mean "oci:${root}:${close}"?`
    : `Name one of its images: ${names.slice(0, 5).join(', ') || 'it names none'}`;
  return new AtollError('IMAGE_UNKNOWN', `Cannot read "${root}": ${found}`, { hint });
}

type Referrers = ReadonlyMap<Digest, readonly Descriptor[]>;

/** Looks at every listed manifest once, and again only when the index has changed. */
function referrersOf(store: DiskStore): (ctx: Context) => Promise<Referrers> {
  let known: { readonly stamp: string; readonly referrers: Referrers } | undefined;
  return async (ctx) => {
    const { ino, mtimeMs } = await stat(join(store.root, 'index.json'));
    const stamp = `${ino}-${mtimeMs}`;
    if (known?.stamp === stamp) return known.referrers;
    const referrers = await findReferrers(ctx, store);
    known = { stamp, referrers };
    return referrers;
  };
}

async function findReferrers(ctx: Context, store: DiskStore): Promise<Referrers> {
  const found = new Map<Digest, Descriptor[]>();
  const seen = new Set<Digest>();
  for (const { descriptor } of await readReferences(store)) {
    if (seen.has(descriptor.digest) || !isManifestType(descriptor.mediaType)) continue;
    seen.add(descriptor.digest);
    // One that is damaged says so when it is read itself; it must not stop the other images.
    const manifest = await findSoundManifest(ctx, store.blobs, descriptor.digest);
    if (!manifest?.subject) continue;
    const { digest } = manifest.subject;
    found.set(digest, [...(found.get(digest) ?? []), referrerDescriptor(manifest)]);
  }
  return found;
}
