import type { Context } from '../../core/context.ts';
import { ERROR_CODES } from '../../core/error-codes.ts';
import { AtollError, exitCodeOf } from '../../core/errors.ts';
import { formatDuration } from '../../core/format.ts';
import { planContent } from '../../site/doctor/plan-content.ts';
import type { OpenSite } from '../../site/open-site.ts';
import type { SiteEnd } from '../../site/site-end.ts';
import { bringUp, planUp } from '../../site/up.ts';
import { defineCommand, type Style } from '../command.ts';
import { besideDashboard, UI_SWITCH, withRunReport } from '../dashboard-options.ts';
import { onOff, text, texts } from '../flags.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';
import { columns } from '../table.ts';

export const upCommand = defineCommand({
  name: 'up',
  summary: 'Bring a site up: run its stages, from wherever the last run stopped',
  description:
    'Finished stages are skipped, an interrupted one resumes, and a changed site file re-runs only what depends on the change. Every stage can run alone.',
  options: {
    ...SITE_OPTION,
    from: text('STAGE', 'First stage to run'),
    to: text('STAGE', 'Last stage to run'),
    only: texts('STAGE', 'Only this stage; may be repeated'),
    fresh: onOff('Run finished stages, too'),
    skipRehearsal: onOff('Boot machines although no rehearsal has shown what they can pull'),
    ...UI_SWITCH,
    dryRun: onOff('Show what would run and change nothing'),
  },
  examples: {
    'atoll up': 'everything that is not done',
    'atoll up --only images --fresh': 'the images stage, again',
    'atoll up --to config': 'all there is before machines boot',
  },
  run: (ctx, input) =>
    withSite(ctx, input, input.options.dryRun ? 'look' : 'change', async (open) => {
      const { options } = input;
      if (options.dryRun) {
        const stages = await planUp(ctx, open, options);
        await refuseUnfound(ctx, open);
        return { dryRun: true, stages, outcomes: [], outputs: {}, end: undefined };
      }
      const beside = { wanted: options.ui, terminal: input.terminal };
      const { site } = open.work;
      const { result, report } = await withRunReport(ctx, site, () =>
        besideDashboard(ctx, site, beside, () => bringUp(ctx, open, options)),
      );
      const { outcomes, outputs, error, succeeded, run, end } = result;
      if (!succeeded) throw error;
      return { dryRun: false, stages: [], run, outcomes, outputs, end, report };
    }),
  text: ({ dryRun, stages, outcomes, end }, style) =>
    (dryRun
      ? columns(stages.map(({ id, run, reason }) => [run ? 'run' : 'skip', id, style.dim(reason)]))
      : [
          ...columns(
            outcomes.map(({ step, outcome, durationMs, reason }) => [
              step,
              outcome,
              formatDuration(durationMs),
              style.dim(reason ?? ''),
            ]),
            { right: [2] },
          ),
          ...(end ? ['', ...endLines(end, style)] : []),
        ]
    ).join('\n'),
});

/** What is misspelled is told in a dry run, too; what cannot be asked now may be there later. */
async function refuseUnfound(ctx: Context, { work }: OpenSite): Promise<void> {
  if (work.site.steps.skip.includes('images')) return;
  await planContent(ctx, work).catch((error: unknown) => {
    const isSure = error instanceof AtollError && exitCodeOf(error) !== NETWORK_EXIT;
    if (isSure || !(error instanceof AtollError)) throw error;
  });
}

const NETWORK_EXIT = ERROR_CODES.REGISTRY_UNAVAILABLE.exit;

/** How to get in, and what comes next. */
function endLines(end: SiteEnd, style: Style): string[] {
  const facts = [
    ...(end.console ? [['console', style.bold(end.console)]] : []),
    ['API', end.api],
    ['kubeconfig', end.kubeconfig],
    ['password', `of ${end.user}, in ${end.passwordFile}`],
    ...(end.mirror ? [['mirror', end.mirror]] : []),
  ];
  return [
    style.green(end.mirror ? 'The cluster is up, and lives from the mirror' : 'The cluster is up'),
    ...columns(facts.map(([name = '', value = '']) => [`  ${name}`, value])),
    ...end.next.map((line) => `  ${style.dim('next')} ${line}`),
  ];
}
