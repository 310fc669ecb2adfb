import { resolve } from 'node:path';
import { readImageSet } from '../../../content/image-set/parse-image-set.ts';
import type { Context } from '../../../core/context.ts';
import type { Destination } from '../../../mirror/destination.ts';
import type { EarlyAnswers } from '../../../mirror/flow/ask-ahead.ts';
import { planSync, syncMirror } from '../../../mirror/flow/sync.ts';
import { WorkingDir } from '../../../mirror/flow/working-dir.ts';
import type { OptionValues, Terminal } from '../../command.ts';
import type { UI_SWITCH } from '../../dashboard-options.ts';
import {
  type COLLECT_OPTIONS,
  type MIRROR_OPTIONS,
  type MirrorTools,
  otherMirrors,
} from '../../mirror-options.ts';
import { imageSetWith } from './image-set-option.ts';
import { pacedBesidePage } from './paced-beside-page.ts';

interface SyncInput {
  readonly options: OptionValues<
    typeof MIRROR_OPTIONS & typeof COLLECT_OPTIONS & typeof UI_SWITCH
  > & { readonly config: string; readonly to: string; readonly dryRun: boolean };
  readonly terminal: Terminal;
}

interface SyncTools extends MirrorTools {
  readonly destination: Destination;
  readonly asked: EarlyAnswers | undefined;
}

/** Reads the image set and carries it out, or says what that would be. */
export async function runSync(ctx: Context, input: SyncInput, tools: SyncTools) {
  const { options } = input;
  const sync = {
    imageSet: imageSetWith(await readImageSet(resolve(options.config)), options),
    workingDir: new WorkingDir(resolve(options.dir)),
    ...tools,
    icsp: options.icsp,
    alsoAt: otherMirrors(options),
    copySignatures: options.signatures,
    concurrency: options.concurrency,
  };
  if (options.dryRun) return { dryRun: await planSync(ctx, sync) };
  const result = await pacedBesidePage(ctx, 'mirror sync', input, (within, pace) =>
    syncMirror(within, { ...sync, ...pace }),
  );
  return { result };
}
