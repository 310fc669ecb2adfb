import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { KINDS } from '../api/kinds.ts';
import { type KubeObject, keyOf } from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { type Look, waitFor } from '../api/wait.ts';
import type { PoolWait } from '../pools.ts';

const ROLE = 'machineconfiguration.openshift.io/role';

const setSchema = z.object({
  metadata: z.object({
    name: z.string(),
    generation: z.number().default(1),
    labels: z.record(z.string(), z.string()).default({}),
  }),
});

const nodeSchema = z.object({
  metadata: z.object({ name: z.string() }),
  spec: z.object({ pool: z.object({ name: z.string() }) }),
  status: z
    .object({
      pinnedImageSets: z
        .array(
          z.object({
            name: z.string(),
            currentGeneration: z.number().default(0),
            lastFailedGeneration: z.number().default(0),
            lastFailedGenerationError: z.string().default(''),
          }),
        )
        .default([]),
    })
    .default({ pinnedImageSets: [] }),
});

/**
 * Waits until every node of a pool has pulled and keeps what its PinnedImageSets name. Each node says which
 * generation of a set it has: what it says of an older one does not count.
 */
export async function waitForPinned(
  ctx: Context,
  resources: Resources,
  objects: readonly KubeObject[],
  options: PoolWait,
): Promise<void> {
  const sets = objects.filter(({ kind }) => kind === KINDS.pinnedImageSet.kind);
  if (sets.length === 0) return;
  await waitFor(ctx, {
    task: 'pinned-images',
    title: 'the pinned images',
    timeoutMs: options.timeoutMs,
    everyMs: options.everyMs,
    hint: 'See which node is behind: oc get machineconfignodes; oc describe pinnedimageset',
    look: () => lookAtSets(ctx, resources, sets),
  });
}

async function lookAtSets(
  ctx: Context,
  resources: Resources,
  sets: readonly KubeObject[],
): Promise<Look<undefined>> {
  const live = await Promise.all(sets.map((set) => resources.get(ctx, keyOf(set))));
  const { objects: nodes } = await resources.list(ctx, KINDS.machineConfigNode);
  const gone = sets.filter((_, index) => live[index] === undefined);
  const reasons = [
    ...gone.map(({ metadata }) => `${metadata.name}: it is not there`),
    ...pinnedTrouble(
      live.flatMap((one) => one ?? []),
      nodes,
    ),
  ];
  if (reasons.length === 0) return { done: true, value: undefined };
  return { done: false, reason: reasons.join('; ') };
}

/** Which nodes do not have what sets of their pool name, and why. */
export function pinnedTrouble(
  sets: readonly KubeObject[],
  poolNodes: readonly KubeObject[],
): string[] {
  const nodes = poolNodes.map((node) => nodeSchema.parse(node));
  return sets.flatMap((set) => {
    const { metadata } = setSchema.parse(set);
    const own = nodes.filter(({ spec }) => spec.pool.name === metadata.labels[ROLE]);
    return own.flatMap((node) => behind(node, metadata.name, metadata.generation));
  });
}

/** Why a node does not have a set yet. It tries again by itself, so a failure is not the end. */
function behind(
  { metadata, status }: z.output<typeof nodeSchema>,
  name: string,
  generation: number,
): string[] {
  const set = status.pinnedImageSets.find((each) => each.name === name);
  if (set && set.currentGeneration >= generation) return [];
  const failed = set && set.lastFailedGeneration >= generation;
  const why = failed ? set.lastFailedGenerationError || 'it failed' : 'it is still pulling';
  return [`${metadata.name}: ${name}: ${why}`];
}
