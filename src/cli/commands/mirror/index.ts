import type { Command } from '../../command.ts';
import { mirrorCopyCommand } from './copy.ts';
import { mirrorDeleteCommand } from './delete.ts';
import { mirrorFollowCommand } from './follow.ts';
import { mirrorInventoryCommand } from './inventory.ts';
import { mirrorLoadCommand } from './load.ts';
import { mirrorOutdatedCommand } from './outdated.ts';
import { mirrorPruneCommand } from './prune.ts';
import { mirrorReleaseCommand } from './release.ts';
import { mirrorRetryCommand } from './retry.ts';
import { mirrorSaveCommand } from './save.ts';
import { mirrorSyncCommand } from './sync.ts';

export const MIRROR_COMMANDS: readonly Command[] = [
  mirrorSyncCommand,
  mirrorSaveCommand,
  mirrorLoadCommand,
  mirrorRetryCommand,
  mirrorInventoryCommand,
  mirrorOutdatedCommand,
  mirrorPruneCommand,
  mirrorDeleteCommand,
  mirrorReleaseCommand,
  mirrorCopyCommand,
  mirrorFollowCommand,
];
