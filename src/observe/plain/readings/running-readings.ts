import type { PlainReading } from '../plain-reading.ts';
import { ADMISSION_READINGS } from './admission-readings.ts';
import { BACKUP_READINGS } from './backup-readings.ts';
import { CLOCK_READINGS } from './clock-readings.ts';
import { CLOUD_READINGS } from './cloud-readings.ts';
import { DELIVERY_READINGS } from './delivery-readings.ts';
import { LOGIN_READINGS } from './login-readings.ts';
import { OPERATOR_READINGS } from './operator-readings.ts';
import { POD_NETWORK_READINGS } from './pod-network-readings.ts';
import { POD_READINGS } from './pod-readings.ts';
import { SCHEDULING_READINGS } from './scheduling-readings.ts';
import { SERVICE_READINGS } from './service-readings.ts';
import { STORAGE_READINGS } from './storage-readings.ts';

/** The words of a running cluster, which tell who did not get an answer and what that means there. */
export const RUNNING_READINGS: readonly PlainReading[] = [
  ...DELIVERY_READINGS,
  ...ADMISSION_READINGS,
  ...SCHEDULING_READINGS,
  ...POD_READINGS,
  ...POD_NETWORK_READINGS,
  ...STORAGE_READINGS,
  ...LOGIN_READINGS,
  ...OPERATOR_READINGS,
  ...SERVICE_READINGS,
  ...BACKUP_READINGS,
  ...CLOCK_READINGS,
  ...CLOUD_READINGS,
];
