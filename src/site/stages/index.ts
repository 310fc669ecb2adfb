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

/** The ten stages, in order. */
export const STAGES: readonly Stage[] = [
  infrastructureStage,
  bastionStage,
  credentialsStage,
  toolsStage,
  registryStage,
  imagesStage,
  configStage,
  clusterStage,
  verifyStage,
  cleanupStage,
];
