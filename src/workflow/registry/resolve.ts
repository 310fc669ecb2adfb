import { AtollError } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import type { Phase } from '../step.ts';
import type { RegisteredStep, StepRegistry } from './read-registry.ts';
import type { LiteralStep, Parameter, RegistryWorkflow, StepEntry } from './schema.ts';

/** Where the effective value of a variable came from: `step`, `chain/x`, `workflow/y`, `caller`. */
export interface EffectiveValue {
  readonly name: string;
  /** Undefined when nobody gave one: the step cannot run. */
  readonly value: string | undefined;
  readonly from: string;
  readonly documentation: string | null | undefined;
}

/** A step in its place, with everything that applies to it there. */
export interface ResolvedStep extends RegisteredStep {
  readonly phase: Phase;
  /** `workflow/a > chain/b > chain/c`. */
  readonly path: readonly string[];
  readonly env: readonly EffectiveValue[];
  /** Its failure is told, but counts for nothing. In a workflow only where that allows it. */
  readonly bestEffort: boolean;
  readonly dependencies: readonly {
    readonly name: string;
    readonly env: string;
    readonly from: string;
  }[];
}

export interface ResolvedPlan {
  readonly name: string;
  readonly kind: 'ref' | 'chain' | 'workflow';
  readonly steps: readonly ResolvedStep[];
  readonly allowSkipOnSuccess: boolean;
  /** Mistakes that the CI would refuse: unknown names, cycles, duplicates, unused overrides. */
  readonly problems: readonly string[];
}

/** Values set around a step. The outermost that names a variable wins, as in the CI. */
interface Frame {
  readonly label: string;
  /** A chain may name a variable without a value: then those further in do not count, either. */
  readonly env: ReadonlyMap<string, string | undefined>;
  readonly dependencies: ReadonlyMap<string, string>;
}

interface Walk {
  readonly registry: StepRegistry;
  readonly phase: Phase;
  readonly allowBestEffort: boolean;
  readonly steps: ResolvedStep[];
  readonly problems: string[];
  readonly seen: Set<string>;
}

/** Resolves a workflow, chain or ref by name, with the caller's own variables outermost. */
export function resolveSteps(
  registry: StepRegistry,
  name: string,
  callerEnv: Readonly<Record<string, string>> = {},
): ResolvedPlan {
  const caller: Frame = {
    label: 'caller',
    env: new Map(Object.entries(callerEnv)),
    dependencies: new Map(),
  };
  const workflow = registry.workflows.get(name);
  if (workflow) return resolveWorkflow(registry, workflow, caller);
  const kind = registry.chains.has(name) ? 'chain' : 'ref';
  if (kind === 'ref' && !registry.refs.has(name)) throw unknownName(registry, name);
  const walk: Walk = {
    registry,
    phase: 'test',
    allowBestEffort: true,
    steps: [],
    problems: [],
    seen: new Set(),
  };
  walkEntries(walk, [kind === 'chain' ? { chain: name } : { ref: name }], [caller]);
  return {
    name,
    kind,
    steps: walk.steps,
    problems: walk.problems,
    allowSkipOnSuccess: false,
  };
}

function resolveWorkflow(
  registry: StepRegistry,
  workflow: RegistryWorkflow,
  caller: Frame,
): ResolvedPlan {
  const config = workflow.steps;
  const frame: Frame = {
    label: `workflow/${workflow.as}`,
    env: new Map(Object.entries(config.env ?? {})),
    dependencies: new Map(Object.entries(config.dependencies ?? {})),
  };
  const steps: ResolvedStep[] = [];
  const problems: string[] = [];
  const allowBestEffort = config.allow_best_effort_post_steps ?? false;
  for (const phase of ['pre', 'test', 'post'] as const) {
    const seen = new Set<string>();
    const walk: Walk = { registry, phase, allowBestEffort, steps: [], problems, seen };
    walkEntries(walk, config[phase] ?? [], [caller, frame]);
    steps.push(...walk.steps);
  }
  problems.push(...unusedOverrides(frame, steps));
  return {
    name: workflow.as,
    kind: 'workflow',
    steps,
    problems,
    allowSkipOnSuccess: config.allow_skip_on_success ?? false,
  };
}

