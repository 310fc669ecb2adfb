import type { Command } from '../../command.ts';
import { registryBackupCommand, registryRestoreCommand } from './backup.ts';
import { registryComparePasswordsCommand } from './compare-passwords.ts';
import { registryImportCommand } from './import.ts';
import { registryInitCommand } from './init.ts';
import { registryRenewCommand } from './renew.ts';
import { registryUpkeepCommand } from './scheduled-upkeep.ts';
import { registryServeCommand } from './serve.ts';
import { registryStatusCommand } from './status.ts';
import { tokenCreateCommand, tokenListCommand, tokenRevokeCommand } from './tokens.ts';
import { registryUpgradeCommand } from './upgrade.ts';
import {
  registryCheckCommand,
  registryGcCommand,
  registryRetainCommand,
  registryUsageCommand,
} from './upkeep.ts';
import { userAddCommand, userListCommand, userPasswdCommand, userRemoveCommand } from './users.ts';

export const REGISTRY_COMMANDS: readonly Command[] = [
  registryInitCommand,
  registryServeCommand,
  registryRenewCommand,
  userAddCommand,
  userRemoveCommand,
  userListCommand,
  userPasswdCommand,
  tokenCreateCommand,
  tokenListCommand,
  tokenRevokeCommand,
  registryGcCommand,
  registryRetainCommand,
  registryCheckCommand,
  registryUsageCommand,
  registryStatusCommand,
  registryBackupCommand,
  registryRestoreCommand,
  registryImportCommand,
  registryUpgradeCommand,
  registryUpkeepCommand,
  registryComparePasswordsCommand,
];
