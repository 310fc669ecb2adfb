import { z } from 'zod';
import type { ContentImage, ContentKind } from '../../content/content-image.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';

const KINDS = [
  'release',
  'component',
  'kubevirt',
  'graph',
  'catalog',
  'bundle',
  'related',
  'additional',
  'helm',
] as const satisfies readonly ContentKind[];

const platform = z.object({
  os: z.string(),
  architecture: z.string(),
  variant: z.string().optional(),
});

/** A collected image as plain JSON: what a bundle carries and the working folder remembers. */
export const imageRecordSchema = z.object({
  kind: z.enum(KINDS),
  source: z.string(),
  digest: z.string().refine(isDigest).optional(),
  reason: z.string(),
  platforms: z.array(platform).optional(),
  targetRepository: z.string().optional(),
  targetTag: z.string().optional(),
  release: z.object({ version: z.string(), tag: z.string() }).optional(),
  component: z.string().optional(),
  packages: z.array(z.string()).optional(),
  bundles: z.array(z.string()).optional(),
  catalog: z.string().optional(),
  chart: z.string().optional(),
  sigstore: z.enum(['required', 'wanted', 'none']).optional(),
});

export type ImageRecord = z.output<typeof imageRecordSchema>;

/** Everything of an image but where its bytes are. */
export function recordOf(image: ContentImage, digest?: Digest): ImageRecord {
  const { from: _from, source, platforms, packages, bundles, release, ...rest } = image;
  const record = {
    ...rest,
    source: formatReference(source),
    digest: digest ?? image.digest,
    ...(platforms ? { platforms: platforms.map((each) => ({ ...each })) } : {}),
    ...(packages ? { packages: [...packages] } : {}),
    ...(bundles ? { bundles: [...bundles] } : {}),
    ...(release ? { release: { ...release } } : {}),
  };
  return imageRecordSchema.parse(record);
}

export function imageOf({ source, ...rest }: ImageRecord): ContentImage {
  return { ...rest, source: parseReference(source) };
}
