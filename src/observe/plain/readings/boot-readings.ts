import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

const DRACUT: Meanings = [
  [
    /handle 'root=/,
    'the initramfs lacks the module for such a root (livenet, nfs, iscsi), or the value is misspelt',
  ],
  [/root= argument/, 'the kernel line names no root file system'],
  [/does not support/, 'the initramfs or the kernel lacks the module for it'],
  [
    /FIPS|HMAC/,
    'kernel or libraries are not those that their checksums were made for, or boot= names not the disk of /boot',
  ],
  [
    /Not all disks/,
    'a disk that the initramfs waits for is not there, or has other identifiers (after a restore or a change of hardware)',
  ],
  [/Will not override/, 'it is there already: give --force to make it anew'],
  [/module directory/, 'no kernel of that version is installed'],
  [/modules\.dep/, 'depmod was not run for that kernel'],
  [/permission|write to/i, 'the place of the image is not there, or may not be written'],
  [/parameters/, 'an argument of the kernel line is written wrongly'],
];

const GRUB: Meanings = [
  [/not found/, 'the disk or network that GRUB started from does not hold it'],
  [
    /no such (?:device|partition)/,
    'the disk or partition that its configuration names is not there any more',
  ],
  [
    /unknown filesystem/,
    'it cannot read the file system there: no module for it, damaged, or with newer features',
  ],
  [/load the kernel first/, 'the kernel before it was not loaded'],
  [
    /embedding|this GPT|blocklists/,
    'the disk has no place for the loader (a BIOS boot partition on GPT, or a gap before the first partition)',
  ],
  [/modinfo\.sh/, 'the GRUB of that platform is not installed (grub2-pc, grub2-efi)'],
  [
    /EFI (?:directory|variables)|efibootmgr/,
    'the machine was not started by UEFI, or the EFI partition is not mounted',
  ],
  [/canonical path/, 'it runs in a container or live system, whose root is on no disk'],
];

/** What stops or hampers a machine from its loader to its kernel. */
export const BOOT_READINGS: readonly PlainReading[] = [
  {
    id: 'says-dracut',
    pattern:
      /dracut(?:\[[EF]\]|-[\w-]+\[\d+\])?: (?:(?:FATAL|Warning): )?(?<why>Don't know how to handle 'root=.{0,200}|No or empty root= argument|\w+root requested but kernel\/initrd does not support \w+|FIPS integrity test failed|HMAC sum mismatch|Not all disks have been found|Will not override existing initramfs \S+|Cannot find module directory \S+|\S+modules\.dep is missing.{0,40}|Can't write to \S+: .{6,120}|No permission to write \S+|(?:bridge|bond|vlan|team)= requires .{6,40}|FIPS mode have to be enabled by .{6,60}|You have to specify boot=.{6,60})/,
    cause: (found) =>
      `The initramfs is not made or does not go on (${word(found, 'why')}): ${meant(found.groups.why, DRACUT) ?? 'dracut refuses it'}`,
    remedy:
      'Correct the kernel line (/etc/default/grub, the boot menu), or make the initramfs anew for that kernel with what is missing ("dracut -f --add MODULE --kver VERSION")',
  },
  {
    id: 'says-grub',
    pattern:
      /^(?:\W*\[?\S{0,12}\]?\s*)error: (?:\S+\.c:\d+: ?)?(?<why>file `[^`']+' not found|unknown filesystem|no such (?:device: [\w-]+|partition|disk)|you need to load the kernel first)\.?$|grub2?-(?<tool>install|probe|mkconfig): error: (?<said>.{8,200})/,
    cause: (found) => {
      const why = word(found, 'why', 'said') ?? '';
      const means = meant(why, GRUB);
      return `GRUB${named(word(found, 'tool') && `(grub2-${word(found, 'tool')})`)} gets no further: ${why}${means === undefined ? '' : `: ${means}`}`;
    },
    remedy:
      'From a live image look at the disk ("lsblk -f", /boot, the EFI partition), mount it, "chroot" and run grub2-install (BIOS) or reinstall grub2-efi and shim (UEFI), then grub2-mkconfig; by network, compare the path with what the boot server holds',
  },
  {
    id: 'says-kernel-hangs',
    isGeneral: true,
    pattern:
      /(?<lockup>soft lockup - CPU#\d+ stuck for \d+s!|hard LOCKUP on cpu \d+)(?: \[(?<who>[^\]]+)\])?|INFO: task (?<task>\S+):\d+ blocked for more than (?<time>\d+) seconds|(?<stall>rcu\w*:? INFO: rcu_\w+ (?:self-)?detected (?:expedited )?stalls?)/,
    cause: (found) =>
      word(found, 'task') === undefined
        ? `A processor of the machine got no further (${word(found, 'lockup', 'stall')}): the host of a virtual machine is overloaded or halted it, or a driver hangs`
        : `${word(found, 'task')} waited more than ${word(found, 'time')} seconds for something, mostly for a disk or network storage that does not answer`,
    remedy:
      'Look at the disk and its storage at that time ("dmesg", "iostat -x"), of a virtual machine at the load of its host (steal time, snapshots, backups); else update kernel, driver and firmware',
  },
  {
    id: 'says-hardware-fails',
    pattern:
      /\[Hardware Error\]: (?<mce>CPU \d+: Machine Check[^,]{0,80}|event severity: fatal|.{0,40}Uncorrected.{0,60})|EDAC \S+ (?<memory>[1-9]\d* UE .{4,100})/,
    cause: (found) =>
      `The hardware of the machine reports an error (${word(found, 'mce', 'memory')})`,
    remedy:
      'Look at the log of the management controller (SEL) and at "ras-mc-ctl --errors" or rasdaemon: it names the memory module, processor or card to replace',
  },
  {
    id: 'says-program-fell',
    isGeneral: true,
    pattern:
      /(?<name>[\w.+-]+)\[\d+\]: segfault at [\da-f]+ ip|traps: (?<trap>[\w.+-]+)\[\d+\] (?:general protection|trap \w+)|Process \d+ \((?<core>[^)]+)\) of user \d+ (?:dumped core|terminated abnormally)/,
    cause: (found) =>
      `The program ${word(found, 'name', 'trap', 'core')} crashed by a fault of its own, or of a library or memory that it uses`,
    remedy:
      '"coredumpctl info" shows where; update the program and its libraries; where several programs crash, test the memory of the machine',
  },
  {
    id: 'says-card-hangs',
    pattern:
      /(?:(?<driver>[\w-]+) [\da-f:.]{7,14} )?(?<card>[\w.-]+):? (?:Detected (?:Tx|Hardware) Unit Hang|NETDEV WATCHDOG.{0,60}transmit queue \d+ timed out)|NETDEV WATCHDOG: (?<old>\S+) \((?<by>[^)]+)\): transmit queue/,
    cause: (found) =>
      `The network card ${word(found, 'card', 'old')} hangs and sends nothing${because(word(found, 'driver', 'by'))}`,
    remedy:
      'Update its firmware and driver; try without its offloads ("ethtool -K CARD tso off gso off"), and look at slot and cable',
  },
];
