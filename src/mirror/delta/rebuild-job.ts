import { rm } from 'node:fs/promises';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { readRange } from '../bundle/chunk-files.ts';
import { layerDeltaSchema } from './layer-delta.ts';
import { OldPages } from './old-pages.ts';
import { deltaFile, rebuildLayer } from './rebuild.ts';
import { decompressed, symbolsOf, writeChunks } from './unpack-layer.ts';

/** A layer to be put together, with all that takes in files: it can be done by another process. */
export const rebuildJobSchema = z.strictObject({
  layer: layerDeltaSchema,
  /** The old layer as the mirror has it. */
  base: z.string(),
  delta: z.string(),
  to: z.string(),
});

export type RebuildJob = z.output<typeof rebuildJobSchema>;

/** Does a job, here or elsewhere: the layer is at its place, and exact, or it throws. */
export type Rebuild = (ctx: Context, job: RebuildJob) => Promise<void>;

export const rebuildHere: Rebuild = async (ctx, { layer, base, delta, to }) => {
  const spill = `${to}.old`;
  const unpack = layer.recompress.program === 'symbols' ? symbolsOf : decompressed;
  try {
    const old = await OldPages.of(unpack(readRange(ctx, base)), spill);
    const carried = deltaFile(ctx, delta, layer.delta.size);
    await writeChunks(to, rebuildLayer(ctx, layer, old, carried));
  } finally {
    await rm(spill, { force: true });
  }
};
