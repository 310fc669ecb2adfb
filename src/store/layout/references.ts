import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText, writeFileAtomic } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { by } from '../../core/order.ts';
import { check, listOf, nullish, objectOf, parseJson } from '../../core/shape.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { descriptorShape } from '../../oci/manifest-shape.ts';
import type { FileBacked } from '../store.ts';
import { indexLockPath } from './paths.ts';

/** The annotation by which a layout names its images. */
export const REF_NAME = 'org.opencontainers.image.ref.name';

/** One entry of a layout's `index.json`. Without a name it is found by digest only. */
export interface LayoutReference {
  readonly name?: string | undefined;
  readonly descriptor: Descriptor;
}

type Layout = Pick<FileBacked, 'root'>;
type Entry = Descriptor;

/** Unknown fields are kept: other tools write here as well. */
interface Index {
  readonly schemaVersion: 2;
  readonly manifests: readonly Entry[];
}

const indexShape = objectOf({
  schemaVersion: check((value) => value === 2, '2'),
  manifests: nullish(listOf(descriptorShape)),
});

/** What the layout's index holds, in its order. */
export async function readReferences(layout: Layout): Promise<readonly LayoutReference[]> {
  const { manifests } = await readIndex(layout);
  return manifests.map((entry) => ({ name: nameOf(entry), descriptor: entry }));
}

/**
 * Names a manifest that is in the store; a name moves from what had it before. Without a name the
 * manifest is only listed, so that other tools find it and garbage collection keeps it.
 */
export async function setReferences(
  ctx: Context,
  layout: Layout,
  references: readonly LayoutReference[],
): Promise<void> {
  await updateIndex(ctx, layout, (entries) => references.reduce(withReference, entries));
}

export async function setReference(
  ctx: Context,
  layout: Layout,
  name: string | undefined,
  descriptor: Descriptor,
): Promise<void> {
  await setReferences(ctx, layout, [{ name, descriptor }]);
}

/** Removes a name, or with a digest every entry of it; false when there was none. */
export async function removeReference(
  ctx: Context,
  layout: Layout,
  nameOrDigest: string,
): Promise<boolean> {
  let removed = false;
  await updateIndex(ctx, layout, (entries) => {
    const kept = entries.filter(
      (entry) => nameOf(entry) !== nameOrDigest && entry.digest !== (nameOrDigest as Digest),
    );
    removed = kept.length < entries.length;
    return kept;
  });
  return removed;
}

function withReference(entries: readonly Entry[], reference: LayoutReference): readonly Entry[] {
  const { name, descriptor } = reference;
  const entry = entryOf(reference);
  if (name !== undefined) return [...entries.filter((other) => nameOf(other) !== name), entry];
  const listed = entries.some((other) => other.digest === descriptor.digest);
  return listed ? entries : [...entries, entry];
}

function entryOf({ name, descriptor }: LayoutReference): Entry {
  const { [REF_NAME]: _former, ...rest } = descriptor.annotations ?? {};
  const annotations = name === undefined ? rest : { ...rest, [REF_NAME]: name };
  const { mediaType, digest, size, annotations: _all, ...others } = descriptor;
  // Always in this order, wherever the descriptor came from: same entries, same bytes.
  const entry = { mediaType, digest, size, ...others };
  return Object.keys(annotations).length > 0 ? { ...entry, annotations } : entry;
}

/** Reads, changes and writes the index while no other process does. Same entries, same bytes. */
async function updateIndex(
  ctx: Context,
  layout: Layout,
  change: (entries: readonly Entry[]) => readonly Entry[],
): Promise<void> {
  const lock = indexLockPath(layout.root);
  await inTurn(lock, () => withLock(ctx, lock, { waitMs: 30_000 }, update));

  async function update(): Promise<void> {
    const index = await readIndex(layout);
    const manifests = change(index.manifests);
    if (manifests === index.manifests) return;
    const sorted = manifests.toSorted(by(sortKey));
    await writeFileAtomic(indexPath(layout), JSON.stringify({ ...index, manifests: sorted }));
  }
}

const turns = new Map<string, Promise<void>>();

/** Within this process the tasks of one key follow each other; only processes have to poll. */
async function inTurn(key: string, task: () => Promise<void>): Promise<void> {
  const turn = (turns.get(key) ?? Promise.resolve()).catch(() => undefined).then(task);
  turns.set(key, turn);
  try {
    await turn;
  } finally {
    if (turns.get(key) === turn) turns.delete(key);
  }
}

const sortKey = (entry: Entry): string => `${nameOf(entry) ?? ''}\n${entry.digest}`;
const nameOf = (entry: Entry): string | undefined => entry.annotations?.[REF_NAME];
const indexPath = (layout: Layout): string => join(layout.root, 'index.json');

async function readIndex(layout: Layout): Promise<Index> {
  const path = indexPath(layout);
  const text = await readText(path);
  const index = parseJson(text);
  const problem = index === undefined ? 'it is not JSON' : indexShape(index);
  // Programs written in Go put null for an empty list.
  if (problem === undefined)
    return { ...(index as Index), manifests: (index as Index).manifests ?? [] };
  throw new AtollError('INPUT_INVALID', `Cannot read "${path}": ${problem}`, {
    hint: 'Restore "index.json" from a copy of the layout',
    details: { path },
  });
}
