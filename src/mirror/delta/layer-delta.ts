import * as z from 'zod';
import { isDigest } from '../../oci/digest.ts';
import { recompressionSchema } from './methods.ts';

const digest = z.string().refine(isDigest, 'not a digest');

/** How a layer is made from an older one: what the mirror has, what is carried, what compresses it again. */
export const layerDeltaSchema = z.strictObject({
  digest,
  size: z.number(),
  /** Digest and size of the tar inside. */
  diffId: digest,
  tarSize: z.number(),
  base: z.strictObject({
    digest,
    size: z.number(),
    mediaType: z.string(),
    /** Where the mirror has it, relative to the mirror's path. */
    repository: z.string().optional(),
  }),
  /** The carried bytes: a blob of the bundle, but of no image. */
  delta: z.strictObject({ digest, size: z.number() }),
  recompress: recompressionSchema,
  /** The gzip header, in hex: it holds a time and a name that no program can guess. */
  header: z.string(),
  repository: z.string().optional(),
});

export type LayerDelta = z.output<typeof layerDeltaSchema>;

/** A new layer and its older one, unpacked in a folder. */
export interface UnpackedPair {
  readonly layer: Omit<LayerDelta, 'delta' | 'recompress' | 'header'>;
  /** The gzip header of the new layer; empty where it has none, undefined where it has several. */
  readonly header: Buffer | undefined;
  /** The file of a name: `new`, `new.tar`, `old`, `old.tar`. */
  readonly at: (name: string) => string;
}

/** A delta that was seen to give exactly the layer, and the file it is in. */
export interface MadeDelta {
  readonly record: LayerDelta;
  readonly path: string;
}
