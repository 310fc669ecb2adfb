import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { counted } from '../core/format.ts';
import { nearest } from '../core/nearest.ts';
import {
  overlayRegistry,
  readStepRegistry,
  type StepRegistry,
} from '../workflow/registry/read-registry.ts';
import { resolveSteps } from '../workflow/registry/resolve.ts';
import { type ShellSurroundings, shellStep } from '../workflow/registry/shell-step.ts';
import { shippedRegistry } from '../workflow/registry/shipped.ts';
import { checkWorkflow } from '../workflow/run-workflow.ts';
import type { Step, Workflow } from '../workflow/step.ts';
import { type Site, sitePath } from './read-site.ts';
import { siteDefaults } from './schema.ts';
import { leaveSharedFiles, sharedDir } from './shared-files.ts';
import { STAGES } from './stages/index.ts';
import { STAGE_IDS, type Stage, type StageWork } from './stages/stage.ts';

/** The ten stages as steps, with what the site skips, replaces and inserts. */
export async function siteWorkflow(ctx: Context, work: StageWork): Promise<Workflow> {
  const { site } = work;
  const own = site.steps.registry
    ? await ownRegistry(ctx, sitePath(site, site.steps.registry))
    : undefined;
  checkNames(site);
  refuseUnread(site);
  const registry = own ? overlayRegistry(shippedRegistry(), own) : shippedRegistry();
  const kept = STAGES.filter((stage) => !site.steps.skip.includes(stage.id));
  const steps = await Promise.all(kept.map((stage) => stageOrReplacement(work, stage, kept, own)));
  const workflow = { name: site.name, steps: await inserted(work, steps, registry) };
  checkWorkflow(workflow);
  return workflow;
}

