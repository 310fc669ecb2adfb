import type { Context } from '../../core/context.ts';
import { formatReference } from '../../oci/reference.ts';
import type { CopyOptions, CopyReport, ImageResult } from '../copy/job.ts';
import type { MirroredImage } from '../image-rules.ts';
import type { EarlyAnswers } from './ask-ahead.ts';
import { copyContent } from './copy-content.ts';
import { type BaseRepositories, mirrorTarget } from './mirror-target.ts';
import { warnOfReplaced } from './placed-image.ts';
import type { MirrorReport, RunKind } from './report.ts';
import type { MirrorRunOptions, RunContent } from './run.ts';
import { Spool } from './spool.ts';
import { UploadNotes } from './upload-notes.ts';
import type { KnownImage } from './working-dir.ts';
import { reportOf, writeReports } from './write-report.ts';
import { type WrittenResources, writeResources } from './write-resources.ts';

export interface MirrorRun extends MirrorRunOptions, RunKind {
  /** Content a delta counts on. */
  readonly base?: BaseRepositories | undefined;
  readonly asked?: EarlyAnswers | undefined;
  readonly title: string;
  /** Told of every blob that is in the mirror. */
  readonly delivered?: CopyOptions['delivered'];
}

export interface MirrorResult extends WrittenResources {
  readonly report: MirrorReport;
  readonly reportFile: string;
  readonly errorsFile: string | undefined;
}

/** Copies placed images into the mirror, remembers them, and writes what the cluster needs. */
export function mirrorImages(
  ctx: Context,
  content: RunContent,
  run: MirrorRun,
): Promise<MirrorResult> {
  const { workingDir } = run;
  return workingDir.exclusively(ctx, async () => {
    warnOfReplaced(ctx, content.placed, await workingDir.mirrored());
    const copy = await copyKept(ctx, content, run);
    await workingDir.addSignatures(content.signatures);
    await workingDir.addMirrored(arrived(content.placed, copy));
    const written = await writeResources(ctx, workingDir, run);
    const report = reportOf(run, content, copy);
    return { report, ...written, ...(await writeReports(ctx, workingDir, report)) };
  });
}

/** Copies so that a kill at any moment costs next to nothing: bytes and uploads are kept. */
async function copyKept(ctx: Context, content: RunContent, run: MirrorRun): Promise<CopyReport> {
  const { workingDir, registries, base, asked } = run;
  const spool = new Spool(workingDir.file('partial', 'blobs'));
  const notes = new UploadNotes(workingDir.file('partial', 'uploads'));
  const isLocal = ({ image }: MirroredImage) => run.flow === 'load' || image.from !== undefined;
  const sourceOf = (each: MirroredImage) =>
    isLocal(each) ? content.sourceOf(each) : spool.before(content.sourceOf(each));
  const copy = await copyContent(
    ctx,
    { placed: content.placed, sourceOf },
    {
      ...run,
      targetFor: ({ target }) => ({
        target: mirrorTarget(registries.repository(target.registry, target.repository), {
          notes,
          base,
          asked,
        }),
        tags: target.tag === undefined ? [] : [target.tag],
        to: formatReference(target),
      }),
      delivered: async (blob) => {
        await spool.delivered(blob);
        await run.delivered?.(blob);
      },
    },
  );
  // What failed half-way goes on there when it is tried again.
  if (copy.failed === 0) {
    await spool.clear();
    notes.clear();
  }
  return copy;
}

function arrived(placed: readonly MirroredImage[], copy: CopyReport): KnownImage[] {
  return placed.flatMap((each, index) => {
    const { outcome, digest } = copy.images[index] as ImageResult;
    return outcome === 'failed' || digest === undefined ? [] : [{ ...each, digest }];
  });
}
