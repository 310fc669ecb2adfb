import type { Context } from '../../core/context.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isImage } from '../../oci/manifest.ts';
import { findManifest } from '../../store/read-manifest.ts';
import type { Store } from '../../store/store.ts';
import { STORE_SPACE } from '../storage/links.ts';
import type { BackupBlob } from './snapshot.ts';

/** Records and content of a registry as they belong together. */
export interface Moment {
  readonly records: readonly (readonly [key: string, value: unknown])[];
  readonly blobs: readonly BackupBlob[];
}

type Kind = '_tags' | '_manifests' | '_blobs' | '_referrers';
/** What others rely on is put back before them: a reader never sees a tag that leads nowhere. */
const ORDER: readonly Kind[] = ['_blobs', '_manifests', '_referrers', '_tags'];

interface Entry {
  readonly key: string;
  readonly repository: string;
  readonly kind: Kind;
  readonly name: string;
  readonly value: unknown;
}

/**
 * Reads while others push and delete. A tag is set after its manifest, so whatever a tag names that
 * was seen here was there; when it is not any more, image and tag were deleted meanwhile.
 */
export async function readMoment(ctx: Context, store: Store): Promise<Moment> {
  const entries = await readEntries(ctx, store);
  const blobs = new Map<Digest, number>();
  const whole = new Set<string>();
  for (const { kind, repository, name } of entries) {
    if (kind !== '_manifests' || !isDigest(name)) continue;
    const pieces = await piecesOf(ctx, store, name);
    if (!pieces) continue;
    whole.add(`${repository}@${name}`);
    for (const { digest, size } of pieces) blobs.set(digest, size);
  }
  const kept = entries.filter((entry) => belongs(entry, whole, blobs));
  return {
    records: ORDER.flatMap((kind) =>
      kept.filter((entry) => entry.kind === kind).map(({ key, value }) => [key, value] as const),
    ),
    blobs: [...blobs].map(([digest, size]) => ({ digest, size })),
  };
}

function belongs(
  { kind, repository, name, value }: Entry,
  whole: ReadonlySet<string>,
  blobs: ReadonlyMap<Digest, number>,
): boolean {
  if (kind === '_blobs') return isDigest(name) && blobs.has(name);
  const digest = kind === '_tags' ? (value as { digest?: string } | undefined)?.digest : name;
  return whole.has(`${repository}@${digest}`);
}

/** Tags first: see above. */
async function readEntries(ctx: Context, { records }: Store): Promise<readonly Entry[]> {
  const keys: string[] = [];
  for await (const key of records.list(ctx, `${STORE_SPACE}/`)) keys.push(key);
  const entries = keys.flatMap((key) => entryOf(key) ?? []);
  const ordered = ORDER.toReversed().flatMap((kind) =>
    entries.filter((each) => each.kind === kind),
  );
  const read: Entry[] = [];
  for (const entry of ordered) {
    const value = await records.get(ctx, entry.key);
    if (value !== undefined) read.push({ ...entry, value });
  }
  return read;
}

function entryOf(key: string): (Omit<Entry, 'value'> & { value: undefined }) | undefined {
  const parts = key.split('/').slice(1);
  const at = parts.findIndex((part) => part.startsWith('_'));
  const kind = ORDER.find((each) => each === parts[at]);
  const name = parts.at(-1);
  if (!kind || name === undefined) return undefined;
  return { key, repository: parts.slice(0, at).join('/'), kind, name, value: undefined };
}

/** Undefined when it was deleted meanwhile, or is damaged: then there is nothing to keep. */
async function piecesOf(
  ctx: Context,
  { blobs }: Store,
  digest: Digest,
): Promise<readonly BackupBlob[] | undefined> {
  const manifest = await findManifest(ctx, blobs, digest).catch(() => undefined);
  if (!manifest) return undefined;
  const pieces = [manifest.descriptor, ...(isImage(manifest) ? manifest.children : [])];
  // A collection of garbage leaves alone what somebody has just looked after.
  for (const piece of pieces) await blobs.touch(ctx, piece.digest).catch(() => false);
  return pieces.map(({ digest: each, size }) => ({ digest: each, size }));
}
