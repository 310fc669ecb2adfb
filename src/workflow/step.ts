import type { Context } from '../core/context.ts';
import type { JsonObject } from '../core/json.ts';

export type { Json, JsonObject } from '../core/json.ts';

/** `pre` sets up, `test` does the work, `post` always runs. As in the CI's workflows. */
export type Phase = 'pre' | 'test' | 'post';

/** What a running step may use besides its context. */
export interface StepRun {
  /** Output of each step named in `needs`. */
  readonly outputs: Readonly<Record<string, JsonObject>>;
  /** A folder of its own that survives a restart: where an interrupted step left off. */
  readonly directory: string;
  /** Adds a line to the step's log. */
  readonly log: (line: string) => void;
  /** True when an earlier run started this step and did not finish it. */
  readonly resumed: boolean;
}

/** One resumable unit of work. It may run twice, so running it twice must be harmless. */
export interface Step {
  /** Key in the journal: kebab-case, and never changed once released. */
  readonly id: string;
  readonly title: string;
  readonly phase: Phase;
  /** Steps that must have finished before, and whose outputs this one sees. */
  readonly needs: readonly string[];
  /** Everything outside that it depends on. A change here makes a finished step run again. */
  readonly inputs: JsonObject;
  readonly timeoutMs?: number | undefined;
  /** How long an aborted step may take to leave. */
  readonly graceMs?: number | undefined;
  /** Tries in all, for transient failures. */
  readonly attempts?: number | undefined;
  /** A failure is told, but does not fail the run. */
  readonly bestEffort?: boolean | undefined;
  /** A post step that is not needed when all went well. */
  readonly optionalOnSuccess?: boolean | undefined;
  /** Runs each time, even when finished before: it checks or starts something. */
  readonly always?: boolean | undefined;
  /** What it would do, for plans and dry runs. */
  readonly plan?: (() => Promise<readonly string[]>) | undefined;
  readonly run: (ctx: Context, run: StepRun) => Promise<JsonObject>;
}

/** Steps in order. Those that need nothing of each other may run side by side. */
export interface Workflow {
  readonly name: string;
  readonly steps: readonly Step[];
}
