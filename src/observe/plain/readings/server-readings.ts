import type { PlainReading } from '../plain-reading.ts';
import { DATABASE_READINGS } from './database-readings.ts';
import { OBJECT_STORE_READINGS } from './object-store-readings.ts';
import { REGISTRY_SERVER_READINGS } from './registry-server-readings.ts';
import { WEB_SERVER_READINGS } from './web-server-readings.ts';

/** What registries, the web servers before them and the databases behind them say in their own logs. */
export const SERVER_READINGS: readonly PlainReading[] = [
  ...DATABASE_READINGS,
  ...WEB_SERVER_READINGS,
  ...OBJECT_STORE_READINGS,
  ...REGISTRY_SERVER_READINGS,
];
