import type { Command } from '../../command.ts';
import { bootstrapInspectCommand } from './inspect.ts';
import { bootstrapTimelineCommand } from './timeline.ts';
import { bootstrapWatchCommand } from './watch.ts';

export const BOOTSTRAP_COMMANDS: readonly Command[] = [
  bootstrapInspectCommand,
  bootstrapTimelineCommand,
  bootstrapWatchCommand,
];
