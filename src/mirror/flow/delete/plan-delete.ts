import type { ImageSet } from '../../../content/image-set/image-set.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { formatReference } from '../../../oci/reference.ts';
import type { Registries } from '../../../remote/registries.ts';
import { type Destination, isBelow } from '../../destination.ts';
import { type Need, needKey } from '../../need.ts';
import type { KnownImage, WorkingDir } from '../working-dir.ts';
import { droppedNeeds } from './dropped-needs.ts';
import { type ImageContent, readContents } from './mirror-content.ts';

export interface RemovalOptions {
  readonly destination: Destination;
  readonly workingDir: WorkingDir;
  readonly registries: Registries;
}

export interface DeleteOptions extends RemovalOptions {
  readonly imageSet: ImageSet;
}

/** What goes, what stays and why. */
export interface DeletePlan {
  /** Images that nothing needs any more. */
  readonly deleted: readonly ImageContent[];
  /** Everything else, with the needs that are left. */
  readonly kept: readonly KnownImage[];
  /** Kept images that something deleted needed, too. */
  readonly shared: readonly KnownImage[];
  /** Digests that kept images hold, at `registry/repository@digest`. */
  readonly held: ReadonlySet<string>;
  /** What a collection of garbage would free afterwards. */
  readonly freedBytes: number;
}

/** Counts what needs each image, and takes away what the image set names. Changes nothing. */
export async function planDelete(ctx: Context, options: DeleteOptions): Promise<DeletePlan> {
  const { imageSet, destination, workingDir } = options;
  refuseMirrorSet(imageSet);
  const known = await workingDir.mirrored();
  const here = known.filter(({ target }) => isBelow(destination, target));
  const dropped = new Set(droppedNeeds(imageSet, here).map(needKey));
  return await planRemoval(ctx, options, (need) => !dropped.has(needKey(need)));
}

/** Takes away every need that does not stay, and with it the images that nothing needs then. */
export async function planRemoval(
  ctx: Context,
  { destination, workingDir, registries }: RemovalOptions,
  stays: (need: Need) => boolean,
): Promise<DeletePlan> {
  const known = await workingDir.mirrored();
  const here = known.filter(({ target }) => isBelow(destination, target));
  const left = here.map((image) => {
    const neededBy = (image.neededBy ?? []).filter(stays);
    return { ...image, neededBy };
  });
  const elsewhere = known.filter(({ target }) => !isBelow(destination, target));
  const kept = [...left.filter(({ neededBy }) => neededBy.length > 0), ...elsewhere];
  const going = left.filter(({ neededBy }) => neededBy.length === 0);
  const deleted = await readContents(ctx, registries, going);
  const holding = await readContents(
    ctx,
    registries,
    kept.filter(({ target }) => target.registry === destination.registry),
  );
  return {
    deleted,
    kept,
    shared: left.filter(
      ({ neededBy }, index) =>
        neededBy.length > 0 && neededBy.length < (here[index]?.neededBy?.length ?? 0),
    ),
    held: new Set(holding.flatMap(placesOf)),
    freedBytes: freedBytes(deleted, holding),
  };
}

function refuseMirrorSet({ purpose, file }: ImageSet): void {
  if (purpose === 'delete') return;
  throw new AtollError('INPUT_INVALID', `Cannot delete by "${file}": it says what to mirror`, {
    hint: 'Write a DeleteImageSetConfiguration, with "delete:" where this has "mirror:"',
  });
}

/** `registry/repository@digest` of everything an image holds. */
function placesOf(content: ImageContent): string[] {
  const { registry, repository } = content.image.target;
  return contentOf(content).map(({ digest }) => `${registry}/${repository}@${digest}`);
}

function contentOf({ tree, attachments, attached }: ImageContent): Descriptor[] {
  return [...tree, ...attachments, ...attached];
}

/** Bytes of images that nothing else holds. */
export function freedBytes(
  deleted: readonly ImageContent[],
  kept: readonly ImageContent[],
  held: ReadonlySet<string> = new Set(),
): number {
  const left = new Set([...held].map((place) => place.slice(place.indexOf('@') + 1)));
  for (const { digest } of kept.flatMap(contentOf)) left.add(digest);
  const freed = new Map(
    deleted
      .flatMap(contentOf)
      .filter(({ digest }) => !left.has(digest))
      .map(({ digest, size }) => [digest, size]),
  );
  return [...freed.values()].reduce((sum, size) => sum + size, 0);
}

/** The places that go, sorted: what the list shows and `--execute` compares. */
export function targetsOf({ deleted }: Pick<DeletePlan, 'deleted'>): string[] {
  return deleted.map(({ image }) => formatReference(image.target)).toSorted();
}
