import { z } from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import { isDigest } from '../../oci/digest.ts';
import { walk } from '../../oci/walk.ts';
import type { Registries } from '../../remote/registries.ts';
import { readIndex } from '../bundle/bundle-index.ts';
import type { Destination } from '../destination.ts';
import type { WorkingDir } from './working-dir.ts';

const schema = z.object({
  format: z.literal('atoll-inventory/1'),
  /** Digest to a repository that holds it, relative to the mirror's path. */
  content: z.record(z.string().refine(isDigest), z.string()),
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
  const mirrored = await workingDir.mirrored();
  const content = new Map<string, string>();
  await mapBounded(ctx, AT_ONCE, mirrored, async ({ target, digest }) => {
    const repository = registries.repository(target.registry, target.repository);
    const root = await repository.resolve(ctx, digest);
    if (!root) return;
    const below = relativeTo(destination, target.repository);
    for await (const { descriptor } of walk(ctx, repository, root))
      content.set(descriptor.digest, below);
  });
  const sorted = [...content].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    format: 'atoll-inventory/1',
    content: Object.fromEntries(sorted) as Inventory['content'],
  };
}

function relativeTo({ prefix }: Destination, repository: string): string {
  return prefix !== '' && repository.startsWith(`${prefix}/`)
    ? repository.slice(prefix.length + 1)
    : repository;
}

/** What the other side has: an inventory file, earlier bundles, or both. */
export async function readHave(
  inventory: string | undefined,
  bundles: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const have = new Map<string, string | undefined>();
  for (const folder of bundles) {
    const { blobs, base } = await readIndex(folder);
    for (const { digest, repository } of base) have.set(digest, repository);
    for (const { digest } of blobs) have.set(digest, have.get(digest));
  }
  if (inventory !== undefined) {
    const { content } = parseInventory(inventory, await readText(inventory));
    for (const [digest, repository] of Object.entries(content)) have.set(digest, repository);
  }
  return have;
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
