import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What keeps the clock of a node from a precise one (PTP): the words of linuxptp. */
export const CLOCK_READINGS: readonly PlainReading[] = [
  {
    id: 'says-card-without-clock',
    pattern:
      /interface '(?<card>[^']+)' does not support requested timestamping mode|(?<rejected>driver rejected most general HWTSTAMP filter)|PTP device not specified and automatic determination is not supported/,
    cause: (found) =>
      `The network card${named(word(found, 'card'))} does not stamp packets as it is asked to${because(word(found, 'rejected'))}: it has no clock of its own (PTP), its driver does not offer it, or its link is not up yet`,
    remedy:
      'Look at "ethtool -T CARD" with the link up: it must name a PTP hardware clock and hardware-transmit; take such a card in the PtpConfig, or software time stamping (-S)',
  },
  {
    id: 'says-stamp-late',
    pattern: /timed out while polling for tx timestamp/,
    cause: () =>
      'The network card gives the time of a packet that it sent too late, so ptp4l counts its port as faulty',
    remedy:
      'Raise tx_timestamp_timeout in the PtpConfig (50 is common for busy cards); update driver and firmware of the card, and keep other work off the processors of ptp4l',
  },
  {
    id: 'says-clock-card-missing',
    pattern: /(?:ptp4l|phc2sys|ts2phc)\S*: ioctl SIOC\w+ failed: No such device/,
    cause: () => 'A network card that the PTP configuration names is not on this node',
    remedy:
      'Compare the interfaces of the PtpConfig with "ip -br link" of the node; the names differ between kinds of machines',
  },
];
