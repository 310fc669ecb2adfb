import { z } from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { parseReference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { imageOf, imageRecordSchema } from './image-record.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import type { WorkingDir } from './working-dir.ts';

const reportSchema = z.object({
  images: z.array(imageRecordSchema.extend({ target: z.string(), outcome: z.string() })),
  notCollected: z.array(z.object({ subject: z.string(), message: z.string() })),
});

export interface RetryOptions {
  readonly workingDir: WorkingDir;
  readonly registries: Registries;
  readonly concurrency?: number | undefined;
  readonly icsp?: boolean | undefined;
}

/** Does only what the last run could not, as its report says. */
export async function retryFailed(ctx: Context, options: RetryOptions): Promise<MirrorResult> {
  const path = options.workingDir.file('report.json');
  const parsed = reportSchema.safeParse(JSON.parse(await readText(path)));
  if (!parsed.success) {
    throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not a report of atoll`);
  }
  const failed = parsed.data.images.filter(({ outcome }) => outcome === 'failed');
  const built = failed.filter(({ kind }) => kind === 'catalog' || kind === 'graph');
  if (built.length > 0 || parsed.data.notCollected.length > 0) {
    ctx.emit({
      type: 'warning.raised',
      message: `${built.length + parsed.data.notCollected.length} failure(s) need a whole sync: they are built or chosen anew`,
      hint: 'Run "atoll mirror sync" with the same configuration; what is there is not sent again',
    });
  }
  const placed = failed
    .filter(({ kind }) => kind !== 'catalog' && kind !== 'graph')
    .map(({ target, outcome: _outcome, ...record }) => ({
      image: imageOf(record),
      target: parseReference(target),
    }));
  return mirrorImages(ctx, placed, {
    ...options,
    sourceOf: ({ image }) => options.registries.source(image.source),
    signatures: [],
    failures: parsed.data.notCollected,
    title: 'Retrying images',
  });
}
