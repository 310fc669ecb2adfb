import { testNearLines, testSaidLines } from '../../../../test/support/readings.ts';
import { CLOCK_READINGS } from './clock-readings.ts';

/** A line of each kind as linuxptp has it, and what it says. */
const SAID: readonly (readonly [line: string, id: string, cause: string])[] = [
  [
    "ptp4l[812.5]: interface 'ens7f0' does not support requested timestamping mode",
    'says-card-without-clock',
    'The network card ens7f0 does not stamp packets as it is asked to',
  ],
  [
    'ptp4l[812.567]: port 1 (ens7f0): driver rejected most general HWTSTAMP filter',
    'says-card-without-clock',
    '(driver rejected most general HWTSTAMP filter)',
  ],
  [
    'ptp4l[812.567]: timed out while polling for tx timestamp',
    'says-stamp-late',
    'gives the time of a packet that it sent too late',
  ],
  [
    'ptp4l[812.5]: ioctl SIOCETHTOOL failed: No such device',
    'says-clock-card-missing',
    'A network card that the PTP configuration names is not on this node',
  ],
];

testSaidLines(
  SAID.map(([line, id, cause]) => ({ line, id, cause })),
  CLOCK_READINGS,
);

testNearLines([['ptp4l[812.5]: port 1 (ens7f0): LISTENING to UNCALIBRATED on RS_SLAVE']]);
