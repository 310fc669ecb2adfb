import type { Context } from '../../core/context.ts';
import { askAhead } from './ask-ahead.ts';
import { type Collecting, collectPlaced } from './collect-content.ts';
import type { DryRun } from './dry-run.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { type MirrorRunOptions, presentIn } from './run.ts';

export interface SyncOptions extends MirrorRunOptions, Collecting {}

/** Upstream to mirror in one go: collect, place, copy, and write what the cluster needs. */
export async function syncMirror(ctx: Context, options: SyncOptions): Promise<MirrorResult> {
  const asked = askAhead(ctx, options);
  const content = await collectPlaced(ctx, options);
  const run = { ...options, asked, flow: 'sync', title: 'Mirroring images' } as const;
  return mirrorImages(ctx, content, run);
}

/** What a sync would do: names, bytes, what is missing. Nothing is copied. */
export async function planSync(ctx: Context, options: SyncOptions): Promise<DryRun> {
  const { registries, workingDir } = options;
  const content = await collectPlaced(ctx, options);
  const { dryRun } = await import('./dry-run.ts');
  return dryRun(ctx, content, { workingDir, isThere: presentIn(ctx, registries) });
}
