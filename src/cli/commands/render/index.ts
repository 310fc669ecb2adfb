import type { Command } from '../../command.ts';
import { renderAuthCommand } from './auth.ts';
import { renderAwsPlatformCommand } from './aws-platform.ts';
import { renderCatalogSourcesCommand } from './catalog-sources.ts';
import { renderCloudFormationBastionCommand } from './cloudformation-bastion.ts';
import { renderCloudFormationCredentialsCommand } from './cloudformation-credentials.ts';
import { renderCloudFormationNetworkCommand } from './cloudformation-network.ts';
import {
  renderClusterVersionCommand,
  renderImageConfigCommand,
  renderReleaseSignaturesCommand,
  renderSamplesCommand,
  renderUpdateServiceCommand,
} from './cluster-objects.ts';
import {
  renderCredentialsPoliciesCommand,
  renderCredentialsSecretsCommand,
} from './credentials.ts';
import { renderHostsCommand } from './hosts.ts';
import { renderIgnitionCommand, renderUserDataCommand } from './ignition.ts';
import { renderInstallConfigCheckCommand, renderInstallConfigCommand } from './install-config.ts';
import { renderMachineConfigCommand } from './machine-config.ts';
import { renderMirrorSetsCommand } from './mirror-sets.ts';
import { renderChronyCommand, renderCrioCommand, renderPolicyCommand } from './node-files.ts';
import { renderPatchIgnitionCommand } from './patch-ignition.ts';
import { renderRegistriesConfCommand } from './registries-conf.ts';
import {
  renderRegistryConfigCommand,
  renderRegistryUnitCommand,
  renderSquidConfCommand,
} from './services.ts';

export const RENDER_COMMANDS: readonly Command[] = [
  renderIgnitionCommand,
  renderUserDataCommand,
  renderPatchIgnitionCommand,
  renderRegistriesConfCommand,
  renderPolicyCommand,
  renderHostsCommand,
  renderAuthCommand,
  renderCrioCommand,
  renderChronyCommand,
  renderMachineConfigCommand,
  renderInstallConfigCommand,
  renderInstallConfigCheckCommand,
  renderMirrorSetsCommand,
  renderCatalogSourcesCommand,
  renderImageConfigCommand,
  renderSamplesCommand,
  renderUpdateServiceCommand,
  renderClusterVersionCommand,
  renderReleaseSignaturesCommand,
  renderRegistryUnitCommand,
  renderRegistryConfigCommand,
  renderSquidConfCommand,
  renderCloudFormationNetworkCommand,
  renderCloudFormationBastionCommand,
  renderCloudFormationCredentialsCommand,
  renderAwsPlatformCommand,
  renderCredentialsPoliciesCommand,
  renderCredentialsSecretsCommand,
];
