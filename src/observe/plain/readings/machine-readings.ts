import type { PlainReading } from '../plain-reading.ts';
import { ACCOUNT_READINGS } from './account-readings.ts';
import { BOOT_READINGS } from './boot-readings.ts';
import { HOST_SERVICE_READINGS } from './host-service-readings.ts';
import { TOOL_READINGS } from './tool-readings.ts';
import { VOLUME_READINGS } from './volume-readings.ts';

/** The words of programs on the machines around a cluster: logins, boot, servers, volumes, tools. */
export const MACHINE_READINGS: readonly PlainReading[] = [
  ...ACCOUNT_READINGS,
  ...HOST_SERVICE_READINGS,
  ...VOLUME_READINGS,
  ...BOOT_READINGS,
  ...TOOL_READINGS,
];
