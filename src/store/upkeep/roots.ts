import type { Context } from '../../core/context.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import type { DiskStore } from '../disk/disk-store.ts';
import { readReferences } from '../layout/references.ts';
import { findManifest } from '../read-manifest.ts';
import type { Records } from '../store.ts';

/** Something that wants content to stay: what it is called, and what it names. */
export interface Root {
  readonly name: string;
  readonly digest: Digest;
  /** Set for an artifact that nobody names: it stays only as long as the image it is about. */
  readonly subject?: Digest | undefined;
}

/** The images in a layout's index. */
export async function* layoutRoots(ctx: Context, store: DiskStore): AsyncGenerator<Root> {
  for (const { name, descriptor } of await readReferences(store)) {
    const { digest } = descriptor;
    if (name !== undefined) yield { name, digest };
    else yield { name: digest, digest, subject: await subjectOf(ctx, store, digest) };
  }
}

async function subjectOf(
  ctx: Context,
  store: DiskStore,
  digest: Digest,
): Promise<Digest | undefined> {
  // What cannot be read is a root without a subject; the graph says what is wrong with it.
  const manifest = await findManifest(ctx, store.blobs, digest).catch(() => undefined);
  return manifest?.subject?.digest;
}

/** Every digest that a record names, in its key or anywhere in its value. */
export async function* recordRoots(
  ctx: Context,
  records: Records,
  prefix = '',
): AsyncGenerator<Root> {
  for await (const key of records.list(ctx, prefix)) {
    const digests = new Set([...key.split('/').filter(isDigest)]);
    collectDigests(await records.get(ctx, key), digests);
    for (const digest of digests) yield { name: key, digest };
  }
}

function collectDigests(value: unknown, found: Set<Digest>): void {
  if (typeof value === 'string') {
    if (isDigest(value)) found.add(value);
  } else if (value !== null && typeof value === 'object') {
    for (const inner of Object.values(value)) collectDigests(inner, found);
  }
}

/** One after the other. */
export async function* allRoots(...sources: readonly AsyncIterable<Root>[]): AsyncGenerator<Root> {
  for (const source of sources) yield* source;
}
