import type { Command } from '../../command.ts';
import { bundleCheckCommand } from './check.ts';
import { bundleDiffCommand } from './diff.ts';
import { bundleListCommand } from './list.ts';
import { bundleJoinCommand, bundleSplitCommand } from './split.ts';

export const BUNDLE_COMMANDS: readonly Command[] = [
  bundleListCommand,
  bundleCheckCommand,
  bundleSplitCommand,
  bundleJoinCommand,
  bundleDiffCommand,
];
