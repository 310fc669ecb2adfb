import { stepDot, stepTree } from '../../../workflow/registry/graph.ts';
import { resolveSteps } from '../../../workflow/registry/resolve.ts';
import { defineCommand } from '../../command.ts';
import { text } from '../../flags.ts';
import { openStepRegistry, STEP_OPTIONS } from './step-registry-folder.ts';

export const stepGraphCommand = defineCommand({
  name: 'step graph',
  summary: 'Draw the order in which steps run',
  arguments: [{ name: 'name', summary: 'Step, chain or workflow' }],
  options: {
    registry: STEP_OPTIONS.registry,
    format: text('FORMAT', 'tree or dot (Graphviz)', { choices: ['tree', 'dot'], default: 'tree' }),
  },
  examples: {
    'atoll step graph atoll-install': 'a tree',
    'atoll step graph atoll-install --format dot | dot -Tsvg > install.svg': 'a picture',
  },
  async run(ctx, { args, options }) {
    const registry = await openStepRegistry(ctx, options.registry, args.name ?? '');
    const resolved = resolveSteps(registry, args.name ?? '');
    for (const message of resolved.problems) ctx.emit({ type: 'warning.raised', message });
    const graph = options.format === 'dot' ? stepDot(resolved) : stepTree(resolved);
    return { graph, problems: resolved.problems };
  },
  text: ({ graph }) => graph,
  exitCode: ({ problems }) => (problems.length > 0 ? 3 : 0),
});
