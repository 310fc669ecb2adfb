import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Pacer } from '../../core/pacer.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { createRegistries } from '../../remote/create-registries.ts';
import type { Registries, RegistryOptions, Repository } from '../../remote/registries.ts';
import type { ImageCheck } from '../check/image-checker.ts';
import type { PlannedPulls } from './shares.ts';

/** As many layers of an image as the container runtime pulls at once. */
export const LAYERS_AT_ONCE = 6;

/** What all nodes write down together. */
export interface StormLog {
  readonly firstByteMs: number[];
  readonly imageMs: number[];
  readonly errors: { readonly node: string; readonly image: string; readonly message: string }[];
  bytes: number;
  requests: number;
  images: number;
}

/** Plays one node: its own connections and logins, images one after the other, layers side by side. */
export async function playNode(
  ctx: Context,
  options: RegistryOptions,
  pulls: PlannedPulls,
  pacer: Pacer,
  log: StormLog,
): Promise<void> {
  const registries = createRegistries(options);
  const held = new Set<Digest>();
  try {
    for (const check of pulls.images) {
      const started = performance.now();
      try {
        await pullImage(ctx, registries, check, held, { pacer, log });
        log.imageMs.push(performance.now() - started);
        log.images += 1;
      } catch (error) {
        ctx.signal.throwIfAborted();
        log.errors.push({ node: pulls.name, image: check.image.name, message: messageOf(error) });
      }
    }
  } finally {
    await registries.close();
  }
}

interface Play {
  readonly pacer: Pacer;
  readonly log: StormLog;
}

async function pullImage(
  ctx: Context,
  registries: Registries,
  { found, blobs }: ImageCheck,
  held: Set<Digest>,
  play: Play,
): Promise<void> {
  if (!found) return;
  const place = registries.at(found.endpoint);
  play.log.requests += 1;
  await place.manifest(ctx, found.descriptor);
  // What is on the node's disk is not pulled again.
  const missing = blobs.filter(({ digest }) => !held.has(digest));
  for (const { digest } of missing) held.add(digest);
  await mapBounded(ctx, LAYERS_AT_ONCE, missing, (blob) => pullBlob(ctx, place, blob, play));
}

async function pullBlob(
  ctx: Context,
  place: Repository,
  blob: Descriptor,
  { pacer, log }: Play,
): Promise<void> {
  const started = performance.now();
  log.requests += 1;
  const download = await place.openBlob(ctx, blob);
  log.firstByteMs.push(performance.now() - started);
  try {
    // Not hashed: each real node does that itself, and here it would measure this machine.
    await download.pump(ctx, (chunk) => {
      log.bytes += chunk.length;
      return pacer.take(ctx, chunk.length);
    });
  } finally {
    download.cancel();
  }
}
