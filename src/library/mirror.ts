// `atoll/mirror`: copy images and whole image sets with their digests unchanged.
export { readImageSet } from '../content/image-set/parse-image-set.ts';
export { type Context, silentContext } from '../core/context.ts';
export { AtollError } from '../core/errors.ts';
export type { AtollEvent } from '../core/events.ts';
export { createWeb } from '../http/web.ts';
export { type CopiedImage, type CopyImageOptions, copyImage } from '../mirror/copy-image.ts';
export { parseDestination } from '../mirror/destination.ts';
export { planSync, type SyncOptions, syncMirror } from '../mirror/flow/sync.ts';
export { WorkingDir } from '../mirror/flow/working-dir.ts';
export { parseImageLocation } from '../mirror/image-location.ts';
export { createRegistries } from '../remote/create-registries.ts';
export type { Registries, RegistryOptions } from '../remote/registries.ts';
