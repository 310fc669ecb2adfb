import type { PlainReading } from '../plain-reading.ts';
import { ANSIBLE_READINGS } from './ansible-readings.ts';
import { CLIENT_READINGS } from './client-readings.ts';
import { COMMAND_READINGS } from './command-readings.ts';
import { DAEMON_READINGS } from './daemon-readings.ts';
import { DISK_READINGS } from './disk-readings.ts';
import { ENGINE_READINGS } from './engine-readings.ts';
import { ENGINE_START_READINGS } from './engine-start-readings.ts';
import { IMAGE_TOOL_READINGS } from './image-tool-readings.ts';
import { JOIN_READINGS } from './join-readings.ts';
import { MACHINE_READINGS } from './machine-readings.ts';
import { MODULE_READINGS } from './module-readings.ts';
import { PACKAGE_READINGS } from './package-readings.ts';
import { SERVER_READINGS } from './server-readings.ts';
import { UNIT_READINGS } from './unit-readings.ts';

/** What one program says in words of its own tells more than the words that it shares with all. */
export const PROGRAM_READINGS: readonly PlainReading[] = [
  ...SERVER_READINGS,
  ...MACHINE_READINGS,
  ...UNIT_READINGS,
  ...DISK_READINGS,
  ...PACKAGE_READINGS,
  ...DAEMON_READINGS,
  ...JOIN_READINGS,
  ...ENGINE_START_READINGS,
  ...ENGINE_READINGS,
  ...IMAGE_TOOL_READINGS,
  ...ANSIBLE_READINGS,
  ...COMMAND_READINGS,
  ...MODULE_READINGS,
  ...CLIENT_READINGS,
];
