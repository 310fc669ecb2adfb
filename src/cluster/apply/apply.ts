import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { releaseSignatures } from '../../generate/cluster/release-signatures.ts';
import { parseDigest } from '../../oci/digest.ts';
import { KINDS } from '../api/kinds.ts';
import { type KubeObject, keyOf, type ObjectKey, objectSchema, titleOf } from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { type PoolWait, waitForPools, wantedMirrors } from '../pools.ts';
import { type Applied, type ApplyOptions, applyObject } from './apply-object.ts';
import { APPLY_STEPS, inOrder, stepOf } from './order.ts';
import { unwanted } from './prune.ts';
import { type CatalogWait, catalogKeys, waitForCatalogs } from './wait-catalogs.ts';
import { waitForPinned } from './wait-pinned.ts';

export interface ApplyRun extends ApplyOptions {
  /** Undefined: nobody waits. */
  readonly wait?: { readonly pools: PoolWait; readonly catalogs: CatalogWait } | undefined;
  /** Whether these may be removed; undefined: nothing is removed. */
  readonly prune?: ((unwanted: readonly ObjectKey[]) => Promise<boolean>) | undefined;
}

export interface AppliedObject {
  readonly object: string;
  readonly result: Applied;
}

export interface ApplyResult {
  readonly server: string;
  readonly dryRun: boolean;
  readonly objects: readonly AppliedObject[];
  /** Removed, or with a dry run what would be. */
  readonly removed: readonly string[];
}

/** Only with operators or releases that not every cluster has. */
const OPTIONAL: ReadonlySet<string> = new Set([
  KINDS.clusterCatalog.kind,
  KINDS.updateService.kind,
  KINDS.samples.kind,
  KINDS.catalogSource.kind,
  KINDS.pinnedImageSet.kind,
  KINDS.clusterImagePolicy.kind,
  KINDS.imagePolicy.kind,
]);

/** Brings objects to a cluster, each before those that need it, and waits until nodes and catalogs follow. */
export async function applyAll(
  ctx: Context,
  resources: Resources,
  objects: readonly KubeObject[],
  run: ApplyRun = {},
): Promise<ApplyResult> {
  const applied: AppliedObject[] = [];
  const ordered = inOrder(objects);
  for (const step of APPLY_STEPS) {
    const part = ordered.filter((object) => stepOf(object) === step);
    for (const object of part) applied.push(await applyOne(ctx, resources, object, run));
    if (run.wait && !run.dryRun && step === 'mirrors')
      await waitForPools(ctx, resources, wantedMirrors(objects), run.wait.pools);
  }
  const removed = await pruneAfter(ctx, resources, objects, run);
  if (run.wait && !run.dryRun) await settle(ctx, resources, objects, applied, run.wait);
  const server = resources.client.access.server.href;
  return { server, dryRun: run.dryRun ?? false, objects: applied, removed };
}

async function settle(
  ctx: Context,
  resources: Resources,
  objects: readonly KubeObject[],
  applied: readonly AppliedObject[],
  wait: NonNullable<ApplyRun['wait']>,
): Promise<void> {
  const skipped = new Set(
    applied.filter(({ result }) => result === 'skipped').map(({ object }) => object),
  );
  const there = objects.filter((object) => !skipped.has(titleOf(keyOf(object))));
  await waitForCatalogs(ctx, resources, catalogKeys(there.filter(isServing)), wait.catalogs);
  await waitForPinned(ctx, resources, there, wait.pools);
}

async function applyOne(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
  run: ApplyRun,
): Promise<AppliedObject> {
  const title = titleOf(keyOf(object));
  const absent = await whyNot(ctx, resources, object);
  if (absent !== undefined) {
    ctx.emit({
      type: 'warning.raised',
      subject: title,
      message: `${title} is left out: ${absent}`,
    });
    return { object: title, result: 'skipped' };
  }
  const result = await applyObject(ctx, resources, await withEarlier(ctx, resources, object), run);
  ctx.emit({ type: 'note.added', message: `${title}: ${result}${run.dryRun ? ' (dry run)' : ''}` });
  return { object: title, result };
}

async function whyNot(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
): Promise<string | undefined> {
  if (OPTIONAL.has(object.kind) && !(await resources.knows(ctx, object)))
    return `this cluster does not know ${object.kind} of ${object.apiVersion}`;
  if (isSwitch(object) && !(await resources.get(ctx, keyOf(object))))
    return 'there is no such catalog to switch off';
  return undefined;
}

const specSchema = z.object({
  spec: z.object({ source: z.unknown().optional(), availabilityMode: z.string().optional() }),
});

/** A ClusterCatalog that only says whether one that is there shall serve. */
function isSwitch(object: KubeObject): boolean {
  const spec = specSchema.safeParse(object).data?.spec;
  return object.kind === 'ClusterCatalog' && spec !== undefined && spec.source === undefined;
}

const isServing = (object: KubeObject): boolean =>
  specSchema.safeParse(object).data?.spec.availabilityMode !== 'Unavailable';

const signaturesSchema = z.object({ binaryData: z.record(z.string(), z.string()).default({}) });

/** Signatures of releases that are not mirrored any more stay: the cluster may run one of them. */
async function withEarlier(
  ctx: Context,
  resources: Resources,
  object: KubeObject,
): Promise<KubeObject> {
  const { name, namespace } = object.metadata;
  const ours = releaseSignatures([]).metadata;
  if (object.kind !== 'ConfigMap' || name !== ours.name || namespace !== ours.namespace)
    return object;
  const live = await resources.get(ctx, keyOf(object));
  if (!live) return object;
  const both = { ...signaturesSchema.parse(live).binaryData };
  // Numbers are given anew, so that one key never stands for two signatures.
  const merged = releaseSignatures(signaturesIn(object), { binaryData: both });
  return objectSchema.parse(merged);
}

function signaturesIn(object: KubeObject) {
  return Object.entries(signaturesSchema.parse(object).binaryData).map(([key, base64]) => {
    const [, hex = ''] = /^sha256-([0-9a-f]{64})-\d+$/.exec(key) ?? [];
    return { digest: parseDigest(`sha256:${hex}`), bytes: Buffer.from(base64, 'base64') };
  });
}

async function pruneAfter(
  ctx: Context,
  resources: Resources,
  objects: readonly KubeObject[],
  { prune, dryRun }: ApplyRun,
): Promise<readonly string[]> {
  if (!prune) return [];
  const found = await unwanted(ctx, resources, objects);
  if (found.length === 0) return [];
  if (dryRun) return found.map(titleOf);
  if (!(await prune(found))) return [];
  for (const key of found) await resources.remove(ctx, key);
  return found.map(titleOf);
}
