import { type Payload, readPayload } from '../../content/release/payload/payload.ts';
import type { Context } from '../../core/context.ts';
import type { Reference } from '../../oci/reference.ts';
import type { FoundImage } from '../node/find-image.ts';
import { type WantedImage, wantedImage } from './wanted-image.ts';

/** The release image under the name the installer bakes in, and every component of its payload. */
export async function releaseImages(
  ctx: Context,
  reference: Reference,
  found: FoundImage,
): Promise<WantedImage[]> {
  const payload = await readPayload(ctx, found.repository, found.descriptor);
  const { version } = payload;
  const { registry, repository } = reference;
  const release = wantedImage(
    'release',
    // Whatever was asked for, machines name their release by digest.
    { registry, repository, digest: found.descriptor.digest },
    `release ${version}`,
    { release: version },
  );
  return [release, ...componentImages(payload)];
}

function componentImages({ version, components }: Payload): WantedImage[] {
  return components.map(({ name, image }) =>
    wantedImage('component', image, `component ${name} of release ${version}`, {
      component: name,
      release: version,
    }),
  );
}
