import type { Context } from '../../core/context.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Registries, Repository } from '../../remote/registries.ts';
import { BundleReader } from '../bundle/bundle-reader.ts';
import { type Destination, repositoryAt } from '../destination.ts';
import { imageOf, imageRecordSchema } from './image-record.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { placeImages } from './placed-image.ts';
import type { WorkingDir } from './working-dir.ts';

export interface LoadOptions {
  readonly folder: string;
  readonly destination: Destination;
  readonly registries: Registries;
  readonly workingDir: WorkingDir;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
}

/** Bundle to mirror. Nothing but the bundle and the mirror is asked. */
export async function loadBundle(ctx: Context, options: LoadOptions): Promise<MirrorResult> {
  const reader = await BundleReader.open(options.folder);
  try {
    const { index } = reader;
    const images = index.images.map((image) => imageOf(imageRecordSchema.parse(image)));
    const signatures = index.signatures.map(({ digest, version, tag, base64 }) => ({
      digest,
      bytes: Buffer.from(base64, 'base64'),
      release: { version, tag },
    }));
    return await mirrorImages(ctx, placeImages(images, options.destination), {
      ...options,
      registries: mountingRegistries(
        options,
        new Map(index.base.map((each) => [each.digest, each.repository])),
      ),
      sourceOf: () => reader.source(),
      signatures,
      failures: [],
      title: 'Loading images',
    });
  } finally {
    await reader.close();
  }
}

/**
 * A delta counts on content that may be in another repository of the mirror: before saying that
 * it is not there, such a blob is mounted from where the inventory saw it.
 */
function mountingRegistries(
  { registries, destination }: Pick<LoadOptions, 'registries' | 'destination'>,
  base: ReadonlyMap<string, string | undefined>,
): Registries {
  if (base.size === 0) return registries;
  const mounting = (repository: Repository): Repository =>
    new Proxy(repository, {
      get(target, name) {
        if (name === 'has')
          return (ctx: Context, blob: Descriptor) => hasOrMount(ctx, target, blob);
        const value = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  async function hasOrMount(ctx: Context, target: Repository, blob: Descriptor): Promise<boolean> {
    if (await target.has(ctx, blob)) return true;
    const from = base.get(blob.digest);
    return from !== undefined && target.mount(ctx, blob, repositoryAt(destination, from));
  }
  return {
    repository: (registry, name) => mounting(registries.repository(registry, name)),
    source: (reference) => registries.source(reference),
    limiter: (registry) => registries.limiter(registry),
    close: () => registries.close(),
  };
}
