import type { Command } from '../../command.ts';
import {
  catalogBundlesCommand,
  catalogChannelsCommand,
  catalogPackagesCommand,
} from './listings.ts';
import { catalogResolveCommand } from './resolve.ts';

export const CATALOG_COMMANDS: readonly Command[] = [
  catalogPackagesCommand,
  catalogChannelsCommand,
  catalogBundlesCommand,
  catalogResolveCommand,
];
