import { spawn } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { SECRET_DIRECTORY_MODE } from '../../core/files.ts';
import type { JsonObject, Step } from '../step.ts';
import { readCommands } from './read-registry.ts';
import type { ResolvedStep } from './resolve.ts';
import { durationMs } from './schema.ts';

/** The CI's own defaults. */
const DEFAULT_TIMEOUT_MS = 2 * 3_600_000;
const DEFAULT_GRACE_MS = 15_000;

/** What a step finds around it, as in the CI. */
export interface ShellSurroundings {
  /** Small files that steps hand to later ones. */
  readonly sharedDir: string;
  /** Each step gets a folder of its own below. */
  readonly artifactDir: string;
  readonly clusterProfileDir?: string | undefined;
  /** Values for leases and image dependencies, by variable; the caller's environment for the rest. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Steps run although a credential they mount is not on this machine. */
  readonly ignoreCredentials?: boolean | undefined;
}

/** Turns a resolved ref into a step of ours that runs its commands with bash on this machine. */
export function shellStep(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
  needs: readonly string[],
): Step {
  const { step } = resolved;
  return {
    id: step.as,
    title: step.as,
    phase: resolved.phase,
    needs,
    inputs: {
      commands: step.commands,
      env: Object.fromEntries(resolved.env.map((value) => [value.name, value.value])),
    },
    timeoutMs: step.timeout ? durationMs(step.timeout) : DEFAULT_TIMEOUT_MS,
    graceMs: (step.grace_period ? durationMs(step.grace_period) : DEFAULT_GRACE_MS) + 1000,
    bestEffort: step.best_effort,
    optionalOnSuccess: step.optional_on_success,
    run: async (ctx, run) => {
      await checkCredentials(resolved, surroundings);
      const environment = await environmentOf(resolved, surroundings);
      const script = join(run.directory, 'commands.sh');
      await writeFile(script, await readCommands(resolved), { mode: 0o700 });
      await runScript(ctx, {
        resolved,
        script,
        directory: run.directory,
        environment,
        log: run.log,
      });
      return {};
    },
  };
}

/** The variables a step sees; throws when one it declares has no value. */
export async function environmentOf(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
): Promise<Record<string, string>> {
  const { sharedDir, clusterProfileDir } = surroundings;
  const artifactDir = join(surroundings.artifactDir, resolved.step.as);
  await mkdir(sharedDir, { recursive: true, mode: SECRET_DIRECTORY_MODE });
  await mkdir(artifactDir, { recursive: true, mode: SECRET_DIRECTORY_MODE });
  const kubeconfig = join(sharedDir, 'kubeconfig');
  const hasKubeconfig = !resolved.step.no_kubeconfig && (await exists(kubeconfig));
  return {
    ...inherited(surroundings.env),
    ...declaredValues(resolved, surroundings),
    SHARED_DIR: sharedDir,
    ARTIFACT_DIR: artifactDir,
    ...(clusterProfileDir ? { CLUSTER_PROFILE_DIR: clusterProfileDir } : {}),
    ...(hasKubeconfig ? { KUBECONFIG: kubeconfig } : {}),
  };
}

function inherited(env: ShellSurroundings['env']): Record<string, string> {
  const passed = Object.entries(env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(passed);
}

function declaredValues(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
): Record<string, string> {
  const values: Record<string, string> = {};
  const missing: string[] = [];
  for (const { name, value } of resolved.env) {
    if (value === undefined) missing.push(name);
    else values[name] = value;
  }
  const outside = [...(resolved.step.leases ?? []), ...resolved.dependencies].map(
    (from) => from.env,
  );
  missing.push(...outside.filter((name) => surroundings.env[name] === undefined));
  if (missing.length > 0) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot run step "${resolved.step.as}": no value for ${missing.join(', ')}`,
      {
        hint: `Give each with "--env NAME=VALUE"; "atoll step show ${resolved.step.as}" says what they mean`,
      },
    );
  }
  return values;
}

async function checkCredentials(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
): Promise<void> {
  if (surroundings.ignoreCredentials) return;
  for (const credential of resolved.step.credentials ?? []) {
    if (await exists(credential.mount_path)) continue;
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot run step "${resolved.step.as}": its credential "${credential.name ?? credential.bundle ?? ''}" is not at "${credential.mount_path}"`,
      { hint: 'Put the files there, or run with --ignore-credentials if the step can do without' },
    );
  }
}

interface ScriptRun {
  readonly resolved: ResolvedStep;
  readonly script: string;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

/** Runs the commands; aborting sends SIGINT to the whole group, then SIGKILL after the grace period. */
async function runScript(ctx: Context, run: ScriptRun): Promise<void> {
  const { step } = run.resolved;
  const [program, args] = step.run_as_script ? [run.script, []] : ['bash', [run.script]];
  const child = spawn(program, args, {
    cwd: run.directory,
    env: run.environment,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  const output = Promise.all([forward(child.stdout, run.log), forward(child.stderr, run.log)]);
  const graceMs = step.grace_period ? durationMs(step.grace_period) : DEFAULT_GRACE_MS;
  let killer: NodeJS.Timeout | undefined;
  const stop = () => {
    killGroup(child.pid, 'SIGINT');
    killer = setTimeout(() => killGroup(child.pid, 'SIGKILL'), graceMs);
  };
  ctx.signal.addEventListener('abort', stop, { once: true });
  try {
    const status = await new Promise<number | string>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? signal ?? 'unknown'));
    });
    await output;
    ctx.signal.throwIfAborted();
    if (status !== 0) throw failed(step.as, status);
  } finally {
    ctx.signal.removeEventListener('abort', stop);
    clearTimeout(killer);
  }
}

async function forward(stream: Readable, log: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) log(line);
}

function killGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // Gone already.
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function failed(step: string, status: number | string): AtollError {
  return new AtollError(
    'PROGRAM_FAILED',
    `Step "${step}" failed: its commands ended with ${status}`,
    {
      hint: 'Its log has all it printed',
      details: { step, status },
    },
  );
}

/** The steps of a resolved workflow, one after the other within each phase, as the CI runs them. */
export function shellSteps(
  resolved: readonly ResolvedStep[],
  surroundings: ShellSurroundings,
): Step[] {
  return resolved.map((step, index) => {
    const before = resolved[index - 1];
    const follows = before && before.phase === step.phase ? [before.step.as] : [];
    return shellStep(step, surroundings, follows);
  });
}

/** What a plan says of a resolved step. */
export function describeStep(resolved: ResolvedStep): JsonObject {
  const { step } = resolved;
  return {
    step: step.as,
    phase: resolved.phase,
    path: resolved.path,
    from: step.from ?? step.from_image?.name,
    commands: step.commands,
    timeout: step.timeout,
    gracePeriod: step.grace_period,
    bestEffort: step.best_effort,
    optionalOnSuccess: step.optional_on_success,
    cli: step.cli,
    env: resolved.env.map(({ name, value, from }) => ({ name, value, from })),
    dependencies: resolved.dependencies.map(({ name, env, from }) => ({ name, env, from })),
    leases: (step.leases ?? []).map((lease) => ({
      env: lease.env,
      resourceType: lease.resource_type,
      count: lease.count,
    })),
    credentials: (step.credentials ?? []).map((credential) => ({
      name: credential.name ?? credential.bundle,
      mountPath: credential.mount_path,
    })),
    documentation: step.documentation,
  };
}
