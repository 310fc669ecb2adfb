import type { Context } from '../../core/context.ts';
import { byFirst } from '../../core/order.ts';
import type { ImageManifest } from '../../oci/manifest.ts';
import { formatReference } from '../../oci/reference.ts';
import { isOsComponent } from '../../openshift/components.ts';
import { ANY_PLATFORM, chooseImage } from '../layers/choose-image.ts';
import { readConfig } from '../layers/image-config.ts';
import { type ComponentReach, locateComponent } from './locate-component.ts';
import type { OpenRelease } from './open-release.ts';

/** One RHEL that nodes of a release can run, with the two images the cluster looks for. */
export interface OsStream {
  readonly name: string;
  readonly osImage: string;
  readonly osExtensionsImage: string;
}

const STREAM = 'io.openshift.os.streamclass';
const EXTENSIONS = 'io.openshift.os.extensions';

/** The streams of a release as its cluster finds them: by the labels of its system images, in pairs. */
export async function osStreams(
  ctx: Context,
  release: OpenRelease,
  reach: ComponentReach,
): Promise<OsStream[]> {
  const streams = new Map<string, Partial<Record<'osImage' | 'osExtensionsImage', string>>>();
  for (const component of release.payload.components.filter(isOsComponent)) {
    const { source, descriptor } = await locateComponent(ctx, release, component, reach);
    const image = await chooseImage(ctx, source, descriptor, ANY_PLATFORM);
    const { config } = await readConfig(ctx, source, image.content as ImageManifest);
    const stream = config?.Labels?.[STREAM];
    if (!stream) continue;
    const key = config?.Labels?.[EXTENSIONS] === 'true' ? 'osExtensionsImage' : 'osImage';
    streams.set(stream, { ...streams.get(stream), [key]: formatReference(component.image) });
  }
  return [...streams]
    .toSorted(byFirst)
    .flatMap(([name, { osImage, osExtensionsImage }]) =>
      osImage && osExtensionsImage ? [{ name, osImage, osExtensionsImage }] : [],
    );
}
