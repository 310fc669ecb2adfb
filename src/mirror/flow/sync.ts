import type { Context } from '../../core/context.ts';
import { askAhead, type EarlyAnswers } from './ask-ahead.ts';
import { type Collecting, collectPlaced } from './collect-content.ts';
import type { DryRun } from './dry-run.ts';
import type { MirrorResult } from './mirror-images.ts';
import { type MirrorRunOptions, presentIn } from './run.ts';

export interface SyncOptions extends MirrorRunOptions, Collecting {
  /** What the mirror was asked before the image set was known. */
  readonly asked?: EarlyAnswers | undefined;
}

/** Upstream to mirror in one go: collect, place, copy, and write what the cluster needs. */
export async function syncMirror(ctx: Context, options: SyncOptions): Promise<MirrorResult> {
  const asked = askAhead(ctx, options);
  const [content, { mirrorImages }] = await Promise.all([
    collectPlaced(ctx, options),
    copying(options, asked),
  ]);
  const run = { ...options, asked, flow: 'sync', title: 'Mirroring images' } as const;
  return mirrorImages(ctx, content, run);
}

/** What copying needs: made ready while the registries are busy with the first questions, not before. */
async function copying(
  { workingDir }: Pick<SyncOptions, 'workingDir'>,
  asked: EarlyAnswers | undefined,
) {
  await asked?.begun;
  // Fills the cache before the lock is taken; under the lock, an unchanged file is not parsed again.
  await workingDir.mirrored().catch(() => undefined);
  return await import('./mirror-images.ts');
}

/** What a sync would do: names, bytes, what is missing. Nothing is copied. */
export async function planSync(ctx: Context, options: SyncOptions): Promise<DryRun> {
  const { registries, workingDir } = options;
  const content = await collectPlaced(ctx, options);
  const { dryRun } = await import('./dry-run.ts');
  const isThere = presentIn(ctx, registries);
  return dryRun(ctx, content, { workingDir, isThere, resources: options });
}
