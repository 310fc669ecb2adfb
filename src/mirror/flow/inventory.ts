import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { byFirst } from '../../core/order.ts';
import { mapBounded } from '../../core/pool.ts';
import { isDigest } from '../../oci/digest.ts';
import { formatReference } from '../../oci/reference.ts';
import { signatureTags } from '../../oci/referrers.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import { type BundleIndex, readIndex, readIndexFile } from '../bundle/bundle-index.ts';
import { type Destination, formatDestination, isBelow } from '../destination.ts';
import { treeOf } from './delete/mirror-content.ts';
import type { KnownImage, WorkingDir } from './working-dir.ts';

/** An image of the mirror, with what tells that a newer one takes its place. */
const previousImageSchema = z.object({
  kind: z.string(),
  source: z.string(),
  digest: z.string().refine(isDigest),
  component: z.string().optional(),
  release: z.object({ version: z.string() }).optional(),
});

export type PreviousImage = z.output<typeof previousImageSchema>;

function previousOf({ image, digest }: KnownImage): PreviousImage {
  const { kind, source, component, release } = image;
  return previousImageSchema.parse({
    kind,
    source: formatReference(source),
    digest,
    component,
    release,
  });
}

const schema = z.object({
  format: z.literal('atoll-inventory/1'),
  /** Digest to a repository that holds it, relative to the mirror's path. */
  content: z.record(z.string().refine(isDigest), z.string()),
  /** The images this content belongs to: what a newer one is compared with. */
  images: z.array(previousImageSchema).optional(),
});

/** What a mirror holds, to be carried out and given to `atoll mirror save --have`. */
export type Inventory = z.output<typeof schema>;

const AT_ONCE = 16;

/** Looks at every image that was mirrored and lists the content that is really there. */
export async function takeInventory(
  ctx: Context,
  registries: Registries,
  destination: Destination,
  workingDir: WorkingDir,
): Promise<Inventory> {
  const mirrored = (await workingDir.mirrored()).filter(({ target }) =>
    isBelow(destination, target),
  );
  if (mirrored.length === 0) warnOfNothing(ctx, destination, workingDir);
  const content = new Map<string, string>();
  await mapBounded(ctx, AT_ONCE, mirrored, async ({ target, digest }) => {
    const repository = registries.repository(target.registry, target.repository);
    const below = relativeTo(destination, target.repository);
    for (const name of [digest, ...signatureTags(digest)]) {
      for (const found of await presentTree(ctx, repository, name)) {
        content.set(found.digest, below);
      }
    }
  });
  const sorted = [...content].toSorted(byFirst);
  return {
    format: 'atoll-inventory/1',
    content: Object.fromEntries(sorted) as Inventory['content'],
    images: mirrored.map(previousOf),
  };
}

/** What a name leads to. Where the mirror says that something is lost, it is asked for each part. */
async function presentTree(ctx: Context, repository: Repository, name: string) {
  const root = await repository.resolve(ctx, name);
  if (!root) return [];
  const tree = await treeOf(ctx, repository, root);
  if (await repository.has(ctx, root)) return tree;
  const there = await mapBounded(ctx, AT_ONCE, tree, (each) => repository.has(ctx, each));
  return tree.filter((_, index) => there[index]);
}

function warnOfNothing(ctx: Context, destination: Destination, workingDir: WorkingDir): void {
  const path = workingDir.file('mirrored.json');
  ctx.emit({
    type: 'warning.raised',
    message: `Nothing is known to be in the mirror: "${path}" names nothing at ${formatDestination(destination)}`,
    hint: 'Name the folder in which sync or load ran with --dir DIR',
  });
}

function relativeTo({ prefix }: Destination, repository: string): string {
  return prefix !== '' && repository.startsWith(`${prefix}/`)
    ? repository.slice(prefix.length + 1)
    : repository;
}

/** What a delta leaves out, and the bundles it builds on. */
export interface DeltaBase {
  readonly have: ReadonlyMap<string, string | undefined>;
  readonly since: readonly string[];
  /** Images the other side has: new layers are made from theirs. */
  readonly previous: readonly PreviousImage[];
  /** Folders of earlier bundles, whose chunks may still be there. */
  readonly earlier: readonly string[];
}

/** What the other side has: an inventory file, earlier bundles, or both. */
export async function readBase(
  inventory: string | undefined,
  bundles: readonly string[],
): Promise<DeltaBase> {
  const have = new Map<string, string | undefined>();
  const since: string[] = [];
  const previous: PreviousImage[] = [];
  for (const folder of bundles) {
    const { id, blobs, base, deltas = [], images } = await readEarlier(folder);
    since.push(id);
    previous.push(...images.map((image) => previousImageSchema.parse(image)));
    // A delta is a blob of the bundle only; the mirror gets the layer that is made of it.
    const carried = new Set(deltas.map(({ delta }) => delta.digest));
    const arriving = blobs.filter(({ digest }) => !carried.has(digest));
    for (const { digest, repository } of [...base, ...arriving, ...deltas]) {
      have.set(digest, repository ?? have.get(digest));
    }
  }
  if (inventory !== undefined) {
    const { content, images = [] } = parseInventory(inventory, await readText(inventory));
    for (const [digest, repository] of Object.entries(content)) have.set(digest, repository);
    previous.push(...images);
  }
  const earlier = bundles.filter((path) => !path.endsWith('.json'));
  return { have, since, previous, earlier };
}

/** Only what the other side has, where nothing is said about the bundles it came with. */
export async function readHave(
  inventory: string | undefined,
  bundles: readonly string[],
): Promise<DeltaBase['have']> {
  return (await readBase(inventory, bundles)).have;
}

/** The index is enough: the chunks of an earlier bundle may be gone. */
async function readEarlier(path: string): Promise<BundleIndex> {
  try {
    return path.endsWith('.json') ? await readIndexFile(path) : await readIndex(path);
  } catch (cause) {
    throw new AtollError('BUNDLE_INVALID', `Cannot build on "${path}": ${messageOf(cause)}`, {
      hint: 'Give --since the folder of the earlier bundle, or its bundle.json; without it save the whole, or use --have with an inventory of the mirror',
      cause,
    });
  }
}

function parseInventory(path: string, text: string): Inventory {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read the inventory "${path}"`, {
      hint: 'Make it again with "atoll mirror inventory" beside the mirror',
      cause,
    });
  }
}
