import type { PublicKey } from 'openpgp';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Registries } from '../../remote/registries.ts';
import { findOcArchives } from '../bundle/oc-archive/oc-archive.ts';
import { type Destination, repositoryAt } from '../destination.ts';
import { type BundleContents, openBundle } from './bundle-contents.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import type { BaseRepositories } from './mirror-target.ts';
import { openOcArchive } from './oc-archive/open-oc-archive.ts';
import type { MirrorReport } from './report.ts';
import type { WorkingDir } from './working-dir.ts';

export interface LoadOptions {
  readonly folder: string;
  readonly destination: Destination;
  readonly registries: Registries;
  readonly workingDir: WorkingDir;
  /** With keys the bundle has to be signed by one of them. */
  readonly keys?: readonly PublicKey[] | undefined;
  readonly copySignatures?: boolean | undefined;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
}

/** Bundle to mirror. Nothing but the bundle and the mirror is asked. */
export function loadBundle(ctx: Context, options: LoadOptions): Promise<MirrorResult> {
  const { folder, destination } = options;
  return withBundle(ctx, options, async (bundle) => {
    const result = await mirrorImages(ctx, bundle.placed(destination), {
      ...options,
      flow: 'load',
      folder,
      base: baseAt(destination, bundle.base),
      sourceOf: (image) => bundle.sourceOf(image),
      signatures: bundle.signatures,
      failures: [],
      title: 'Loading images',
    });
    await tellDamaged(ctx, bundle, result.report);
    return result;
  });
}

/** Whoever has to fetch a chunk from the other side should fetch all that are damaged, in one go. */
export async function tellDamaged(
  ctx: Context,
  bundle: Pick<BundleContents, 'damaged'>,
  { images }: Pick<MirrorReport, 'images'>,
): Promise<void> {
  if (!images.some(({ error }) => error?.code === 'BUNDLE_DAMAGED')) return;
  const damaged = await bundle.damaged(ctx);
  if (damaged.length === 0) return;
  const shown = damaged.map(({ file, found }) => `${file} (${found})`).join(', ');
  ctx.emit({
    type: 'warning.raised',
    message: `Damaged in the bundle: ${shown}`,
    hint: 'Copy these again from the side that saved them; every other chunk is whole',
  });
}

/** What a load would put into the mirror. */
export function planLoad(ctx: Context, options: LoadOptions): Promise<DryRun> {
  const { destination, registries, workingDir } = options;
  return withBundle(ctx, options, (bundle) =>
    dryRun(ctx, bundle.placed(destination), {
      workingDir,
      failures: [],
      sourceOf: (image) => bundle.sourceOf(image),
      isThere: ({ target }, root) =>
        registries.repository(target.registry, target.repository).has(ctx, root),
      have: bundle.base,
    }),
  );
}

/** Opens the bundle for as long as `work` takes. */
export async function withBundle<T>(
  ctx: Context,
  { folder, keys }: Pick<LoadOptions, 'folder' | 'keys'>,
  work: (bundle: BundleContents) => Promise<T>,
): Promise<T> {
  const bundle = await openAny(ctx, folder, keys);
  try {
    return await work(bundle);
  } finally {
    await bundle.close();
  }
}

/** A bundle of atoll, or archives of oc-mirror v2. */
async function openAny(
  ctx: Context,
  folder: string,
  keys: readonly PublicKey[] = [],
): Promise<BundleContents> {
  const archives = await findOcArchives(folder);
  if (archives.length === 0) return await openBundle(ctx, folder, keys);
  if (keys.length === 0) return await openOcArchive(ctx, archives);
  throw new AtollError('SIGNATURE_INVALID', `Cannot trust the archives in "${folder}"`, {
    hint: 'oc-mirror does not sign: load them without --verify-key, or save with atoll and --sign-key',
  });
}

/** The base of a delta, in the names of this mirror. */
export function baseAt(destination: Destination, base: BaseRepositories): BaseRepositories {
  return new Map(
    [...base].map(([digest, repository]) => [
      digest,
      repository === undefined ? undefined : repositoryAt(destination, repository),
    ]),
  );
}
