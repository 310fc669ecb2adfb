import { examineAll } from '../../site/doctor/doctor.ts';
import { planUp } from '../../site/up.ts';
import { defineCommand } from '../command.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';
import { columns } from '../table.ts';
import { checkLines, contentLine, exitCodeOf } from './doctor.ts';

export const planCommand = defineCommand({
  name: 'plan',
  summary: 'Show what each stage of a site will do, and whether it will run',
  description:
    'Changes nothing. A finished stage runs again only when something it depends on has changed; the reason is shown. Images and bytes are asked of upstream; what stands in the way is told, as "atoll doctor" does. Exits 3 when something does.',
  options: SITE_OPTION,
  examples: {
    'atoll plan': 'the site in atoll.yaml',
  },
  run: (ctx, input) =>
    withSite(ctx, input, 'look', async (open) => ({
      site: open.work.site.name,
      stages: await planUp(ctx, open),
      ...(await examineAll(ctx, open.work)),
    })),
  text: ({ site, stages, content, checks }, style) => {
    const heads = columns(
      stages.map(({ id, run, reason }) => [
        run ? style.green('run') : style.dim('skip'),
        style.bold(id),
        style.dim(reason),
      ]),
    );
    return [
      style.bold(`Site ${site}`),
      ...stages.flatMap(({ does }, at) => [heads[at], ...does.map((line) => `       ${line}`)]),
      ...(content ? ['', contentLine(content)] : ['']),
      ...checks
        .filter(({ severity }) => severity !== 'ok')
        .flatMap((check) => checkLines(check, style)),
    ].join('\n');
  },
  exitCode: ({ checks }) => exitCodeOf(checks),
});
