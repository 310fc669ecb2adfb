import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, silentContext } from '../../src/core/context.ts';
import type { AccessEntry } from '../../src/registry/access/access-log.ts';
import type {
  RegistryConfig,
  RunningRegistry,
} from '../../src/registry/serving/registry-config.ts';
import { startRegistry } from '../../src/registry/serving/start.ts';
import { type DiskStore, openDiskStore } from '../../src/store/disk/disk-store.ts';

export interface EmbeddedRegistry {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  readonly url: string;
  /** Folder of the store. */
  readonly root: string;
  readonly store: DiskStore;
  /** Every request so far, oldest first. */
  readonly access: AccessEntry[];
  readonly running: RunningRegistry;
  readonly stop: () => Promise<void>;
}

export interface EmbeddedRegistryOptions
  extends Partial<Omit<RegistryConfig, 'store' | 'onAccess'>> {
  readonly ctx?: Context;
  /** A store to serve; it stays when the registry stops. A fresh one goes away. */
  readonly root?: string;
}

/** Our own registry, in this process, on a free loopback port; call `stop` when done. */
export async function startEmbeddedRegistry(
  options: EmbeddedRegistryOptions = {},
): Promise<EmbeddedRegistry> {
  const { ctx = silentContext(), root: given, ...config } = options;
  const root = given ?? (await mkdtemp(join(tmpdir(), 'atoll-registry-')));
  const store = await openDiskStore(root);
  const access: AccessEntry[] = [];
  const running = await startRegistry(ctx, {
    listeners: [{ port: 0 }],
    ...config,
    limits: { minFreeBytes: 0, ...config.limits },
    store,
    onAccess: (entry) => access.push(entry),
  });
  const stop = async () => {
    await running.close(0);
    if (given === undefined) await rm(root, { recursive: true, force: true });
  };
  return { host: running.host, url: running.url, root, store, access, running, stop };
}