/** A file of the site's own with a mistake must not pass for one that is not there. */
async function ownRegistry(ctx: Context, folder: string): Promise<StepRegistry> {
  const registry = await readStepRegistry(ctx, folder);
  const mistakes = registry.problems.filter(({ severity }) => severity === 'error');
  if (mistakes.length === 0) return registry;
  const lines = mistakes.map(
    ({ file, line, message }) => `\n  ${join(folder, file)}${line ? `:${line}` : ''}: ${message}`,
  );
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use steps.registry "${folder}": ${counted(mistakes.length, 'mistake')}${lines.join('')}`,
    { hint: 'Correct them, then run the same command again' },
  );
}

async function stageOrReplacement(
  work: StageWork,
  stage: Stage,
  kept: readonly Stage[],
  own: StepRegistry | undefined,
): Promise<Step> {
  const needs = needsOf(stage, kept);
  const replacement = `atoll-${stage.id}`;
  if (!own?.refs.has(replacement)) return stageStep(work, stage, needs);
  const [resolved] = resolveSteps(own, replacement).steps;
  if (!resolved) throw new Error(`The step ${replacement} resolves to nothing`);
  return {
    ...(await shellStep(resolved, surroundings(work), needs)),
    id: stage.id,
    title: stage.id,
    phase: 'test',
  };
}

/** A skipped stage leaves its needs to those that needed it. */
function needsOf(stage: Stage, kept: readonly Stage[]): string[] {
  return stage.needs.flatMap((id) => {
    if (kept.some((other) => other.id === id)) return [id];
    const skipped = STAGES.find((other) => other.id === id);
    return skipped ? needsOf(skipped, kept) : [];
  });
}

function stageStep(work: StageWork, stage: Stage, needs: readonly string[]): Step {
  return {
    id: stage.id,
    title: stage.id,
    phase: 'test',
    needs,
    inputs: stage.inputs(work.site),
    always: stage.always,
    plan: async () => stage.plan(work),
    run: async (ctx, run) => {
      const output = await stage.run(ctx, work, run);
      await leaveSharedFiles(ctx, work, stage.id, output);
      return output;
    },
  };
}

function surroundings({ paths, env, site }: StageWork): ShellSurroundings {
  return {
    sharedDir: sharedDir(paths),
    artifactDir: join(paths.state, 'artifacts'),
    env: { ...env, ATOLL_SITE: site.path },
  };
}

/** Puts the site's own steps where it wants them; what follows waits for them. */
async function inserted(
  work: StageWork,
  stages: readonly Step[],
  registry: StepRegistry,
): Promise<Step[]> {
  let steps = [...stages];
  for (const entry of work.site.steps.insert) {
    const { steps: resolved, problems } = resolveSteps(registry, entry.step, entry.env);
    if (problems.length > 0)
      throw new AtollError(
        'INPUT_INVALID',
        `Cannot insert "${entry.step}": ${problems.join('; ')}`,
      );
    const anchor = entry.before ?? entry.after ?? '';
    const index = steps.findIndex((step) => step.id === anchor);
    if (index < 0)
      throw unknownStep(
        'steps.insert',
        anchor,
        steps.map((step) => step.id),
      );
    const at = entry.before === undefined ? index + 1 : index;
    const first = entry.before === undefined ? [anchor] : (steps[index]?.needs ?? []);
    const own = chained(
      await Promise.all(resolved.map((step) => shellStep(step, surroundings(work), []))),
      first,
    );
    const last = own.at(-1)?.id;
    steps = [...steps.slice(0, at), ...own, ...steps.slice(at)].map((step) => {
      const waits = entry.before === undefined ? step.needs.includes(anchor) : step.id === anchor;
      return waits && last !== undefined && !own.includes(step)
        ? { ...step, needs: [...step.needs, last] }
        : step;
    });
  }
  return steps;
}

/** One after the other, the first after `first`. All count as work, whatever phase they came from. */
function chained(steps: readonly Step[], first: readonly string[]): Step[] {
  return steps.map((step, index) => {
    const before = steps[index - 1];
    return { ...step, phase: 'test', needs: before ? [before.id] : first };
  });
}

function checkNames({ steps }: Site): void {
  for (const name of steps.skip) {
    if (!STAGE_IDS.some((id) => id === name)) throw unknownStep('steps.skip', name, STAGE_IDS);
  }
}

function unknownStep(field: string, name: string, known: readonly string[]): AtollError {
  const close = nearest(name, known);
  return new AtollError(
    'INPUT_INVALID',
    `Cannot use ${field}: there is no stage or step "${name}"`,
    {
      hint: close ? `Did you mean "${close}"?` : `Known: ${known.join(', ')}`,
    },
  );
}

interface Field {
  readonly name: string;
  readonly isSet: (site: Site) => boolean;
  readonly instead: string;
}

const IGNITION = '"atoll render ignition" takes it as a flag';

const OF_A_LOGIN = ['port', 'privateKey', 'jump', 'knownHosts', 'hostKeys', 'directory'] as const;
const said = (value: unknown) => (Array.isArray(value) ? value.length > 0 : value !== undefined);

/** What is said about a bastion, and read by those who make it. */
const OF_A_MADE_BASTION: readonly Field[] = [
  { name: 'bastion.ami', isSet: ({ bastion }) => bastion.ami !== undefined, instead: 'remove it' },
  {
    name: 'bastion.user',
    isSet: ({ bastion }) =>
      bastion.address === undefined && bastion.user !== siteDefaults.bastionUser,
    instead: IGNITION,
  },
  ...OF_A_LOGIN.map((field) => ({
    name: `bastion.${field}`,
    isSet: ({ bastion }: Site) => bastion.address === undefined && said(bastion[field]),
    instead: 'it says how to reach a bastion elsewhere: name one, bastion.address',
  })),
  {
    name: 'bastion.sshKey',
    isSet: ({ bastion }) => bastion.sshKey !== undefined,
    instead: IGNITION,
  },
  {
    name: 'bastion.allowFrom',
    isSet: ({ bastion, proxy }) => bastion.allowFrom.length > 0 && !proxy.enabled,
    instead: 'close its ports with the firewall it has',
  },
];

/** A field that no stage would read is refused: it would silently do nothing. */
function refuseUnread(site: Site): void {
  if (site.platformKind.makesBastion) return;
  const unread = OF_A_MADE_BASTION.filter(({ isSet }) => isSet(site));
  if (unread.length === 0) return;
  const names = unread.map(({ name }) => name).join(', ');
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use ${names} on platform "${site.platformKind.name}": atoll makes no bastion there`,
    {
      hint: unread.map(({ name, instead }) => `${name}: ${instead}`).join('; '),
      details: { fields: counted(unread.length, 'field') },
    },
  );
}
