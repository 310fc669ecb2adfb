import type { Context } from '../../../core/context.ts';
import { AtollError, messageOf } from '../../../core/errors.ts';
import { mapBounded } from '../../../core/pool.ts';
import type { Digest } from '../../../oci/digest.ts';
import { isManifestType } from '../../../oci/media-types.ts';
import { formatReference } from '../../../oci/reference.ts';
import { referrersTag } from '../../../oci/referrers.ts';
import type { Registries, Repository } from '../../../remote/registries.ts';
import type { WorkingDir } from '../working-dir.ts';
import {
  type ResourceWriteOptions,
  type WrittenResources,
  writeResources,
} from '../write-resources.ts';
import type { ImageContent } from './mirror-content.ts';
import { type DeletePlan, freedBytes, targetsOf } from './plan-delete.ts';

const AT_ONCE = 8;

export interface ExecuteOptions extends Pick<ResourceWriteOptions, 'icsp'> {
  readonly workingDir: WorkingDir;
  readonly registries: Registries;
}

export interface DeleteFailure {
  readonly target: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

export interface DeleteResult extends WrittenResources {
  readonly deleted: readonly string[];
  /** Names that are gone while their content stays, because other names need it. */
  readonly untagged: number;
  readonly failures: readonly DeleteFailure[];
  readonly freedBytes: number;
}

/** Removes what the plan says, then forgets it and rewrites what the cluster is told. */
export async function executeDelete(
  ctx: Context,
  plan: DeletePlan,
  { workingDir, registries, icsp }: ExecuteOptions,
): Promise<DeleteResult> {
  const failures: DeleteFailure[] = [];
  const held = new Set(plan.held);
  const outcomes = await mapBounded(ctx, AT_ONCE, plan.deleted, async (content) => {
    const { registry, repository } = content.image.target;
    try {
      return await removeImage(ctx, registries.repository(registry, repository), content, held);
    } catch (error) {
      ctx.signal.throwIfAborted();
      failures.push(failureOf(content, error));
      return 'failed';
    }
  });
  const thatAre = (...wanted: Outcome[]) =>
    plan.deleted.filter((_, index) => wanted.includes(outcomes[index] as Outcome));
  await remember(workingDir, plan, thatAre('failed'));
  return {
    deleted: targetsOf({ deleted: thatAre('removed', 'untagged') }),
    untagged: outcomes.filter((outcome) => outcome === 'untagged').length,
    failures,
    freedBytes: freedBytes(thatAre('removed'), thatAre('failed', 'moved'), plan.held),
    ...(await writeResources(ctx, workingDir, { icsp })),
  };
}

type Outcome = 'removed' | 'untagged' | 'moved' | 'failed';

async function removeImage(
  ctx: Context,
  repository: Repository,
  content: ImageContent,
  held: ReadonlySet<string>,
): Promise<Outcome> {
  const { target, digest } = content.image;
  const now = target.tag === undefined ? undefined : await repository.resolve(ctx, target.tag);
  // A list of its referrers may have taken the tag of an image by digest: it goes with the image.
  const isList = now?.digest !== digest && target.tag === referrersTag(digest);
  if (now && now.digest !== digest && !isList) {
    ctx.emit({
      type: 'warning.raised',
      message: `${formatReference(target)} names another image now and stays`,
    });
    return 'moved';
  }
  const isFree = (each: Digest) =>
    !held.has(`${repository.registry}/${repository.repository}@${each}`);
  if (isFree(digest)) {
    if (now && isList) await repository.remove(ctx, now.digest);
    await removeContent(ctx, repository, content, isFree);
    return 'removed';
  }
  if (now && !isList && target.tag !== undefined) await removeTag(ctx, repository, target.tag);
  return 'untagged';
}

/**
 * Signatures first: one without its image would be of no use to anybody. The image itself last: as
 * long as it is there, a run that was cut off finds its parts again.
 */
async function removeContent(
  ctx: Context,
  repository: Repository,
  { tree, attachments }: ImageContent,
  isFree: (digest: Digest) => boolean,
): Promise<void> {
  for (const { digest, tag } of attachments.filter((each) => isFree(each.digest))) {
    if (tag !== undefined) await removeIfPossible(ctx, repository, tag);
    await repository.remove(ctx, digest);
  }
  const manifests = tree.filter(({ mediaType }) => isManifestType(mediaType)).toReversed();
  for (const { digest } of manifests.filter((each) => isFree(each.digest)))
    await repository.remove(ctx, digest);
}

/** Registries that cannot remove a tag alone keep it; what it names is needed anyway. */
async function removeTag(ctx: Context, repository: Repository, tag: string): Promise<void> {
  if (await removeIfPossible(ctx, repository, tag)) return;
  ctx.emit({
    type: 'note.added',
    message: `${repository.registry} cannot remove the tag ${repository.repository}:${tag} alone; its image is needed by other names`,
  });
}

async function removeIfPossible(
  ctx: Context,
  repository: Repository,
  tag: string,
): Promise<boolean> {
  try {
    await repository.remove(ctx, tag);
    return true;
  } catch (error) {
    const status = error instanceof AtollError ? error.details.status : undefined;
    if (status === 405 || status === 400) return false;
    throw error;
  }
}

/** The memory holds what is there: what was kept, and what could not be removed. */
async function remember(
  workingDir: WorkingDir,
  plan: DeletePlan,
  failed: readonly ImageContent[],
): Promise<void> {
  const before = new Map(
    (await workingDir.mirrored()).map((image) => [formatReference(image.target), image]),
  );
  const stuck = failed.flatMap(({ image }) => before.get(formatReference(image.target)) ?? []);
  const known = [...plan.kept, ...stuck];
  await workingDir.writeMirrored(known);
  const left = new Set(known.map(({ digest }) => digest));
  for (const { image } of plan.deleted) {
    if (!left.has(image.digest)) await workingDir.dropSignature(image.digest);
  }
}

function failureOf({ image }: ImageContent, error: unknown): DeleteFailure {
  return {
    target: formatReference(image.target),
    message: messageOf(error),
    ...(error instanceof AtollError && error.hint ? { hint: error.hint } : {}),
  };
}
