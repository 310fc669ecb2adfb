import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import { makeFolder, SECRET_DIRECTORY_MODE } from '../core/files.ts';
import { redact } from '../core/redact.ts';
import { changedFields, fieldHashes, hashOf } from './hash.ts';
import type { Journal } from './journal.ts';
import { runStep, stepLogger } from './run-step.ts';
import type { JsonObject, Phase, Step, Workflow } from './step.ts';

export interface WorkflowOptions {
  /** Where step folders and logs go: `steps/<id>/`, `logs/<id>.log`. */
  readonly directory: string;
  /** Only these steps run; others count as they stand in the journal. */
  readonly only?: readonly string[] | undefined;
  /** Runs even what is finished. */
  readonly fresh?: boolean | undefined;
  /** How many steps may run side by side. */
  readonly parallel?: number | undefined;
  /** Post steps marked `optionalOnSuccess` are left out when all went well. */
  readonly allowSkipOnSuccess?: boolean | undefined;
}

export type WorkflowOutcome = 'finished' | 'skipped' | 'failed' | 'not-run';

export interface StepOutcome {
  readonly step: string;
  readonly outcome: WorkflowOutcome;
  readonly reason?: string | undefined;
  readonly durationMs: number;
  readonly error?: unknown;
  readonly bestEffort: boolean;
}

export interface WorkflowResult {
  readonly succeeded: boolean;
  readonly outcomes: readonly StepOutcome[];
  readonly outputs: Readonly<Record<string, JsonObject>>;
  /** The first failure that counts. */
  readonly error: unknown;
}

/** What decides whether a finished step still stands. */
export interface StepDecision {
  readonly run: boolean;
  readonly reason: string;
}

const PHASES: readonly Phase[] = ['pre', 'test', 'post'];

/** Says whether a step has to run, and why, from the journal and its inputs alone. */
export function decide(
  journal: Journal,
  step: Step,
  outputs: Readonly<Record<string, JsonObject>>,
  fresh = false,
): StepDecision {
  const history = journal.history(step.id);
  if (fresh) return { run: true, reason: 'asked to start afresh' };
  if (!history) return { run: true, reason: 'not run before' };
  if (step.always) return { run: true, reason: 'runs every time' };
  if (history.state === 'started') return { run: true, reason: 'was interrupted' };
  if (history.state === 'failed') return { run: true, reason: 'failed before' };
  if (history.state === 'undone') return { run: true, reason: 'was undone' };
  const changed = changedFields(history.fields, inputHashes(step, outputs));
  if (changed.length > 0) return { run: true, reason: `changed: ${changed.join(', ')}` };
  return { run: false, reason: 'already finished' };
}

/** Its own inputs by name, and the outputs it builds on as `step:<id>`. */
function inputHashes(
  step: Step,
  outputs: Readonly<Record<string, JsonObject>>,
): Record<string, string> {
  const needed = step.needs.map((id) => [`step:${id}`, hashOf(outputs[id] ?? null)]);
  return { ...fieldHashes(step.inputs), ...Object.fromEntries(needed) };
}

/** Refuses a workflow whose steps repeat, or need what does not come before them. */
export function checkWorkflow(workflow: Workflow): void {
  const seen = new Set<string>();
  for (const step of workflow.steps) {
    if (seen.has(step.id)) throw badWorkflow(workflow, `step "${step.id}" appears twice`);
    const missing = step.needs.find((id) => !seen.has(id));
    if (missing)
      throw badWorkflow(
        workflow,
        `step "${step.id}" needs "${missing}", which does not come before it`,
      );
    seen.add(step.id);
  }
}

