import { check, listOf, objectOf, optional, tableOf, text, wholeNumber } from '../core/shape.ts';
import type { Descriptor } from './descriptor.ts';
import { isDigest } from './digest.ts';

export const descriptorShape = objectOf({
  mediaType: check((value) => typeof value === 'string' && value !== '', 'a media type'),
  digest: check(
    (value) => typeof value === 'string' && isDigest(value),
    'a sha256 or sha512 digest',
  ),
  size: wholeNumber,
  urls: optional(listOf(text)),
  annotations: optional(tableOf(text)),
  platform: optional(objectOf({ os: text, architecture: text, variant: optional(text) })),
  artifactType: optional(text),
});

export const isDescriptor = (value: unknown): value is Descriptor =>
  descriptorShape(value) === undefined;

const common = {
  schemaVersion: check((value) => value === 2, '2'),
  mediaType: optional(text),
  artifactType: optional(text),
  subject: optional(descriptorShape),
  annotations: optional(tableOf(text)),
};

export const imageShape = objectOf({
  ...common,
  config: descriptorShape,
  layers: listOf(descriptorShape),
});

export const indexShape = objectOf({ ...common, manifests: listOf(descriptorShape) });

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
