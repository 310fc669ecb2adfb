import * as z from 'zod';
import type { Descriptor } from './descriptor.ts';
import { isDigest } from './digest.ts';

const platform = z.looseObject({
  os: z.string(),
  architecture: z.string(),
  variant: z.string().optional(),
});

export const descriptorSchema = z.looseObject({
  mediaType: z.string().min(1),
  digest: z.string().refine(isDigest, 'not a sha256 or sha512 digest'),
  size: z.number().int().nonnegative(),
  urls: z.array(z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
  platform: platform.optional(),
  artifactType: z.string().optional(),
});

const common = {
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  artifactType: z.string().optional(),
  subject: descriptorSchema.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
};

export const imageSchema = z.looseObject({
  ...common,
  config: descriptorSchema,
  layers: z.array(descriptorSchema),
});

export const indexSchema = z.looseObject({ ...common, manifests: z.array(descriptorSchema) });

interface Common {
  readonly schemaVersion: 2;
  readonly mediaType?: string;
  readonly artifactType?: string;
  readonly subject?: Descriptor;
  readonly annotations?: Readonly<Record<string, string>>;
}

export interface ImageManifest extends Common {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface ImageIndex extends Common {
  readonly manifests: readonly Descriptor[];
}