function badWorkflow(workflow: Workflow, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot run workflow "${workflow.name}": ${found}`);
}

/**
 * Runs a workflow from wherever the journal says it stopped. Post steps run even after a failure,
 * but not after an interrupt: the next run gets there.
 */
export async function runWorkflow(
  ctx: Context,
  workflow: Workflow,
  journal: Journal,
  options: WorkflowOptions,
): Promise<WorkflowResult> {
  checkWorkflow(workflow);
  const state = new WorkflowState(workflow, journal, options);
  for (const phase of PHASES) {
    ctx.signal.throwIfAborted();
    if (phase !== 'post' && state.failed) {
      state.leaveOut(phase, 'an earlier step failed');
      continue;
    }
    await state.runPhase(ctx, phase);
  }
  return state.result();
}

class WorkflowState {
  readonly #workflow: Workflow;
  readonly #journal: Journal;
  readonly #options: WorkflowOptions;
  readonly #outcomes = new Map<string, StepOutcome>();
  readonly #outputs: Record<string, JsonObject> = {};
  #error: unknown;
  /** Whether all phases before this one went well. */
  #wentWell = true;
  /** A bug or a broken disk: nothing more is started, and it is thrown once all have come to rest. */
  #crash: unknown;

  constructor(workflow: Workflow, journal: Journal, options: WorkflowOptions) {
    this.#workflow = workflow;
    this.#journal = journal;
    this.#options = options;
  }

  get failed(): boolean {
    return this.#error !== undefined;
  }

  result(): WorkflowResult {
    const outcomes = this.#workflow.steps.map(
      (step) => this.#outcomes.get(step.id) ?? notRun(step, 'not reached'),
    );
    return { succeeded: !this.failed, outcomes, outputs: this.#outputs, error: this.#error };
  }

  leaveOut(phase: Phase, reason: string): void {
    for (const step of this.#stepsOf(phase)) this.#outcomes.set(step.id, notRun(step, reason));
  }

  /** Starts whatever is ready until nothing is left or a failure stops the phase. */
  async runPhase(ctx: Context, phase: Phase): Promise<void> {
    const waiting = new Set(this.#stepsOf(phase));
    const running = new Map<string, Promise<void>>();
    const parallel = this.#options.parallel ?? 4;
    const keepsGoing = phase === 'post';
    this.#wentWell = !this.failed;

    while (waiting.size > 0 || running.size > 0) {
      const stop = ctx.signal.aborted || this.#crash !== undefined || (this.failed && !keepsGoing);
      const ready = stop
        ? []
        : [...waiting].filter((step) => this.#isReady(step, waiting, running));
      for (const step of ready.slice(0, parallel - running.size)) {
        waiting.delete(step);
        running.set(
          step.id,
          this.#runOne(ctx, step)
            .catch(this.#noteCrash)
            .finally(() => running.delete(step.id)),
        );
      }
      if (running.size === 0) break;
      await Promise.race(running.values());
    }
    if (this.#crash !== undefined) throw this.#crash;
    ctx.signal.throwIfAborted();
    for (const step of waiting) this.#outcomes.set(step.id, notRun(step, 'an earlier step failed'));
  }

  readonly #noteCrash = (error: unknown): void => {
    this.#crash ??= error;
  };

  #stepsOf(phase: Phase): readonly Step[] {
    return this.#workflow.steps.filter((step) => step.phase === phase);
  }

  #isReady(step: Step, waiting: ReadonlySet<Step>, running: ReadonlyMap<string, unknown>): boolean {
    return step.needs.every(
      (id) => !running.has(id) && ![...waiting].some((other) => other.id === id),
    );
  }

  async #runOne(ctx: Context, step: Step): Promise<void> {
    const history = this.#journal.history(step.id);
    if (this.#options.only && !this.#options.only.includes(step.id)) {
      return this.#skip(ctx, step, 'not asked for', history?.output);
    }
    if (step.optionalOnSuccess && this.#options.allowSkipOnSuccess && this.#wentWell) {
      return this.#skip(ctx, step, 'all went well', history?.output);
    }
    const decision = decide(this.#journal, step, this.#outputs, this.#options.fresh);
    if (!decision.run) return this.#skip(ctx, step, decision.reason, history?.output);
    await this.#execute(ctx, step, decision.reason);
  }

  #skip(ctx: Context, step: Step, reason: string, output: JsonObject | undefined): void {
    if (output) this.#outputs[step.id] = output;
    ctx.emit({ type: 'step.skipped', step: step.id, reason });
    this.#outcomes.set(step.id, { ...notRun(step, reason), outcome: 'skipped' });
  }

  async #execute(ctx: Context, step: Step, reason: string): Promise<void> {
    const startedAt = performance.now();
    const fields = inputHashes(step, this.#outputs);
    const resumed = this.#journal.history(step.id)?.state === 'started';
    const directory = join(this.#options.directory, 'steps', step.id);
    await makeFolder(directory, SECRET_DIRECTORY_MODE);
    await this.#journal.append({ kind: 'started', step: step.id, fields });
    ctx.emit({ type: 'step.started', step: step.id, title: step.title, reason });
    const log = stepLogger(ctx, join(this.#options.directory, 'logs', `${step.id}.log`));
    const outputs = Object.fromEntries(step.needs.map((id) => [id, this.#outputs[id] ?? {}]));

    try {
      const output = await runStep(ctx, step, { outputs, directory, log, resumed });
      await this.#journal.append({ kind: 'finished', step: step.id, fields, output });
      this.#outputs[step.id] = output;
      const durationMs = Math.round(performance.now() - startedAt);
      ctx.emit({ type: 'step.finished', step: step.id, durationMs });
      this.#outcomes.set(step.id, {
        step: step.id,
        outcome: 'finished',
        reason,
        durationMs,
        bestEffort: false,
      });
    } catch (error) {
      // Interrupted is not failed: the journal says "started", and the next run resumes it.
      if (ctx.signal.aborted) return;
      await this.#fail(ctx, step, error, Math.round(performance.now() - startedAt));
      log(`failed: ${messageOf(error)}`);
    }
  }

  async #fail(ctx: Context, step: Step, error: unknown, durationMs: number): Promise<void> {
    const named = error instanceof AtollError ? error : undefined;
    const message = redact(messageOf(error));
    const code = named ? { code: named.code } : {};
    await this.#journal.append({ kind: 'failed', step: step.id, ...code, message });
    const hint = named?.hint === undefined ? {} : { hint: named.hint };
    const bestEffort = step.bestEffort ?? false;
    const ends = bestEffort || this.failed ? {} : ({ ends: true } as const);
    ctx.emit({ type: 'step.failed', step: step.id, ...code, message, ...hint, ...ends });
    this.#outcomes.set(step.id, {
      step: step.id,
      outcome: 'failed',
      reason: message,
      durationMs,
      error,
      bestEffort,
    });
    if (!bestEffort) this.#error ??= error;
  }
}

function notRun(step: Step, reason: string): StepOutcome {
  return {
    step: step.id,
    outcome: 'not-run',
    reason,
    durationMs: 0,
    bestEffort: step.bestEffort ?? false,
  };
}
