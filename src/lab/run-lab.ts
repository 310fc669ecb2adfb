import * as z from 'zod';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { shellLine } from '../core/format.ts';
import { acquireLock } from '../core/lock.ts';
import { type OpenSite, openSite } from '../site/open-site.ts';
import { readSite, type Site } from '../site/read-site.ts';
import { removeResources } from '../site/remove-resources.ts';
import { stopService } from '../site/service.ts';
import type { StageId } from '../site/stages/stage.ts';
import { bringUp, type UpResult } from '../site/up.ts';
import { type LabPaths, labPaths, logBundleOf } from './lab-paths.ts';
import { labPlatform } from './lab-platform.ts';
import { type Break, readLabSettings, writeLabSettings } from './lab-settings.ts';
import { type LabOptions, prepareLab } from './prepare-lab.ts';
import { type MachinePulls, machinePulls } from './verify-lab.ts';

export interface LabResult extends LabSummary {
  readonly siteFile: string;
  readonly directory: string;
  /** Undefined where it could not be written. */
  readonly report: string | undefined;
}

/** The whole job on this machine: an upstream, a site of platform lab, all ten stages. */
export async function runLab(ctx: Context, options: LabOptions): Promise<LabResult> {
  const paths = labPaths(options.directory);
  const lock = await acquireLock(ctx, paths.lock, `the lab in "${options.directory}"`);
  try {
    await prepareLab(ctx, paths, options);
    return await runSite(ctx, paths, options);
  } finally {
    await stopService(unstoppable(ctx), paths.upstreamPidFile);
    await lock.release();
  }
}

/** What has to be done on the way out, also after Ctrl-C. */
const unstoppable = (ctx: Context): Context => ({ ...ctx, signal: new AbortController().signal });

async function runSite(ctx: Context, paths: LabPaths, options: LabOptions): Promise<LabResult> {
  const site = await readSite(paths.siteFile, {}, [labPlatform]);
  const work = () => bringUpLab(ctx, site, paths, options);
  return options.beside ? await options.beside(site, work) : await work();
}

async function bringUpLab(
  ctx: Context,
  site: Site,
  paths: LabPaths,
  options: LabOptions,
): Promise<LabResult> {
  const open = await openSite(ctx, site, { PATH: process.env.PATH });
  try {
    await settle(open, paths, options.break);
    const writeReport = () => options.writeReport?.(site, options.report ?? paths.report);
    const result = await bringUp(ctx, open).catch(async (error: unknown) => {
      await writeReport();
      throw error;
    });
    const report = await writeReport();
    if (!result.succeeded) {
      if (report) ctx.emit({ type: 'note.added', message: `Report: ${report}` });
      throw diagnoseHint(result.error, site.state);
    }
    const { siteFile } = paths;
    return { ...labSummary(result), siteFile, directory: options.directory, report };
  } finally {
    // Content stays, so that the next run is quick and people can look; processes do not.
    await removeResources(unstoppable(ctx), open.work, ({ kind }) => kind === 'service');
    await open.close();
  }
}

/** Another way to break it than last time, or none, is another install: what it touched runs again. */
async function settle(
  { journal, work }: OpenSite,
  { upstreamPidFile }: LabPaths,
  wanted: Break | undefined,
): Promise<void> {
  const { state } = work.paths;
  const before = (await readLabSettings(state)).break;
  const spoilt: StageId[] = before === 'image' ? ['images'] : [];
  const again: StageId[] = before === wanted ? [] : [...spoilt, 'cluster', 'verify', 'cleanup'];
  for (const step of again.filter((id) => journal.history(id))) {
    await journal.append({ kind: 'undone', step });
  }
  await writeLabSettings(state, { upstreamPidFile, ...(wanted ? { break: wanted } : {}) });
}

interface StageSummary {
  readonly stage: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** What a lab has shown. */
interface LabSummary {
  readonly stages: readonly StageSummary[];
  readonly nodes: readonly MachinePulls[];
  /** Every machine pulled from the mirror and nowhere else, by its own account and the mirror's. */
  readonly fromMirror: boolean;
  readonly images: number;
  readonly copiedBytes: number;
  readonly durationMs: number;
}

export function labSummary({
  outcomes,
  outputs,
}: Pick<UpResult, 'outcomes' | 'outputs'>): LabSummary {
  const stages = outcomes.map(({ step, outcome, durationMs }) => ({
    stage: step,
    outcome,
    durationMs,
  }));
  return {
    stages,
    nodes: z.array(machinePulls).parse(outputs.verify?.nodes ?? []),
    fromMirror: outputs.verify?.fromMirror === true,
    images: Number(outputs.images?.images ?? 0),
    copiedBytes: Number(outputs.images?.copiedBytes ?? 0),
    durationMs: stages.reduce((sum, stage) => sum + stage.durationMs, 0),
  };
}

/** A failed rehearsal says how to find out why. */
export function diagnoseHint(error: unknown, state: string): unknown {
  if (!(error instanceof AtollError) || error.code !== 'CLUSTER_FAILED') return error;
  return new AtollError(error.code, error.message, {
    hint: `Run: ${shellLine(['atoll', 'diagnose', logBundleOf(state)])}`,
    details: error.details,
    cause: error.cause,
  });
}
