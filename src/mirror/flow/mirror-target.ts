import type { Context } from '../../core/context.ts';
import type { BulkSource, Transfer, TransferOptions } from '../../oci/bulk.ts';
import type { Target, TargetAbilities } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Repository } from '../../remote/registries.ts';
import type { EarlyAnswers } from './ask-ahead.ts';
import type { UploadNotes } from './upload-notes.ts';

/** Where the base of a delta is, by digest: repositories of the mirror, where they are known. */
export type BaseRepositories = ReadonlyMap<string, string | undefined>;

export interface MirrorTargetOptions {
  readonly notes?: UploadNotes | undefined;
  readonly base?: BaseRepositories | undefined;
  readonly asked?: EarlyAnswers | undefined;
}

export interface MirrorTarget extends Target {
  readonly can: TargetAbilities & Required<Pick<TargetAbilities, 'putBlobFrom'>>;
}

/** A repository of the mirror whose uploads survive a kill, and that finds the base of a delta. */
export function mirrorTarget(repository: Repository, options: MirrorTargetOptions): MirrorTarget {
  return {
    has: (ctx, descriptor) => repository.has(ctx, descriptor),
    putBlob: (ctx, blob, chunks) => repository.putBlob(ctx, blob, chunks),
    putManifest: (ctx, manifest, tag) => repository.putManifest(ctx, manifest, tag),
    location: repository.location,
    can: {
      ...repository.can,
      asked: (tag) =>
        options.asked?.take({
          registry: repository.registry,
          repository: repository.repository,
          tag,
        }),
      putBlobFrom: (ctx, blob, from, transfer = {}) =>
        putBlob(ctx, repository, { blob, from, transfer, ...options }),
    },
  };
}

interface Put extends MirrorTargetOptions {
  readonly blob: Descriptor;
  readonly from: BulkSource;
  readonly transfer: TransferOptions;
}

/**
 * A delta counts on content that may be in another repository of the mirror: before saying that
 * it is not there, such a blob is mounted from where it was seen.
 */
async function putBlob(
  ctx: Context,
  repository: Repository,
  { blob, from, transfer, notes, base }: Put,
): Promise<Transfer> {
  if (base?.has(blob.digest)) {
    if (await repository.has(ctx, blob)) return 'reused';
    const near = transfer.mountFrom ?? base.get(blob.digest);
    if (near !== undefined && (await repository.mount(ctx, blob, near))) return 'mounted';
  }
  const memory = notes?.memoryOf(repository, blob);
  return await repository.putBlobFrom(ctx, blob, from, { ...transfer, memory });
}
