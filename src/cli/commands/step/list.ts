import { by } from '../../../core/order.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { columns } from '../../table.ts';
import { openStepRegistry, STEP_OPTIONS } from './step-registry-folder.ts';

interface Listed {
  readonly kind: 'workflow' | 'chain' | 'ref';
  readonly name: string;
  readonly documentation: string;
}

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
  async run(ctx, { args, options }) {
    const registry = await openStepRegistry(ctx, options.registry);
    const all: Listed[] = [
      ...entries('workflow', registry.workflows),
      ...entries('chain', registry.chains),
      ...[...registry.refs].map(([name, { step }]) => listed('ref', name, step.documentation)),
    ];
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

type Documented = ReadonlyMap<string, { readonly documentation?: string | null | undefined }>;

function entries(kind: Listed['kind'], map: Documented): Listed[] {
  return [...map].map(([name, { documentation }]) => listed(kind, name, documentation));
}

function listed(kind: Listed['kind'], name: string, text: string | null | undefined): Listed {
  return { kind, name, documentation: (text ?? '').trim().split('\n')[0] ?? '' };
}