function walkEntries(walk: Walk, entries: readonly StepEntry[], frames: readonly Frame[]): void {
  for (const entry of entries) {
    if ('chain' in entry && entry.chain !== undefined) walkChain(walk, entry.chain, frames);
    else if ('ref' in entry && entry.ref !== undefined) walkRef(walk, entry.ref, frames);
    else addStep(walk, { step: entry as LiteralStep, file: '' }, frames);
  }
}

function walkChain(walk: Walk, name: string, frames: readonly Frame[]): void {
  const label = `chain/${name}`;
  const chain = walk.registry.chains.get(name);
  if (!chain) {
    addProblem(walk, frames, `unknown chain "${name}"`);
    return;
  }
  if (frames.some((frame) => frame.label === label)) {
    addProblem(walk, frames, `chain "${name}" contains itself`);
    return;
  }
  const env = new Map((chain.env ?? []).map((given) => [given.name, given.default ?? undefined]));
  const frame: Frame = { label, env, dependencies: new Map() };
  const before = walk.steps.length;
  walkEntries(walk, chain.steps ?? [], [...frames, frame]);
  walk.problems.push(...unusedOverrides(frame, walk.steps.slice(before)));
}

function walkRef(walk: Walk, name: string, frames: readonly Frame[]): void {
  const registered = walk.registry.refs.get(name);
  if (registered) addStep(walk, registered, frames);
  else addProblem(walk, frames, `unknown step "${name}"`);
}

function addStep(walk: Walk, registered: RegisteredStep, frames: readonly Frame[]): void {
  const { step } = registered;
  if (walk.seen.has(step.as)) {
    addProblem(walk, frames, `step "${step.as}" appears twice in "${walk.phase}"`);
    return;
  }
  walk.seen.add(step.as);
  walk.steps.push({
    ...registered,
    phase: walk.phase,
    path: frames.slice(1).map((frame) => frame.label),
    bestEffort: walk.allowBestEffort && step.best_effort === true,
    env: (step.env ?? []).map((parameter) => effectiveValue(parameter, frames)),
    dependencies: (step.dependencies ?? []).map(({ name, env }) => {
      const frame = frames.find((candidate) => candidate.dependencies.has(env));
      const given = frame?.dependencies.get(env);
      return frame && given ? { env, name: given, from: frame.label } : { env, name, from: 'step' };
    }),
  });
}

function effectiveValue(parameter: Parameter, frames: readonly Frame[]): EffectiveValue {
  const frame = frames.find((candidate) => candidate.env.has(parameter.name));
  const given = frame?.env.get(parameter.name);
  return {
    name: parameter.name,
    value: given ?? parameter.default ?? undefined,
    from: frame && given !== undefined ? frame.label : 'step',
    documentation: parameter.documentation,
  };
}

/** A value that no step below declares is a misspelling more often than not. */
function unusedOverrides({ label, env, dependencies }: Frame, steps: readonly ResolvedStep[]) {
  const declared = new Set(steps.flatMap((step) => step.env.map(({ name }) => name)));
  const images = new Set(steps.flatMap((step) => step.dependencies.map((image) => image.env)));
  return [
    ...unused(env, declared).map((told) => `${label}: no step declares ${told}`),
    ...unused(dependencies, images).map((told) => `${label}: no step has a dependency ${told}`),
  ];
}

function unused(given: ReadonlyMap<string, unknown>, known: ReadonlySet<string>): string[] {
  return [...given.keys()]
    .filter((name) => !known.has(name))
    .map((name) => {
      const close = nearest(name, known);
      return `"${name}"${close ? `, did it mean "${close}"?` : ''}`;
    });
}

function addProblem(walk: Walk, frames: readonly Frame[], message: string): void {
  walk.problems.push(
    `${
      frames
        .slice(1)
        .map((frame) => frame.label)
        .join(' > ') || 'registry'
    }: ${message}`,
  );
}

function unknownName(registry: StepRegistry, name: string): AtollError {
  const close = nearest(name, registry.names);
  return new AtollError('INPUT_INVALID', `Cannot find a step, chain or workflow named "${name}"`, {
    hint: close ? `Did you mean "${close}"?` : 'Run "atoll step list" to see what there is',
  });
}
