import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { FileBacked, Store } from '../../store/store.ts';
import { createPullThrough } from '../cache/pull-through.ts';
import { blobFiles } from '../storage/blob-files.ts';
import { createContentCache } from '../storage/content-cache.ts';
import { diskSpace } from '../storage/disk-space.ts';
import { CACHE_SPACE, openLinks, STORE_SPACE } from '../storage/links.ts';
import { createQuotas } from '../storage/quotas.ts';
import { cachedRecords } from '../storage/record-cache.ts';
import { protectTags } from '../storage/tag-protection.ts';
import type { Service } from './exchange.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { ListenerConfig, RegistryConfig } from './registry-config.ts';

const isFileBacked = (store: Store): store is Store & FileBacked => 'blobPath' in store;

/** What all listeners of one registry work with. */
export async function createService(
  ctx: Context,
  config: RegistryConfig,
  metrics: Metrics,
): Promise<Service> {
  const { store } = config;
  const limits = { ...DEFAULT_LIMITS, ...config.limits };
  const onDamaged = (digest: string) => {
    metrics.count('damaged_blobs');
    const message = `The blob ${digest} is damaged on disk and is served no more`;
    const hint = 'Push it again, or run "atoll registry check --repair-from REGISTRY"';
    ctx.emit({ type: 'warning.raised', message, hint, subject: digest });
  };
  const files = isFileBacked(store) ? store : undefined;
  const links = openLinks(cachedRecords(store.records), STORE_SPACE);
  return {
    ctx,
    store,
    links,
    content: createContentCache(limits.cacheBytes),
    files: files && blobFiles(ctx, files, onDamaged),
    space: diskSpace({
      root: files?.root,
      minFreeBytes: limits.minFreeBytes,
      measure: config.measureFreeBytes,
    }),
    limits,
    metrics,
    readOnly: config.readOnly || !(await takesWrites(ctx, files)),
    isProtected: protectTags(config.protectedTags ?? []),
    quotas: createQuotas(ctx, store, links, config.quotas ?? []),
    redirect: config.redirect ?? false,
    upstream: undefined,
  };
}

/** The store's own, or that of a pull-through cache. */
export function serviceFor(
  service: Service,
  config: RegistryConfig,
  listener: ListenerConfig,
): Service {
  const { upstream } = listener;
  if (upstream === undefined) return service;
  if (!config.connect) throw new Error('A pull-through cache needs a way to its upstream');
  return {
    ...service,
    links: openLinks(cachedRecords(service.store.records), `${CACHE_SPACE}/${upstream}`),
    upstream: createPullThrough(upstream, config.connect),
  };
}

/** Asked of the kernel at the start: who pushes shall not be the one to find out. */
async function takesWrites(ctx: Context, files: FileBacked | undefined): Promise<boolean> {
  if (!files) return true;
  try {
    await access(files.root, constants.W_OK);
    return true;
  } catch (error) {
    const message = `The store takes no writes, so pushes are refused: ${messageOf(error)}`;
    const hint = 'Give the folder to the user that serves it, or mount its disk for writing';
    ctx.emit({ type: 'warning.raised', message, hint, subject: files.root });
    return false;
  }
}
