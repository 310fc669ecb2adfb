import { join } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import {
  exists,
  makeFolder,
  readTextIfPresent,
  SECRET_DIRECTORY_MODE,
  SECRET_MODE,
  writeFileAtomic,
} from '../../core/files.ts';
import type { JsonObject, Step } from '../step.ts';
import { readCommands } from './read-registry.ts';
import type { ResolvedStep } from './resolve.ts';
import { runScript } from './run-script.ts';
import { durationMs } from './schema.ts';

/** The CI's own defaults. */
const DEFAULT_TIMEOUT_MS = 2 * 3_600_000;
const DEFAULT_GRACE_MS = 15_000;
/** After the grace period: enough to be gone, and to be known to be. */
const LEAVING_MS = 5000;

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
  /** Folders of credentials, by their name or by the place where a step expects them. */
  readonly credentials?: Readonly<Record<string, string>> | undefined;
}

/**
 * Turns a resolved ref into a step of ours that runs its commands with bash on this machine. The
 * commands are read now: what is hashed is what will run.
 */
export async function shellStep(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
  needs: readonly string[],
): Promise<Step> {
  const { step } = resolved;
  const commands = mapped(await readCommands(resolved), resolved, surroundings);
  const graceMs = step.grace_period ? durationMs(step.grace_period) : DEFAULT_GRACE_MS;
  return {
    id: step.as,
    title: step.as,
    phase: resolved.phase,
    needs,
    inputs: {
      commands,
      env: Object.fromEntries(resolved.env.map((value) => [value.name, value.value])),
    },
    timeoutMs: step.timeout ? durationMs(step.timeout) : DEFAULT_TIMEOUT_MS,
    graceMs: graceMs + LEAVING_MS,
    bestEffort: resolved.bestEffort,
    optionalOnSuccess: step.optional_on_success,
    run: async (ctx, { directory, log }) => {
      await checkCredentials(resolved, surroundings);
      const environment = await environmentOf(resolved, surroundings, directory);
      const script = join(directory, 'commands.sh');
      await writeFileAtomic(script, commands, { mode: 0o700 });
      // As in the CI: a failed command or an unset variable ends the step.
      const [program, args] = step.run_as_script ? [script, []] : ['bash', ['-eu', script]];
      const status = await runScript(ctx, { program, args, directory, environment, graceMs, log });
      ctx.signal.throwIfAborted();
      if (status !== 0) throw failed(step.as, status);
      return {};
    },
  };
}

/** Where the folder of a credential is here; undefined when nothing was said of it. */
function folderOf(credential: Credential, { credentials = {} }: ShellSurroundings) {
  const { mount_path: place, name, bundle } = credential;
  return credentials[place] ?? credentials[name ?? ''] ?? credentials[bundle ?? ''];
}

type Credential = NonNullable<ResolvedStep['step']['credentials']>[number];

/** The text with the places of credentials replaced: without a container nothing can be mounted there. */
function mapped(text: string, { step }: ResolvedStep, surroundings: ShellSurroundings): string {
  return (step.credentials ?? []).reduce((result, credential) => {
    const folder = folderOf(credential, surroundings);
    const place = credential.mount_path.replace(/\/+$/, '');
    return folder === undefined ? result : result.replaceAll(place, folder);
  }, text);
}

/** The variables a step sees; throws when one it declares has no value. */
async function environmentOf(
  resolved: ResolvedStep,
  surroundings: ShellSurroundings,
  directory: string,
): Promise<Record<string, string>> {
  const { sharedDir, clusterProfileDir } = surroundings;
  const artifactDir = join(surroundings.artifactDir, resolved.step.as);
  await makeFolder(sharedDir, SECRET_DIRECTORY_MODE);
  await makeFolder(artifactDir, SECRET_DIRECTORY_MODE);
  return {
    ...inherited(surroundings.env),
    ...declaredValues(resolved, surroundings),
    SHARED_DIR: sharedDir,
    ARTIFACT_DIR: artifactDir,
    ...(clusterProfileDir ? { CLUSTER_PROFILE_DIR: clusterProfileDir } : {}),
    ...(resolved.step.no_kubeconfig ? {} : await clusterAccess(sharedDir, directory)),
  };
}

/**
 * The cluster of the run, not the one the caller happens to use. A step may spoil its copy of the
 * kubeconfig; where there is none yet, it sees the one that it makes itself.
 */
async function clusterAccess(
  sharedDir: string,
  directory: string,
): Promise<Record<string, string>> {
  const shared = join(sharedDir, 'kubeconfig');
  const own = join(directory, 'kubeconfig');
  const text = await readTextIfPresent(shared);
  if (text !== undefined) await writeFileAtomic(own, text, { mode: SECRET_MODE });
  return {
    KUBECONFIG: text === undefined ? shared : own,
    KUBECONFIGMINIMAL: join(sharedDir, 'kubeconfig-minimal'),
    KUBEADMIN_PASSWORD_FILE: join(sharedDir, 'kubeadmin-password'),
  };
}

function inherited({ KUBECONFIG: _, ...env }: ShellSurroundings['env']): Record<string, string> {
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
    else values[name] = mapped(value, resolved, surroundings);
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
    if (await exists(folderOf(credential, surroundings) ?? credential.mount_path)) continue;
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot run step "${resolved.step.as}": its credential "${credential.name ?? credential.bundle ?? ''}" is not at "${credential.mount_path}"`,
      {
        hint: `Name a folder with its files: --credential ${credential.name ?? credential.mount_path}=DIR; or run with --ignore-credentials if the step can do without`,
      },
    );
  }
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
): Promise<Step[]> {
  const steps = resolved.map((step, index) => {
    const before = resolved[index - 1];
    const follows = before && before.phase === step.phase ? [before.step.as] : [];
    return shellStep(step, surroundings, follows);
  });
  return Promise.all(steps);
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
    bestEffort: resolved.bestEffort,
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
