import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { mapBounded } from '../../core/pool.ts';
import { Progress } from '../../core/progress.ts';
import { matchesPattern } from '../../core/wildcard.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import type { Destination } from '../destination.ts';

/** Which images of a registry are meant. `*` is any text; without a pattern all are. */
export interface ContentFilter {
  /** Of repositories, below the path that was given. */
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** One repository of the source, by its name below the path. */
export interface FoundRepository {
  readonly name: string;
  readonly repository: Repository;
  readonly tags: readonly string[];
}

const AT_ONCE = 8;

export async function listContent(
  ctx: Context,
  registries: Registries,
  { registry, prefix }: Destination,
  filter: ContentFilter,
): Promise<readonly FoundRepository[]> {
  const names: string[] = [];
  for await (const full of registries.catalog(ctx, registry)) {
    const name = below(prefix, full);
    if (name !== undefined && isMeant(name, filter)) names.push(name);
  }
  const progress = new Progress(ctx, {
    id: 'follow.list',
    title: `Reading ${registry}`,
    totalItems: names.length,
  });
  const found = await mapBounded(ctx, AT_ONCE, names, async (name) => {
    const repository = registries.repository(registry, joined(prefix, name));
    const tags = (await tagsOf(ctx, repository)).filter((tag) => fits(filter.tags, tag));
    progress.addItem();
    return { name, repository, tags };
  });
  progress.finish(counted(names.length, 'repository').replace(/ys$/, 'ies'));
  return found;
}

/** None where the repository is not there (yet, or any more). */
export async function tagsOf(ctx: Context, repository: Repository): Promise<readonly string[]> {
  const tags: string[] = [];
  try {
    for await (const tag of repository.tags(ctx)) tags.push(tag);
  } catch (error) {
    if (error instanceof AtollError && error.code === 'IMAGE_UNKNOWN') return [];
    throw error;
  }
  return tags;
}

export const joined = (prefix: string, name: string): string =>
  prefix === '' ? name : `${prefix}/${name}`;

function below(prefix: string, repository: string): string | undefined {
  if (prefix === '') return repository;
  return repository.startsWith(`${prefix}/`) ? repository.slice(prefix.length + 1) : undefined;
}

const fits = (patterns: readonly string[] | undefined, text: string): boolean =>
  !patterns?.length || patterns.some((pattern) => matchesPattern(pattern, text));

/** Whether the filter means a `REPOSITORY:TAG`, wherever it is. */
export function isMeantTag(name: string, filter: ContentFilter): boolean {
  const colon = name.lastIndexOf(':');
  return isMeant(name.slice(0, colon), filter) && fits(filter.tags, name.slice(colon + 1));
}

function isMeant(name: string, { include, exclude }: ContentFilter): boolean {
  const isOut = (exclude ?? []).some((pattern) => matchesPattern(pattern, name));
  return !isOut && fits(include, name);
}
