import { rm } from 'node:fs/promises';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { runProgram } from '../../core/process.ts';
import type { SelfCommand } from '../../core/self.ts';
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

/** Starting a process takes as long as compressing this much. */
const SMALL_TAR_BYTES = 8 * 1024 * 1024;

/**
 * Compressing takes all of a processor, and there are several. The command is atoll itself. What fails elsewhere is
 * done here once more, which says why.
 */
export function rebuildInProcesses(command: SelfCommand, smallBytes = SMALL_TAR_BYTES): Rebuild {
  return async (ctx, job) => {
    if (job.layer.tarSize < smallBytes || !(await runElsewhere(ctx, command, job)))
      await rebuildHere(ctx, job);
  };
}

async function runElsewhere(ctx: Context, command: SelfCommand, job: RebuildJob): Promise<boolean> {
  const file = `${job.to}.job`;
  await writeFileAtomic(file, JSON.stringify(job));
  try {
    const args = [...command.args, 'rebuild-layer', file];
    // It leaves when its input ends: a parent that was killed leaves nobody behind.
    const options = { holdInput: true, discard: true, stopSignal: 'SIGKILL' } as const;
    return (await runProgram(ctx, command.file, args, options)).status === 0;
  } catch {
    ctx.signal.throwIfAborted();
    return false;
  } finally {
    await rm(file, { force: true });
  }
}
