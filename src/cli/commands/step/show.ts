import { resolveSteps } from '../../../workflow/registry/resolve.ts';
import { describeStep } from '../../../workflow/registry/shell-step.ts';
import { defineCommand } from '../../command.ts';
import { openStepRegistry, parsePairs, STEP_OPTIONS } from './step-registry-folder.ts';

export const stepShowCommand = defineCommand({
  name: 'step show',
  summary: 'Show the resolved steps and the variables each one sees',
  description:
    'Resolves a ref, chain or workflow as the CI does: the outermost chain or workflow that sets a variable wins. Each value is shown with where it came from.',
  arguments: [{ name: 'name', summary: 'Step, chain or workflow' }],
  options: STEP_OPTIONS,
  examples: {
    'atoll step show atoll-install': 'the ten stages',
    'atoll step show ipi-aws --registry DIR --env BASE_DOMAIN=example.com': 'with a value of yours',
  },
  async run(ctx, { args, options }) {
    const registry = await openStepRegistry(ctx, options.registry, args.name ?? '');
    const resolved = resolveSteps(registry, args.name ?? '', parsePairs('--env', options.env));
    return {
      name: resolved.name,
      kind: resolved.kind,
      allowSkipOnSuccess: resolved.allowSkipOnSuccess,
      steps: resolved.steps.map((step) => ({ ...step, described: describeStep(step) })),
      problems: resolved.problems,
    };
  },
  text({ name, kind, steps, problems }, style) {
    const lines = [style.bold(`${kind}/${name}`)];
    for (const { step, phase, path, env } of steps) {
      lines.push(
        '',
        `${style.dim(phase.padEnd(4))} ${style.bold(step.as)}  ${style.dim(path.join(' > '))}`,
      );
      for (const { name: variable, value, from } of env) {
        const shown = value === undefined ? style.red('no value') : JSON.stringify(value);
        lines.push(`     ${variable}=${shown}  ${style.dim(`from ${from}`)}`);
      }
    }
    if (problems.length > 0) {
      lines.push('', style.yellow('Problems'), ...problems.map((problem) => `  ${problem}`));
    }
    return lines.join('\n');
  },
  exitCode: ({ problems }) => (problems.length > 0 ? 3 : 0),
});
