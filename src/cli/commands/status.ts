import { siteStatus } from '../../site/status.ts';
import { defineCommand } from '../command.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';
import { columns } from '../table.ts';

export const statusCommand = defineCommand({
  name: 'status',
  summary: 'Show where a site stands: stages, and what it has made',
  options: SITE_OPTION,
  examples: {
    'atoll status': 'the site in atoll.yaml',
  },
  run: (ctx, input) => withSite(ctx, input, 'look', siteStatus),
  text: ({ site, stages, resources }, style) =>
    [
      style.bold(`Site ${site}`),
      ...columns(
        stages.map(({ stage, state, at, message }) => [
          stage,
          state,
          style.dim(at ?? ''),
          message ?? '',
        ]),
      ),
      style.bold('Made by this site'),
      ...(resources.length === 0 ? ['nothing'] : []),
      ...columns(
        resources.map(({ kind, id, temporary, running }) => {
          const marks = [
            temporary ? 'temporary' : '',
            running === undefined ? '' : running ? 'running' : 'stopped',
          ];
          return [kind, id, style.dim(marks.filter((mark) => mark !== '').join(', '))];
        }),
      ),
    ].join('\n'),
});
