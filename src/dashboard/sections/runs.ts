import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { eventLogPath } from '../../workflow/event-log.ts';
import { EventFollower } from '../../workflow/follow-events.ts';
import type { PageData, RunSummary } from '../model/page-data.ts';
import { addEvent, newRunState, type RunState, type StageName } from '../model/run-state.ts';
import type { Usual, Usuals } from '../model/sentence.ts';
import type { Sections } from '../watched.ts';

/** Runs of a site that are compared; older ones are left alone. */
const MAX_RUNS = 30;

/** Names of all runs, newest first: a name is the time of its start. */
export async function runNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^\d{8}T\d{6}Z/.test(name)).toSorted((a, b) => (a < b ? 1 : -1));
}

/** A whole run, folded. */
export async function readRun(
  folder: string,
  run: string,
  stages: readonly StageName[],
): Promise<RunState> {
  const state = newRunState(stages);
  for (const event of await new EventFollower(join(folder, run)).read()) addEvent(state, event);
  return state;
}

function summaryOf(state: RunState): RunSummary {
  const { run, startedAt, outcome, images, copied } = state;
  const stages = state.stages.map(({ id, state: how, durationMs = 0 }) => ({
    id,
    state: how,
    durationMs,
  }));
  const { lastAt } = state;
  const durationMs = state.durationMs || Math.max(0, Date.parse(lastAt) - Date.parse(startedAt));
  return {
    run,
    startedAt,
    durationMs,
    outcome,
    stages,
    copiedBytes: copied.bytes,
    images: images.length,
  };
}

/** The runs that are over, each read once for as long as its log stays the same. */
export class PastRuns {
  readonly #folder: string;
  readonly #stages: readonly StageName[];
  readonly #known = new Map<string, { readonly stamp: string; readonly summary: RunSummary }>();

  constructor(folder: string, stages: readonly StageName[]) {
    this.#folder = folder;
    this.#stages = stages;
  }

  async read(): Promise<readonly RunSummary[]> {
    const names = (await runNames(this.#folder)).slice(0, MAX_RUNS);
    const runs = await Promise.all(names.map((name) => this.#summary(name)));
    return runs.filter((run): run is RunSummary => run !== undefined);
  }

  async #summary(name: string): Promise<RunSummary | undefined> {
    const found = await stat(eventLogPath(join(this.#folder, name))).catch(() => undefined);
    if (!found) return undefined;
    const stamp = `${found.mtimeMs} ${found.size}`;
    const known = this.#known.get(name);
    if (known?.stamp === stamp) return known.summary;
    const state = await readRun(this.#folder, name, this.#stages);
    const summary = { ...summaryOf(state), run: name };
    this.#known.set(name, { stamp, summary });
    return summary;
  }
}

/** Past runs, and what is usual by them: the run that is being looked at says nothing about that. */
export function pastSections(past: PastRuns, page: () => PageData): Sections {
  const others = async () => (await past.read()).filter(({ run }) => run !== page().run?.run);
  // Only the last run can be under way; another one without an end was killed.
  const settled = (one: RunSummary): RunSummary => {
    const { run, outcome } = page().run ?? {};
    if (one.outcome !== 'running' || (one.run === run && outcome === 'running')) return one;
    return { ...one, outcome: 'interrupted' };
  };
  return {
    runs: { everyMs: 2000, read: async () => (await past.read()).map(settled) },
    usuals: { everyMs: 2000, read: async () => usualsOf(await others()) },
  };
}

const MINUTE = 60_000;

/** For a site that has no runs yet: what its stages take on machines of the usual kind. */
const TABLE: Readonly<Record<string, number>> = {
  infrastructure: 5 * MINUTE,
  bastion: MINUTE,
  credentials: MINUTE / 10,
  tools: MINUTE,
  registry: MINUTE / 4,
  images: 30 * MINUTE,
  config: MINUTE / 10,
  cluster: 45 * MINUTE,
  verify: 2 * MINUTE,
  cleanup: MINUTE / 2,
};

/** What each stage usually takes: the median of the runs in which it was done, or a guess. */
export function usualsOf(runs: readonly RunSummary[]): Usuals {
  const usuals: Record<string, Usual> = {};
  for (const [id, ms] of Object.entries(TABLE)) usuals[id] = { ms, from: 'table' };
  for (const id of new Set(runs.flatMap(({ stages }) => stages.map((stage) => stage.id)))) {
    const times = runs
      .flatMap(({ stages }) => stages)
      .filter((stage) => stage.id === id && stage.state === 'done')
      .map(({ durationMs }) => durationMs)
      .toSorted((a, b) => a - b);
    const median = times[Math.floor(times.length / 2)];
    if (median !== undefined) usuals[id] = { ms: median, from: 'runs' };
  }
  return usuals;
}
