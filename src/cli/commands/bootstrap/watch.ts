import { ERROR_CODES } from '../../../core/error-codes.ts';
import { watchRunning } from '../../../site/watch/watch-running.ts';
import { defineCommand } from '../../command.ts';
import { besideDashboard, UI_SWITCH } from '../../dashboard-options.ts';
import { text } from '../../flags.ts';
import { installLines } from '../../live-text.ts';
import { SITE_OPTION, withSite } from '../../site-options.ts';

export const bootstrapWatchCommand = defineCommand({
  name: 'bootstrap watch',
  summary: 'Watch an install that is under way, until the cluster is up',
  description:
    'Shows the phase against what it usually takes, the last words of the installer, the image each machine pulls ' +
    'now, and operators as they settle. Changes nothing, so it may run beside "atoll up". Says within minutes why an ' +
    'install is dead, and exits with 6.',
  options: {
    ...SITE_OPTION,
    ...UI_SWITCH,
    bootstrap: text('[USER@]HOST', 'Read the journals of the bootstrap machine over SSH, too'),
  },
  examples: {
    'atoll bootstrap watch': 'the site in atoll.yaml',
    'atoll bootstrap watch --bootstrap core@192.0.2.9': 'and the step that bootkube is at',
  },
  run: (ctx, input) =>
    withSite(ctx, input, 'look', ({ work }) =>
      besideDashboard(ctx, work.site, { wanted: input.options.ui, terminal: input.terminal }, () =>
        watchRunning(ctx, work, { bootstrap: input.options.bootstrap }),
      ),
    ),
  text: (snapshot, style) => installLines(snapshot, style).join('\n'),
  exitCode: ({ cluster }) => (cluster?.isInstalled ? 0 : ERROR_CODES.CLUSTER_FAILED.exit),
});
