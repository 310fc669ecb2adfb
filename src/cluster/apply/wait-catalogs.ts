import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import {
  conditionOf,
  conditionText,
  type KubeObject,
  keyOf,
  type ObjectKey,
  titleOf,
} from '../api/object.ts';
import type { Resources } from '../api/resources.ts';
import { type Look, waitFor } from '../api/wait.ts';

const sourceSchema = z.object({
  status: z.object({
    connectionState: z.object({ lastObservedState: z.string() }).optional(),
    message: z.string().optional(),
  }),
});

/** Why a catalog does not serve yet; undefined when it does. */
export function catalogTrouble(catalog: KubeObject): string | undefined {
  if (catalog.kind === 'ClusterCatalog') {
    const serving = conditionOf(catalog, 'Serving');
    if (serving?.status === 'True') return undefined;
    const progressing = conditionOf(catalog, 'Progressing');
    return conditionText(
      progressing ?? serving ?? { type: 'Serving', status: 'Unknown', reason: '', message: '' },
    );
  }
  const status = sourceSchema.safeParse(catalog).data?.status;
  const state = status?.connectionState?.lastObservedState ?? '';
  if (state === 'READY') return undefined;
  return `connection ${state || 'not tried yet'}${status?.message ? `: ${status.message}` : ''}`;
}

export interface CatalogWait {
  readonly timeoutMs: number;
  readonly everyMs?: number | undefined;
}

/** Waits until every catalog answers. */
export async function waitForCatalogs(
  ctx: Context,
  resources: Resources,
  catalogs: readonly ObjectKey[],
  options: CatalogWait,
): Promise<void> {
  if (catalogs.length === 0) return;
  await waitFor(ctx, {
    ...options,
    task: 'catalogs',
    title: 'the catalogs',
    hint: 'See its pod: oc -n openshift-marketplace get pods; then "atoll diagnose" on a must-gather',
    look: async (): Promise<Look<undefined>> => {
      const troubles = await Promise.all(catalogs.map((key) => troubleOf(ctx, resources, key)));
      const reason = troubles.filter((one) => one !== undefined).join('; ');
      return reason === '' ? { done: true, value: undefined } : { done: false, reason };
    },
  });
}

async function troubleOf(
  ctx: Context,
  resources: Resources,
  key: ObjectKey,
): Promise<string | undefined> {
  const catalog = await resources.get(ctx, key);
  const trouble = catalog ? catalogTrouble(catalog) : 'it is not there';
  return trouble && `${titleOf(key)}: ${trouble}`;
}

const isCatalog = (object: KubeObject): boolean =>
  object.kind === 'CatalogSource' || object.kind === 'ClusterCatalog';

export const catalogKeys = (objects: readonly KubeObject[]): ObjectKey[] =>
  objects.filter(isCatalog).map(keyOf);
