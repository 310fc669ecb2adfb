import type { Context } from '../../core/context.ts';
import type { Pacer } from '../../core/pacer.ts';
import type { Store } from '../../store/store.ts';
import { type CheckReport, checkStore } from '../../store/upkeep/check.ts';
import { allRoots } from '../../store/upkeep/roots.ts';
import type { ConnectUpstream } from '../cache/pull-through.ts';
import { repairContent } from './repair.ts';
import { allSpaces, layoutRootsOf, spaceRoots } from './spaces.ts';

export interface RegistryCheckReport extends CheckReport {
  /** Digests that were fetched again. */
  readonly repaired: readonly string[];
}

export interface RegistryCheckOptions {
  /** Another registry with the same repositories, and how to reach it. */
  readonly repairFrom?:
    | { readonly registry: string; readonly connect: ConnectUpstream }
    | undefined;
  /** Keeps the reading below a rate. */
  readonly pacer?: Pacer | undefined;
}

/** A repaired index may show that more is missing below it; honest images have two levels. */
const MAX_ROUNDS = 4;

/** Reads all content again, names what is damaged or missing and which images need it. */
export async function checkRegistry(
  ctx: Context,
  store: Store,
  options: RegistryCheckOptions = {},
): Promise<RegistryCheckReport> {
  const repaired: string[] = [];
  let report = await checkOnce(ctx, store, options.pacer);
  for (let round = 0; options.repairFrom && round < MAX_ROUNDS; round += 1) {
    const { registry, connect } = options.repairFrom;
    const fixed = await repairContent(ctx, store, report.problems, (repository) =>
      connect(registry, repository),
    );
    if (fixed.length === 0) break;
    repaired.push(...fixed);
    report = await checkOnce(ctx, store, options.pacer);
  }
  return { ...report, repaired };
}

async function checkOnce(
  ctx: Context,
  store: Store,
  pacer: Pacer | undefined,
): Promise<CheckReport> {
  const spaces = await allSpaces(ctx, store);
  // What a cache has not fetched yet is not missing.
  const own = spaces.filter(({ upstream }) => upstream === undefined);
  return await checkStore(ctx, store, {
    roots: allRoots(layoutRootsOf(ctx, store), ...own.map((space) => spaceRoots(ctx, space))),
    allowSparse: true,
    pacer,
  });
}
