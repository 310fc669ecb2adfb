import { named, type PlainReading, word } from '../plain-reading.ts';

/** What the kernel means, by how it refuses a module. */
const SAYS: readonly (readonly [RegExp, string])[] = [
  [/key|unsigned/i, 'it is not signed by a key that this machine trusts, as Secure Boot asks for'],
  [/format/i, 'it was built for another kernel or processor'],
  [/device/i, 'the hardware that it drives is not in this machine'],
  [/symbol/i, 'it was built for another kernel, or needs a module that is not loaded'],
];

/** What a kernel that stops has met, by its own words. */
const STOPS: readonly (readonly [RegExp, string])[] = [
  [
    /padding|junk|compressed|corrupt|cpio|unpack/i,
    'its initial ram disk did not come whole, or is of another format',
  ],
  [/kill init|init killed/i, 'the first program that it started ended'],
  [/memory/i, 'the machine has too little memory'],
  [
    /root fs|root device/i,
    'it finds no root file system: no initial ram disk, or no driver for the disk',
  ],
];

/** Kernels that stop, and their modules that are not loaded. */
export const MODULE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-kernel-stops',
    pattern: /Kernel panic - not syncing: (?<why>.{4,120}?)(?:\s*\]|$)/,
    cause: (found) => {
      const why = word(found, 'why') ?? '';
      const told = STOPS.find(([words]) => words.test(why))?.[1];
      return `The kernel of the machine stops (${why})${told === undefined ? '' : `: ${told}`}`;
    },
    remedy:
      'Read the lines right before it. At a start: compare kernel and initramfs with their checksums, both must be of one build, and give the machine enough memory',
  },
  {
    id: 'says-boot-label',
    pattern: /System has (?<count>\d+) devices with a filesystem labeled '(?<label>[^']+)'/,
    cause: (found) =>
      word(found, 'count') === '0'
        ? `No disk of the machine has a file system with the label ${word(found, 'label')}: the configuration (partitions, RAID) wiped it, or does not make it anew`
        : `${word(found, 'count')} disks of the machine have a file system with the label ${word(found, 'label')}: another disk still holds an older installation, and CoreOS does not know which one to use`,
    remedy:
      'Of several, wipe the disk that is not meant ("wipefs -a DISK" from the live image); where there is none, let the configuration make it (boot_device of Butane does) and install anew',
  },
  {
    id: 'says-firmware-fault',
    pattern: /Synchronous Exception at (?<at>0x[0-9a-f]+)/i,
    cause: (found) =>
      `The firmware (UEFI) of the machine crashed at ${word(found, 'at')} before the system was started`,
    remedy:
      'Use another version of the firmware, or another of its settings (ACPI instead of device tree); the loader it was to start may be of another architecture',
  },
  {
    id: 'says-module-refused',
    pattern:
      /could not (?:insert|load) (?:module )?['"]?(?<module>[\w./<>-]+)['"]?: (?<why>Required key not available|Key was rejected by service|Invalid module format|Exec format error|Unknown symbol in module|No such device)|(?<said>Loading of unsigned module is rejected)/,
    cause: (found) => {
      const why = word(found, 'why', 'said') ?? '';
      return `The kernel refuses the module${named(word(found, 'module'))} (${why}): ${SAYS.find(([words]) => words.test(why))?.[1] ?? ''}`;
    },
    remedy:
      'Build it for the kernel that runs ("uname -r"), and with Secure Boot sign it with a key that is enrolled on the machine ("mokutil --list-enrolled"); "dmesg" says more',
  },
  {
    id: 'says-module-missing',
    pattern: /Module (?<module>(?!ip6?_tables\b)[\w.-]+) not found in directory (?<folder>\/\S+)/,
    cause: (found) =>
      `There is no module ${word(found, 'module')} for the kernel of ${word(found, 'folder')}`,
    remedy:
      'Correct its name, or install or build it for this kernel (the package kernel-modules-extra has the rarer ones)',
  },
];
