import type { Context } from '../../core/context.ts';
import type { PreparedTarget } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { isPrepared } from './capabilities.ts';
import { blobsOf, type ImagePlan } from './plan.ts';

/** Tells targets that want to know what is coming, before anything comes. */
export async function prepareTargets(ctx: Context, plans: readonly ImagePlan[]): Promise<void> {
  const coming = new Map<PreparedTarget, Descriptor[]>();
  for (const plan of plans) {
    const { target } = plan.place;
    if (!isPrepared(target)) continue;
    const blobs = coming.get(target) ?? [];
    for (const { descriptor } of blobsOf(plan)) blobs.push(descriptor);
    coming.set(target, blobs);
  }
  for (const [target, blobs] of coming) await target.prepare(ctx, blobs);
}
