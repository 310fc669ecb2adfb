import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { openEventLog, recordedContext, runNameOf } from '../workflow/event-log.ts';
import { decide, runWorkflow, type WorkflowResult } from '../workflow/run-workflow.ts';
import type { OpenSite } from './open-site.ts';
import { type SiteEnd, siteEnd } from './site-end.ts';
import { siteWorkflow } from './site-workflow.ts';

export interface UpOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly fresh?: boolean | undefined;
  /** Boot machines without a rehearsal. */
  readonly skipRehearsal?: boolean | undefined;
}

export interface UpResult extends WorkflowResult {
  readonly run: string;
  readonly directory: string;
  /** How to get into the cluster; undefined while there is none. */
  readonly end: SiteEnd | undefined;
}

/** Brings the site up, from wherever the journal says it stopped. */
export async function bringUp(
  ctx: Context,
  { work, journal }: OpenSite,
  options: UpOptions = {},
): Promise<UpResult> {
  const { skipRehearsal } = options;
  // Asked by stages, when the steps are known.
  const isChosen = (id: string) => (only ?? ids).includes(id);
  const workflow = await siteWorkflow(ctx, { ...work, skipRehearsal, isChosen });
  const ids = workflow.steps.map((step) => step.id);
  const only = chosenSteps(ids, options);
  const started = ctx.now();
  const run = runNameOf(started);
  const directory = join(work.paths.runs, run);
  const log = await openEventLog(ctx, directory);
  const recorded = recordedContext(ctx, log);
  const finish = (outcome: 'succeeded' | 'failed' | 'interrupted') =>
    recorded.emit({
      type: 'run.finished',
      run,
      outcome,
      durationMs: ctx.now().getTime() - started.getTime(),
    });
  try {
    recorded.emit({ type: 'run.started', run, site: work.site.name });
    const result = await runWorkflow(recorded, workflow, journal, {
      directory: work.paths.state,
      only,
      fresh: options.fresh,
    });
    finish(result.succeeded ? 'succeeded' : 'failed');
    const end = result.succeeded ? siteEnd(work, result.outputs) : undefined;
    return { ...result, run, directory, end };
  } catch (error) {
    finish(ctx.signal.aborted ? 'interrupted' : 'failed');
    throw error;
  } finally {
    await log.close();
  }
}

/** The steps `--from`, `--to` and `--only` choose; undefined for all. */
export function chosenSteps(
  ids: readonly string[],
  { from, to, only }: UpOptions,
): readonly string[] | undefined {
  const indexOf = (flag: string, id: string) => {
    const index = ids.indexOf(id);
    if (index >= 0) return index;
    throw new AtollError('USAGE', `Cannot use ${flag} "${id}": there is no such stage or step`, {
      hint: `Known: ${ids.join(', ')}`,
    });
  };
  if (only && only.length > 0) {
    for (const id of only) indexOf('--only', id);
    return only;
  }
  if (from === undefined && to === undefined) return undefined;
  const first = from === undefined ? 0 : indexOf('--from', from);
  const last = to === undefined ? ids.length - 1 : indexOf('--to', to);
  return ids.slice(first, last + 1);
}

export interface PlannedStage {
  readonly id: string;
  readonly title: string;
  /** Whether it would run now, and why. */
  readonly run: boolean;
  readonly reason: string;
  readonly does: readonly string[];
}

/** Such a stage runs without having anything new to tell. */
const ALWAYS = 'runs every time';

/** What `bringUp` would do. Outputs of stages that have not run are unknown, so theirs are guesses. */
export async function planUp(
  ctx: Context,
  { work, journal }: OpenSite,
  options: UpOptions = {},
): Promise<PlannedStage[]> {
  const { steps } = await siteWorkflow(ctx, work);
  const ids = steps.map(({ id }) => id);
  const chosen = chosenSteps(ids, options) ?? ids;
  const outputs = Object.fromEntries(
    steps.flatMap(({ id }) => {
      const output = journal.history(id)?.output;
      return output ? [[id, output]] : [];
    }),
  );
  const planned: PlannedStage[] = [];
  for (const step of steps.filter(({ id }) => chosen.includes(id))) {
    const decision = decide(journal, step, outputs, options.fresh);
    const earlier = planned.find(
      ({ id, run, reason }) => step.needs.includes(id) && run && reason !== ALWAYS,
    );
    const reason =
      decision.run || !earlier ? decision.reason : `unless ${earlier.id} changes something`;
    const does = (await step.plan?.()) ?? ['run its commands with bash'];
    planned.push({ id: step.id, title: step.title, run: decision.run, reason, does });
  }
  return planned;
}
