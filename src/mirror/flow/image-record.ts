import * as z from 'zod';
import { CONTENT_KINDS, type ContentImage } from '../../content/content-image.ts';
import { lazily } from '../../core/lazily.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';
import type { MirroredImage } from '../image-rules.ts';
import { joinNeeds, needSchema, needsOf } from '../need.ts';

/** A collected image as plain JSON: what a bundle carries and the working folder remembers. */
export const imageRecordSchema = lazily(() => {
  const platform = z.object({
    os: z.string(),
    architecture: z.string(),
    variant: z.string().optional(),
  });
  return z.object({
    kind: z.enum(CONTENT_KINDS),
    source: z.string(),
    digest: z.string().refine(isDigest).optional(),
    reason: z.string(),
    neededBy: z.array(needSchema()).optional(),
    platforms: z.array(platform).optional(),
    targetRepository: z.string().optional(),
    targetTag: z.string().optional(),
    release: z.object({ version: z.string(), tag: z.string() }).optional(),
    component: z.string().optional(),
    packages: z.array(z.string()).optional(),
    bundles: z.array(z.string()).optional(),
    catalog: z.string().optional(),
    catalogTemplate: z.record(z.string(), z.unknown()).optional(),
    chart: z.string().optional(),
    sigstore: z.enum(['required', 'wanted', 'none']).optional(),
  });
});

export type ImageRecord = z.output<ReturnType<typeof imageRecordSchema>>;

/** Everything of an image but where its bytes are. */
export function recordOf(
  { image, catalogTemplate, neededBy }: Omit<MirroredImage, 'target'>,
  digest?: Digest,
): ImageRecord {
  const record: WholeRecord = {
    kind: image.kind,
    source: formatReference(image.source),
    digest: digest ?? image.digest,
    reason: image.reason,
    neededBy: [...(neededBy ?? needsOf(image))],
    platforms: image.platforms?.map(({ os, architecture, variant }) => ({
      os,
      architecture,
      variant,
    })),
    targetRepository: image.targetRepository,
    targetTag: image.targetTag,
    release: image.release,
    component: image.component,
    packages: image.packages && [...image.packages],
    bundles: image.bundles && [...image.bundles],
    catalog: image.catalog,
    catalogTemplate,
    chart: image.chart,
    sigstore: image.sigstore,
  };
  // Undefined fields are left out, so that the same image gives the same bytes.
  return JSON.parse(JSON.stringify(record));
}

/** With every field that there is, so that none is forgotten. */
type WholeRecord = { readonly [K in keyof Required<ImageRecord>]: ImageRecord[K] };

export function imageOf({
  source,
  catalogTemplate: _template,
  neededBy: _needs,
  ...rest
}: ImageRecord): ContentImage {
  return { ...rest, source: parseReference(source) };
}

/** A recorded image at its place. */
export function placedOf({
  target,
  ...record
}: ImageRecord & { readonly target: string }): MirroredImage {
  return withRecord({ image: imageOf(record), target: parseReference(target) }, record);
}

/** What a record knows besides the image. */
export function withRecord(
  placed: MirroredImage,
  { catalogTemplate, neededBy }: Pick<ImageRecord, 'catalogTemplate' | 'neededBy'>,
): MirroredImage {
  return {
    ...placed,
    ...(catalogTemplate ? { catalogTemplate } : {}),
    ...(neededBy ? { neededBy: joinNeeds(placed.neededBy, neededBy) } : {}),
  };
}
