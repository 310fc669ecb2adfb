// `atoll/registry`: an OCI registry over a folder or a bucket, in your own process.
export { type Context, silentContext } from '../core/context.ts';
export { AtollError } from '../core/errors.ts';
export type { AtollEvent } from '../core/events.ts';
export type { RegistryConfig, RunningRegistry } from '../registry/serving/registry-config.ts';
export { startRegistry } from '../registry/serving/start.ts';
export { openDiskStore } from '../store/disk/disk-store.ts';
export type { Store } from '../store/store.ts';
