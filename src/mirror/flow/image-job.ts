import type { Source, Target } from '../../oci/content.ts';
import { formatReference, tagOrDigestOf } from '../../oci/reference.ts';
import type { ImageJob } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';

export interface JobPlace {
  readonly target: Target;
  readonly tags: readonly string[];
  /** How the place is called in events. */
  readonly to: string;
}

/** The copy of one image. What atoll built itself has no signatures anywhere. */
export function imageJob({ image }: MirroredImage, source: Source, place: JobPlace): ImageJob {
  const { registry, repository } = image.source;
  return {
    ...place,
    source,
    reference: image.digest ?? tagOrDigestOf(image.source),
    from: formatReference(image.source),
    // A built image is not where its name says, so nobody shares what is known about that place.
    ...(image.from ? {} : { sourceRepository: `${registry}/${repository}` }),
    ...(image.platforms ? { shape: 'sparse', platforms: image.platforms } : {}),
    ...(image.sigstore === 'none' ? { signatures: false } : {}),
    reason: image.reason,
  };
}
