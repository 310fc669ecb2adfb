import type { Command } from '../../command.ts';
import { authTarget } from './targets/auth.ts';
import { awsPolicyTarget } from './targets/aws-policy.ts';
import { cloudFormationBastionTarget } from './targets/bastion-stack.ts';
import {
  catalogSourcesTarget,
  clusterVersionTarget,
  imageConfigTarget,
  monitoringConfigTarget,
  releaseSignaturesTarget,
  samplesTarget,
  updateServiceTarget,
} from './targets/cluster-objects.ts';
import {
  cloudFormationCredentialsTarget,
  credentialsPoliciesTarget,
  credentialsSecretsCommand,
} from './targets/credentials.ts';
import { ignitionTarget, userDataTarget } from './targets/ignition.ts';
import { imagePolicyTarget, pinnedImagesTarget, registriesDTarget } from './targets/image-trust.ts';
import { installConfigTarget } from './targets/install-config.ts';
import { installConfigCheckCommand } from './targets/install-facts.ts';
import { hostsTarget, mirrorSetsTarget, registriesConfTarget } from './targets/mirror-rules.ts';
import { mirrorTimerTarget } from './targets/mirror-timer.ts';
import {
  chronyTarget,
  crioTarget,
  machineConfigTarget,
  policyTarget,
} from './targets/node-files.ts';
import { patchIgnitionCommand } from './targets/patch-ignition.ts';
import { registryConfigTarget, registryUnitTarget, squidConfTarget } from './targets/services.ts';
import { awsPlatformTarget, cloudFormationNetworkTarget } from './targets/stacks.ts';

/** Everything `atoll render` writes, in the order of its help. */
export const RENDER_COMMANDS: readonly Command[] = [
  ignitionTarget,
  userDataTarget,
  patchIgnitionCommand,
  registriesConfTarget,
  policyTarget,
  registriesDTarget,
  hostsTarget,
  authTarget,
  crioTarget,
  chronyTarget,
  machineConfigTarget,
  installConfigTarget,
  installConfigCheckCommand,
  mirrorSetsTarget,
  catalogSourcesTarget,
  imageConfigTarget,
  samplesTarget,
  monitoringConfigTarget,
  updateServiceTarget,
  clusterVersionTarget,
  releaseSignaturesTarget,
  imagePolicyTarget,
  pinnedImagesTarget,
  registryUnitTarget,
  registryConfigTarget,
  mirrorTimerTarget,
  squidConfTarget,
  cloudFormationNetworkTarget,
  cloudFormationBastionTarget,
  cloudFormationCredentialsTarget,
  awsPlatformTarget,
  awsPolicyTarget,
  credentialsPoliciesTarget,
  credentialsSecretsCommand,
];
