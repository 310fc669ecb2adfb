import { join } from 'node:path';
import type { PublicKey } from 'openpgp';
import type { Context } from '../../core/context.ts';
import { readTextIfPresent } from '../../core/files.ts';
import {
  type BundleImage,
  type BundleIndex,
  INDEX_FILE,
  parseIndex,
  readIndex,
  readIndexFile,
  readIndexText,
  SIGNATURE_FILE,
} from './bundle-index.ts';
import { BundleReader, type DamagedChunk } from './bundle-reader.ts';
import { keysUnderRule, verifyIndex } from './bundle-signature.ts';
import { sizeOfFile } from './chunk-files.ts';
import { companionsOf, SUMS_FILE } from './companions.ts';
import { checkParts, damagedError } from './parts.ts';

/** What a bundle is, without looking at its chunks. */
export interface BundleSummary {
  readonly folder: string;
  readonly id: string;
  readonly isSigned: boolean;
  readonly chunks: number;
  readonly bytes: number;
  readonly blobs: number;
  readonly deltas: number;
  readonly since: readonly string[];
  /** Blobs the mirror is expected to have. */
  readonly expected: number;
  readonly images: readonly Pick<
    BundleImage,
    'kind' | 'source' | 'digest' | 'reason' | 'component'
  >[];
  /** What was asked for and could not be saved: with any, the bundle is partial. */
  readonly missing: NonNullable<BundleIndex['missing']>;
}

export async function listBundle(folder: string): Promise<BundleSummary> {
  return summaryOf(folder, await readIndex(folder), await isSigned(folder));
}

const isSigned = async (folder: string): Promise<boolean> =>
  (await sizeOfFile(join(folder, SIGNATURE_FILE))) !== undefined;

function summaryOf(folder: string, index: BundleIndex, signed: boolean): BundleSummary {
  const { id, chunks, blobs, deltas = [], since, base, images, missing = [] } = index;
  return {
    folder,
    id,
    isSigned: signed,
    chunks: chunks.length,
    bytes: bytesOf(chunks),
    blobs: blobs.length,
    deltas: deltas.length,
    since,
    expected: base.length,
    images: images.map(({ kind, source, digest, reason, component }) => ({
      ...{ kind, source, digest, reason },
      ...(component === undefined ? {} : { component }),
    })),
    missing,
  };
}

const bytesOf = (list: readonly { readonly size: number }[]): number =>
  list.reduce((sum, { size }) => sum + size, 0);

export interface CheckedBundle extends BundleSummary {
  readonly isVerified: boolean;
  readonly inParts: boolean;
}

/** Hashes everything. With keys the signature is verified first. All that is damaged is in one error. */
export async function checkBundle(
  ctx: Context,
  folder: string,
  given: readonly PublicKey[],
): Promise<CheckedBundle> {
  const text = await readIndexText(folder);
  const keys = await keysUnderRule(given);
  if (keys.length > 0) await verifyIndex(ctx, folder, text, keys);
  const index = parseIndex(join(folder, INDEX_FILE), text);
  const parts = await checkParts(ctx, folder, index);
  const damaged = [
    ...(parts ?? (await damagedChunks(ctx, folder, index))),
    ...(await damagedCompanions(folder, index, text, parts !== undefined)),
  ];
  if (damaged.length > 0) throw damagedError(folder, damaged);
  const summary = summaryOf(folder, index, await isSigned(folder));
  return { ...summary, isVerified: keys.length > 0, inParts: parts !== undefined };
}

async function damagedChunks(ctx: Context, folder: string, index: BundleIndex) {
  const reader = new BundleReader(folder, index);
  try {
    return await reader.damaged(ctx);
  } finally {
    await reader.close();
  }
}

/** They say nothing the index does not say, but for sums of parts: one that differs was changed, and one of several was lost. Older bundles have none. */
async function damagedCompanions(
  folder: string,
  index: BundleIndex,
  text: string,
  inParts: boolean,
): Promise<DamagedChunk[]> {
  const signature = await readTextIfPresent(join(folder, SIGNATURE_FILE));
  const damaged: DamagedChunk[] = [];
  const wanted = [...companionsOf(index, text, signature)];
  for (const [file, content] of wanted) {
    const found = await readTextIfPresent(join(folder, file));
    if (found === undefined) damaged.push({ file, found: 'missing' });
    else if (found !== content && !(inParts && file === SUMS_FILE))
      damaged.push({ file, found: 'something else than the index says' });
  }
  const isOlder = damaged.filter(({ found }) => found === 'missing').length === wanted.length;
  return isOlder ? [] : damaged;
}

type NamedImage = Pick<BundleImage, 'kind' | 'source' | 'digest'>;

export interface BundleDiff {
  readonly from: string;
  readonly to: string;
  readonly added: readonly NamedImage[];
  readonly removed: readonly NamedImage[];
  readonly changed: readonly (NamedImage & { readonly before: string })[];
  readonly same: number;
  /** Content that only one of them carries. */
  readonly addedBytes: number;
  readonly removedBytes: number;
}

/** What one bundle has that the other has not, by their indexes; chunks are not needed. */
export async function diffBundles(from: string, to: string): Promise<BundleDiff> {
  const [before, after] = [await readAny(from), await readAny(to)];
  const diff = imagesDiff(byName(before), byName(after));
  return {
    from: before.id,
    to: after.id,
    ...diff,
    same: after.images.length - diff.added.length - diff.changed.length,
    addedBytes: onlyIn(after, before),
    removedBytes: onlyIn(before, after),
  };
}

const readAny = (path: string): Promise<BundleIndex> =>
  path.endsWith('.json') ? readIndexFile(path) : readIndex(path);

type ByName = ReadonlyMap<string, readonly BundleImage[]>;

/** Of one name there may be several, such as the etcd of two releases: what both have is the same, of the rest one follows the other. */
function imagesDiff(old: ByName, fresh: ByName): Pick<BundleDiff, 'added' | 'removed' | 'changed'> {
  const named = ({ kind, source, digest }: BundleImage) => ({ kind, source, digest });
  const added: NamedImage[] = [];
  const removed: NamedImage[] = [];
  const changed: BundleDiff['changed'][number][] = [];
  for (const name of new Set([...old.keys(), ...fresh.keys()])) {
    const [before = [], after = []] = [old.get(name), fresh.get(name)];
    const gone = without(before, after);
    for (const image of without(after, before)) {
      const earlier = gone.shift();
      if (earlier) changed.push({ ...named(image), before: earlier.digest });
      else added.push(named(image));
    }
    removed.push(...gone.map(named));
  }
  return { added, removed, changed };
}

const without = (images: readonly BundleImage[], others: readonly BundleImage[]): BundleImage[] =>
  images.filter(({ digest }) => !others.some((other) => other.digest === digest));

/** A component is the same thing in every release; all else is named by where it comes from. */
function byName({ images }: BundleIndex): ByName {
  const name = ({ kind, source, component, targetTag }: BundleImage) =>
    component === undefined
      ? [kind, source.replace(/@.*$/, ''), targetTag ?? ''].join(' ')
      : `${kind} ${component}`;
  const names = new Map<string, BundleImage[]>();
  for (const image of images) names.set(name(image), [...(names.get(name(image)) ?? []), image]);
  return names;
}

function onlyIn(index: BundleIndex, other: BundleIndex): number {
  const known = new Set(other.blobs.map(({ digest }) => digest));
  return bytesOf(index.blobs.filter(({ digest }) => !known.has(digest)));
}
