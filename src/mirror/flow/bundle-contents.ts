import type { PublicKey } from 'openpgp';
import type { ContentImage } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { BundleIndex } from '../bundle/bundle-index.ts';
import { BundleReader, type DamagedChunk } from '../bundle/bundle-reader.ts';
import type { DeltaSource } from '../delta/apply-delta.ts';
import type { LayerDelta } from '../delta/layer-delta.ts';
import type { Destination } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { type ImageRecord, imageOf, imageRecordSchema, withRecord } from './image-record.ts';
import type { BaseRepositories } from './mirror-target.ts';
import { placeImages } from './placed-image.ts';
import type { KnownSignature } from './working-dir.ts';

/** A bundle of any kind, open for reading. */
export interface BundleContents {
  /** Every image at its place in this mirror. */
  placed(destination: Destination): readonly MirroredImage[];
  /** Images that are not in here because the mirror has them already, or should. */
  expected(destination: Destination): readonly MirroredImage[];
  readonly signatures: readonly KnownSignature[];
  readonly base: BaseRepositories;
  /** What was asked for and could not be saved. */
  readonly missing: NonNullable<BundleIndex['missing']>;
  sourceOf(image: MirroredImage): Source;
  /** Layers that are rebuilt from older ones, and how to read what is carried of them. */
  readonly deltas: readonly LayerDelta[];
  openDelta(ctx: Context, delta: LayerDelta): DeltaSource;
  /** Every file that has to be copied again. */
  damaged(ctx: Context): Promise<readonly DamagedChunk[]>;
  close(): Promise<void>;
}

/** Opens a bundle of atoll. With keys nothing is used before its signature was verified. */
export async function openBundle(
  ctx: Context,
  folder: string,
  keys: readonly PublicKey[] = [],
): Promise<BundleContents> {
  const reader = await BundleReader.open(ctx, folder, keys);
  const { index } = reader;
  const records = recordsIn(folder, index);
  const byImage = new Map<ContentImage, ImageRecord>();
  for (const record of records) byImage.set(imageOf(record), record);
  const source = reader.source();
  return {
    placed: (destination) =>
      placeImages([...byImage.keys()], destination).map((each) =>
        withRecord(each, byImage.get(each.image) ?? {}),
      ),
    // What a delta counts on is in its base, blob by blob.
    expected: () => [],
    signatures: index.signatures.map(({ digest, base64 }) => ({
      digest,
      bytes: Buffer.from(base64, 'base64'),
    })),
    base: new Map(index.base.map((each) => [each.digest, each.repository])),
    missing: index.missing ?? [],
    sourceOf: () => source,
    deltas: index.deltas ?? [],
    openDelta: (context, { delta }) => ({
      size: delta.size,
      read: (offset, length) => reader.readPart(context, delta.digest, offset, length),
    }),
    damaged: (context) => reader.damaged(context),
    close: () => reader.close(),
  };
}

function recordsIn(folder: string, { images }: BundleIndex) {
  return images.map((image) => {
    const parsed = imageRecordSchema().safeParse(image);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    throw new AtollError(
      'BUNDLE_INVALID',
      `Cannot read the bundle in "${folder}": image ${image.source}: ${issue?.path.join('.')}: ${issue?.message}`,
      { hint: 'Load it with the version of atoll that saved it, or a newer one' },
    );
  });
}
