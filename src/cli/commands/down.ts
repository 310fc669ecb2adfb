import { AtollError } from '../../core/errors.ts';
import { counted } from '../../core/format.ts';
import { planDown, takeDown } from '../../site/down.ts';
import { defineCommand } from '../command.ts';
import { onOff } from '../flags.ts';
import { SITE_OPTION, withSite } from '../site-options.ts';

export const downCommand = defineCommand({
  name: 'down',
  summary: 'Remove exactly what a site made, newest first',
  description:
    'Asks first. Safe to repeat: what is gone already is no error. --temporary removes only what a private site needs for its install.',
  options: {
    ...SITE_OPTION,
    temporary: onOff('Only what was needed for the install and no longer'),
    dryRun: onOff('Show what would be removed and change nothing'),
  },
  examples: {
    'atoll down --dry-run': 'look first',
    'atoll down --temporary --yes': 'after a private install',
  },
  run: (ctx, input) =>
    withSite(ctx, input, input.options.dryRun ? 'look' : 'change', async (open) => {
      const { options, terminal } = input;
      const doomed = planDown(open, options);
      if (options.dryRun || doomed.length === 0) return { removed: [], wouldRemove: doomed };
      const list = doomed.map(({ kind, id }) => `  ${kind} ${id}`).join('\n');
      if (!(await terminal.confirm(`Remove this for good?\n${list}\n`))) {
        throw new AtollError('INTERRUPTED', 'Nothing was removed');
      }
      return { removed: await takeDown(ctx, open, options), wouldRemove: [] };
    }),
  text: ({ removed, wouldRemove }) =>
    removed.length + wouldRemove.length === 0
      ? 'There is nothing to remove'
      : [
          // Each was named when it went.
          ...(removed.length > 0 ? [`${counted(removed.length, 'resource')} removed`] : []),
          ...wouldRemove.map(({ kind, id }) => `would remove ${kind} ${id}`),
        ].join('\n'),
});
