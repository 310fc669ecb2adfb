import type { DiskSpace } from '../storage/disk-space.ts';
import { type UpkeepStates, upkeepValues } from '../upkeep/state.ts';
import type { Page } from './listener-options.ts';
import { formatMetrics, type Snapshot } from './metrics.ts';

export interface PagesOptions {
  readonly space: DiskSpace;
  readonly readOnly: boolean;
  readonly snapshot: () => Snapshot;
  readonly expiries: () => readonly Date[];
  readonly upkeep: () => Promise<UpkeepStates>;
}

/** `/healthz` and `/metrics`: for machines that watch over this one. They hold no secrets. */
export interface Pages {
  page(path: string): Promise<Page | undefined>;
  /** From now on the health page tells load balancers to go elsewhere. */
  drain(): void;
}

export function createPages(options: PagesOptions): Pages {
  const { space, readOnly, snapshot, expiries } = options;
  let draining = false;

  async function health(): Promise<Page> {
    const freeBytes = await space.freeBytes();
    const status = draining ? 'draining' : 'ok';
    const body = JSON.stringify({ status, readOnly, freeBytes });
    return { status: draining ? 503 : 200, type: 'application/json', body };
  }

  async function metrics(): Promise<Page> {
    const free = await space.freeBytes();
    const expiry = Math.min(...expiries().map((date) => date.getTime() / 1000));
    const body = formatMetrics({
      ...snapshot(),
      ...upkeepValues(await options.upkeep()),
      ...(free === undefined ? {} : { disk_free_bytes: free }),
      ...(Number.isFinite(expiry) ? { certificate_expiry_seconds: expiry } : {}),
    });
    return { status: 200, type: 'text/plain; version=0.0.4; charset=utf-8', body };
  }

  return {
    drain: () => {
      draining = true;
    },
    async page(path) {
      if (path === '/healthz') return await health();
      return path === '/metrics' ? await metrics() : undefined;
    },
  };
}
