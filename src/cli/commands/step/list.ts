import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { by } from '../../../core/order.ts';
import { type ListedDefinition, listSteps } from '../../../workflow/registry/list-steps.ts';
import { shippedRegistry } from '../../../workflow/registry/shipped.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { columns } from '../../table.ts';
import { STEP_OPTIONS, tellProblems } from './step-registry-folder.ts';

export const stepListCommand = defineCommand({
  name: 'step list',
  summary: 'List steps, chains and workflows',
  arguments: [{ name: 'filter', summary: 'Only names that contain this', optional: true }],
  options: {
    registry: STEP_OPTIONS.registry,
    kind: text('KIND', 'Only this kind', { choices: ['ref', 'chain', 'workflow'] }),
  },
  examples: {
    'atoll step list': 'the steps that ship with atoll',
    'atoll step list disconnected --registry release/ci-operator/step-registry':
      'a registry of others',
  },
  async run(ctx, { args, options, terminal }) {
    const all = await everyStep(ctx, options.registry, terminal.env);
    const wanted = all.filter(
      ({ kind, name }) =>
        name.includes(args.filter ?? '') && (options.kind === undefined || kind === options.kind),
    );
    return { steps: wanted.toSorted(by(({ name }) => name)) };
  },
  text: ({ steps }, style) =>
    columns(
      steps.map(({ kind, name, documentation }) => [
        style.dim(kind),
        style.bold(name),
        documentation,
      ]),
    ).join('\n'),
});

/** Observers run beside steps; they are none. */
async function everyStep(
  ctx: Context,
  folder: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Promise<readonly ListedDefinition[]> {
  if (folder === undefined) return shippedSteps();
  const root = resolve(folder);
  const { steps, problems } = await listSteps(ctx, root, memoryOf(root, env));
  tellProblems(ctx, problems);
  return steps.filter(({ kind }) => kind !== 'observer');
}

/** Where it is remembered what the files of a registry say. */
function memoryOf(root: string, env: Readonly<Record<string, string | undefined>>): string {
  const cache = env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache');
  const name = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return join(cache, 'atoll', 'steps', `${name}.json`);
}

function shippedSteps(): ListedDefinition[] {
  const { workflows, chains, refs } = shippedRegistry();
  return [
    ...[...workflows].map(([name, { documentation }]) => listed('workflow', name, documentation)),
    ...[...chains].map(([name, { documentation }]) => listed('chain', name, documentation)),
    ...[...refs].map(([name, { step }]) => listed('ref', name, step.documentation)),
  ];
}

function listed(
  kind: ListedDefinition['kind'],
  name: string,
  text: string | null | undefined,
): ListedDefinition {
  return { kind, name, documentation: (text ?? '').trim().split('\n')[0] ?? '' };
}
