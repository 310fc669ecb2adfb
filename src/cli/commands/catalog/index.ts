import type { Command } from '../../command.ts';
import { catalogBundlesCommand } from './bundles.ts';
import { catalogChannelsCommand } from './channels.ts';
import { catalogPackagesCommand } from './packages.ts';
import { catalogResolveCommand } from './resolve.ts';

export const CATALOG_COMMANDS: readonly Command[] = [
  catalogPackagesCommand,
  catalogChannelsCommand,
  catalogBundlesCommand,
  catalogResolveCommand,
];
