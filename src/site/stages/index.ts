import { lendCloudLogin } from '../bastion/cloud-login.ts';
import { onBastion } from '../bastion/on-bastion.ts';
import { bastionStage } from './bastion.ts';
import { cleanupStage } from './cleanup.ts';
import { clusterStage } from './cluster.ts';
import { configStage } from './config.ts';
import { credentialsStage } from './credentials.ts';
import { imagesStage } from './images.ts';
import { infrastructureStage } from './infrastructure.ts';
import { registryStage } from './registry.ts';
import type { Stage } from './stage.ts';
import { toolsStage } from './tools.ts';
import { verifyStage } from './verify.ts';

/** The installer runs where the API of the cluster can be reached, with the login of the cloud it makes machines in. */
const withInstaller = (stage: Stage) =>
  onBastion(
    stage,
    (place, { paths }) => [[place.paths.install, paths.install]],
    async (ctx, work, host) => {
      for (const resource of work.platform.makes ?? []) await work.inventory.claim(resource);
      return await lendCloudLogin(ctx, work, host);
    },
  );

/** The ten stages, in order. */
export const STAGES: readonly Stage[] = [
  infrastructureStage,
  bastionStage,
  credentialsStage,
  onBastion(toolsStage),
  onBastion(registryStage, (place, { paths }) => [
    [place.paths.mirrorSecret, paths.mirrorSecret],
    [`${place.paths.registry}/tls/ca.crt`, `${paths.registry}/tls/ca.crt`],
  ]),
  onBastion(imagesStage, (place, { paths }) => [
    [`${place.paths.mirror}/working-dir`, `${paths.mirror}/working-dir`],
  ]),
  onBastion(configStage, (place, { paths }) => [[place.paths.install, paths.install]]),
  withInstaller(clusterStage),
  withInstaller(verifyStage),
  cleanupStage,
];
