import { resolve } from 'node:path';
import type { Context } from '../../../core/context.ts';
import { counted } from '../../../core/format.ts';
import type { WatchedCommand } from '../../../dashboard/watched-command.ts';
import type { MirrorReport } from '../../../mirror/flow/report.ts';
import { workingFile } from '../../../mirror/flow/working-files.ts';
import type { OptionValues, Terminal } from '../../command.ts';
import { besideCommandPage, type UI_SWITCH } from '../../dashboard-options.ts';
import { type PACE_OPTIONS, paced } from '../../mirror-options.ts';

type Flags = OptionValues<typeof PACE_OPTIONS & typeof UI_SWITCH> & {
  readonly dir: string;
  readonly config?: string;
  readonly to: string;
};

/** Moves images within the window and rate of the flags, with a page beside it where one is wanted. */
export function pacedBesidePage<R extends { readonly report: Pick<MirrorReport, 'failed'> }>(
  ctx: Context,
  name: string,
  { options, terminal }: { readonly options: Flags; readonly terminal: Terminal },
  work: (ctx: Context, pace: { readonly maxBytesPerSecond: number | undefined }) => Promise<R>,
): Promise<R> {
  const mirrorFolder = resolve(options.dir);
  const command: WatchedCommand = {
    name,
    stage: 'images',
    mirrorFolder,
    mirror: options.to.replace(/^docker:\/\//, ''),
    runs: workingFile(mirrorFolder, 'runs'),
    files: options.config === undefined ? [] : [resolve(options.config)],
  };
  const troubleIn = ({ report: { failed } }: R) =>
    failed > 0 ? `${counted(failed, 'image')} failed` : undefined;
  const beside = { wanted: options.ui, keeps: true, terminal, troubleIn };
  return besideCommandPage(ctx, command, beside, (inner) => paced(inner, options, work));
}
