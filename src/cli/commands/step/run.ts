import { join, resolve } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { acquireLock } from '../../../core/lock.ts';
import { openJournal } from '../../../workflow/journal.ts';
import { type MissingNeeds, missingNeeds } from '../../../workflow/registry/missing-needs.ts';
import { resolveSteps } from '../../../workflow/registry/resolve.ts';
import { describeStep, shellSteps } from '../../../workflow/registry/shell-step.ts';
import { runWorkflow } from '../../../workflow/run-workflow.ts';
import { defineCommand } from '../../command.ts';
import { onOff, text, texts } from '../../flags.ts';
import { columns } from '../../table.ts';
import { openStepRegistry, parsePairs, STEP_OPTIONS } from './step-registry-folder.ts';

export const stepRunCommand = defineCommand({
  name: 'step run',
  summary: 'Run a step, chain or workflow on this machine',
  description:
    'Runs the commands with bash and "set -eu" here, with SHARED_DIR, ARTIFACT_DIR, CLUSTER_PROFILE_DIR and KUBECONFIG as in the CI: a step sees the kubeconfig of SHARED_DIR, not yours. A run that was interrupted goes on where it stopped; --fresh starts again.',
  arguments: [{ name: 'name', summary: 'Step, chain or workflow' }],
  options: {
    ...STEP_OPTIONS,
    dir: text('DIR', 'Where the run keeps its journal, logs, shared and artifact folders', {
      default: '.atoll/steps',
    }),
    sharedDir: text('DIR', 'SHARED_DIR (default: shared in --dir)'),
    clusterProfileDir: text('DIR', 'CLUSTER_PROFILE_DIR'),
    credential: texts(
      'NAME=DIR',
      'Folder of a credential, by its name or the path a step expects it at. May be repeated',
    ),
    ignoreCredentials: onOff('Run although a credential is not mounted here'),
    fresh: onOff('Run steps that are finished, too'),
    dryRun: onOff('Show what would run and change nothing'),
  },
  examples: {
    'atoll step run my-check --registry steps --env REGION=eu-west-1': 'one step',
    'atoll step run ipi-conf --registry steps --credential ci-pull-credentials=secrets':
      'with a credential that the CI would mount',
    'atoll step run ipi-aws --registry steps --dry-run': 'only look',
  },
  async run(ctx, { args, options, terminal }) {
    const name = args.name ?? '';
    const registry = await openStepRegistry(ctx, options.registry, args.name ?? '');
    const given = parsePairs('--env', options.env);
    const resolved = resolveSteps(registry, name, given);
    if (resolved.problems.length > 0) {
      throw new AtollError(
        'INPUT_INVALID',
        `Cannot run "${name}": ${resolved.problems.join('; ')}`,
      );
    }
    const directory = resolve(options.dir, name);
    if (options.dryRun)
      return { dryRun: true, steps: resolved.steps.map(describeStep), outcomes: [], directory };

    const lock = await acquireLock(ctx, join(directory, 'lock'), `the run of "${name}"`);
    const journal = await openJournal(ctx, join(directory, 'journal.ndjson'));
    try {
      const surroundings = {
        sharedDir: resolve(options.sharedDir ?? join(directory, 'shared')),
        artifactDir: join(directory, 'artifacts'),
        clusterProfileDir: options.clusterProfileDir && resolve(options.clusterProfileDir),
        env: { ...terminal.env, ...given },
        ignoreCredentials: options.ignoreCredentials,
        credentials: foldersOf(options.credential),
      };
      for (const needs of await missingNeeds(resolved.steps, surroundings)) warn(ctx, needs);
      const steps = await shellSteps(resolved.steps, surroundings);
      const { allowSkipOnSuccess } = resolved;
      const result = await runWorkflow(ctx, { name, steps }, journal, {
        directory,
        allowSkipOnSuccess,
        fresh: options.fresh,
      });
      if (!result.succeeded) {
        ctx.emit({ type: 'note.added', message: `logs are in ${join(directory, 'logs')}` });
        throw result.error;
      }
      return { dryRun: false, steps: [], outcomes: result.outcomes, directory };
    } finally {
      await journal.close();
      await lock.release();
    }
  },
  text: ({ dryRun, steps, outcomes, directory }) =>
    dryRun
      ? steps.map((step) => `${step.phase}  ${step.step}`).join('\n')
      : [
          ...columns(outcomes.map(({ step, outcome, reason }) => [outcome, step, reason ?? ''])),
          `logs are in ${join(directory, 'logs')}`,
        ].join('\n'),
});

function foldersOf(pairs: readonly string[]): Record<string, string> {
  const folders = Object.entries(parsePairs('--credential', pairs));
  return Object.fromEntries(folders.map(([name, folder]) => [name, resolve(folder)]));
}

/** Better before an hour of steps than after it. */
function warn(ctx: Context, { step, variables, programs }: MissingNeeds): void {
  const missing = [
    ...(variables.length > 0 ? [`variables nobody sets: ${variables.join(', ')}`] : []),
    ...(programs.length > 0 ? [`programs that are not here: ${programs.join(', ')}`] : []),
  ];
  ctx.emit({
    type: 'warning.raised',
    subject: step,
    message: `Step "${step}" may miss ${missing.join('; ')}`,
    hint: 'Set variables with --env NAME=VALUE, and put programs on the PATH under these names',
  });
}
