import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What systemd could not do for a unit before its program ran, by the name of the step. */
const STEPS: readonly (readonly [step: RegExp, why: string])[] = [
  [/^CHDIR$/, 'its working directory is not there, or may not be entered (WorkingDirectory=)'],
  [/^USER$/, 'the user that it is to run as does not exist here (User=)'],
  [/^GROUP$/, 'the group that it is to run as does not exist here (Group=)'],
  [
    /^NAMESPACE$/,
    'its view of the file system cannot be made; mostly a path that it names is missing (ReadWritePaths=, BindPaths=), or it runs in a container that does not allow it',
  ],
  [
    /^STD(?:IN|OUT|ERR)$/,
    'the place of its input or output cannot be opened (StandardOutput=, StandardError=)',
  ],
  [
    /_DIRECTORY$/,
    'a directory that it is given cannot be made or owned (StateDirectory=, RuntimeDirectory=, LogsDirectory=)',
  ],
  [/^CREDENTIALS$/, 'a credential that it is given cannot be read (LoadCredential=)'],
];

function whyOf(step: string): string {
  const known = STEPS.find(([pattern]) => pattern.test(step));
  return known?.[1] ?? `the step ${step} of its start fails`;
}

const UNIT_FILE = 'Correct it in the unit ("systemctl cat UNIT"), then "systemctl daemon-reload"';

/** What systemd says of units, before and around the programs that they run. */
export const UNIT_READINGS: readonly PlainReading[] = [
  {
    id: 'says-root-awaited',
    pattern: /initqueue\/finished\/devexists-(?<device>\\x2f\S{2,120}?)\.sh\b/,
    cause: (found) =>
      `The machine does not get on with its boot: the device ${word(found, 'device')?.replaceAll('\\x2f', '/').replaceAll('\\x2d', '-')} for its root file system does not appear`,
    remedy:
      'Look at root= (and rd.lvm.lv=, live image, coreos.live.rootfs_url) of the kernel line, and at the lines before: a download that failed, a disk whose driver is not in the initramfs ("dracut -f --add-drivers"), a network that did not come up',
  },
  {
    id: 'says-unit-step',
    pattern:
      /(?:(?<unit>[\w@.\\-]+\.\w+): )?(?:.{0,60}status=2[0-4]\d\/(?<status>(?!EXEC)[A-Z_]{3,30})|Failed at step (?<step>(?!EXEC)[A-Z_]{3,30}) spawning (?<path>\S+?): (?<why>.{3,80}))/,
    cause: (found) =>
      `systemd cannot start${named(word(found, 'unit')) || ' a unit'}${because(word(found, 'why'))}: ${whyOf(word(found, 'status', 'step') ?? '')}`,
    remedy: `Make what is missing, or change the setting. ${UNIT_FILE}`,
  },
  {
    id: 'says-unit-set-up',
    pattern:
      /(?<unit>[\w@.\\-]+\.service): (?:Failed to set up mount namespacing: (?:(?<path>\/[^\s:]+): )?(?<why>.{4,80})|Changing to the requested working directory failed: (?<folder>.{4,80})|(?<pid>New main PID \d+ does not belong to service.{0,80}))|(?<timer>[\w@.\\-]+\.(?:timer|path|socket)): Refusing to start, unit (?<target>\S+) to trigger not loaded/,
    cause: (found) => {
      if (word(found, 'timer') !== undefined)
        return `${word(found, 'timer')} is not started: the unit ${word(found, 'target')} that it is to start is not there, or its file has a mistake`;
      const unit = `systemd cannot start ${word(found, 'unit')}`;
      if (word(found, 'pid') !== undefined)
        return `${unit}: its pid file names a process of somebody else (${word(found, 'pid')})`;
      return word(found, 'folder') === undefined
        ? `${unit}${because(word(found, 'why'))}: ${word(found, 'path') ?? 'a path'} that it is to see is missing (ReadWritePaths=, BindPaths=), or it runs in a container that does not allow it`
        : `${unit}${because(word(found, 'folder'))}: ${whyOf('CHDIR')}`;
    },
    remedy: `Make what is missing, or change the setting. ${UNIT_FILE}`,
  },
  {
    id: 'says-unit-masked',
    pattern: /Unit (?:file )?(?<unit>\S+) is masked/,
    cause: (found) => `The unit ${word(found, 'unit')} is masked: it may not be started at all`,
    remedy:
      'Find out why it was masked; where it is wanted, "systemctl unmask UNIT", then enable and start it',
  },
  {
    id: 'says-unit-missing',
    pattern:
      /Unit (?<unit>[\w@.\\-]+\.(?:service|socket|timer|target|mount)) (?:could not be found|was not found|not found)|Unit file (?<file>[\w@.\\-]+) does not exist|Could not find the requested service (?<ansible>[\w@.-]+)/,
    cause: (found) =>
      `This machine has no unit ${word(found, 'unit', 'file', 'ansible')}: what brings it is not installed, or the name is not right`,
    remedy:
      'Install the package that brings it, or correct its name ("systemctl list-unit-files"); units of a user want "systemctl --user"; of a container file (Quadlet), "podman-system-generator --dryrun" tells why none was made',
  },
  {
    id: 'says-unit-environment',
    pattern:
      /(?:(?<unit>[\w@.\\-]+\.(?!mount)\w+): )?(?<!\.mount: )Failed to load environment files: (?<why>.{3,80})/,
    cause: (found) =>
      `A file of settings that the unit${named(word(found, 'unit'))} names cannot be read (EnvironmentFile=): ${word(found, 'why')}`,
    remedy: `Make the file, or put "-" before its path where it may be missing. ${UNIT_FILE}`,
  },
  {
    id: 'says-unit-without-program',
    pattern:
      /(?<unit>[\w@.\\-]+\.service): Service (?:has no|lacks both) ExecStart=.{0,80}Refusing/,
    cause: (found) => `The unit ${word(found, 'unit')} names no program to run (ExecStart=)`,
    remedy: `A misspelt key or section does that, too. ${UNIT_FILE}`,
  },
  {
    id: 'says-unit-slow',
    isGeneral: true,
    pattern:
      /(?<unit>[\w@.\\-]+\.service): [Ss]tart operation timed out|Job for (?<job>\S+) failed because a timeout was exceeded/,
    cause: (found) =>
      `${word(found, 'unit', 'job')} did not tell within its time that it is up, and was stopped`,
    remedy:
      'Its own lines before that tell what it waits for ("journalctl -u UNIT"); where it is only slow, raise TimeoutStartSec=',
  },
  {
    id: 'says-unit-watchdog',
    isGeneral: true,
    pattern: /(?<unit>[\w@.\\-]+\.service): Watchdog timeout \((?<limit>limit [^)]{2,20})\)/,
    cause: (found) =>
      `${word(found, 'unit')} hung and was killed by its watchdog (${word(found, 'limit')})`,
    remedy:
      'Look at the load of the machine and its disk at that time, and at the last lines of the service',
  },
  {
    id: 'says-unit-dependency',
    isGeneral: true,
    pattern:
      /A dependency job for (?<unit>\S+) failed|Job (?<job>\S+)\/start failed with result 'dependency'/,
    cause: (found) =>
      `${word(found, 'unit', 'job')} is not started, because a unit that it needs did not start`,
    remedy: 'See which one failed: "systemctl --failed", "systemctl list-dependencies UNIT"',
  },
  {
    id: 'says-mount-device',
    pattern:
      /Timed out waiting for device (?<device>\/dev\/(?:disk|mapper|[sv]d|xvd|nvme|md|dm)\S*?)\.?$/,
    cause: (found) =>
      `The disk ${word(found, 'device')} that is to be mounted at boot is not there`,
    remedy:
      'Compare /etc/fstab and the mount units with "lsblk -f"; attach the disk, correct its name, or add nofail',
  },
  {
    id: 'says-mount-wrong',
    pattern:
      /mount: (?:(?<at>\/\S*?): )?wrong fs type, bad option, bad superblock on (?<device>\/[^,\s]+)/,
    cause: (found) =>
      `${word(found, 'device')} cannot be mounted${because(word(found, 'at'))}: it has no file system, another one than is said, or a damaged one, or does not take an option of the mount`,
    remedy:
      '"lsblk -f" and "blkid" show what is on it, "dmesg" why it is refused; make a file system only where nothing is lost by it',
  },
  {
    id: 'says-no-systemd',
    pattern:
      /System has not been booted with systemd as init system|Failed to get D-Bus connection: Operation not permitted/,
    cause: () => 'No systemd runs here: mostly a container, or WSL without it',
    remedy:
      'Run the command on the host itself; in WSL, switch systemd on ([boot] systemd=true in /etc/wsl.conf)',
  },
  {
    id: 'says-unit-cycle',
    pattern: /(?<unit>\S+): Found ordering cycle on (?<on>[^\s/]+)/,
    cause: (found) =>
      `Units wait for each other in a circle (${word(found, 'unit')} and ${word(found, 'on')}): systemd leaves one of them out`,
    remedy: `Remove one of the After= or Before= that close the circle. ${UNIT_FILE}`,
  },
  {
    id: 'says-network-late',
    pattern:
      /Timeout occurred while waiting for network connectivity|NetworkManager-wait-online\.service: Failed with result/,
    cause: () => 'The network of this machine was not up in time at its start',
    remedy:
      'See which card waits ("nmcli device", "networkctl"): its cable, its DHCP server, or a profile for a card that is not there',
  },
  {
    id: 'says-quadlet',
    pattern:
      /converting "(?<file>[^"]+)": (?<why>unsupported key '[^']+' in group '[^']+'|.{6,160})|(?<generator>podman-(?:system|user)-generator) failed with exit status/,
    cause: (found) =>
      word(found, 'file') === undefined
        ? `${word(found, 'generator')} of podman could not make units from the container files of this machine (Quadlet)`
        : `Quadlet makes no unit from ${word(found, 'file')}: ${word(found, 'why')}${/^unsupported key/.test(found.groups.why ?? '') ? ', which is misspelt or newer than this podman' : ''}`,
    remedy:
      '"/usr/lib/systemd/system-generators/podman-system-generator --dryrun" (--user for a user) shows each mistake; compare the key with "man podman-systemd.unit" of this version, then "systemctl daemon-reload"',
  },
  {
    id: 'says-sudo-asks',
    pattern:
      /sudo: (?<why>a (?:password|terminal) is required(?: to read the password)?|sorry, you must have a tty to run sudo|no tty present and no askpass program specified|(?:\d+ )?incorrect password attempts?)|(?<user>[\w.-]+) is not in the sudoers file|(?<become>Missing sudo password|Incorrect sudo password|Timeout \(\d+s\) waiting for privilege escalation prompt)/,
    cause: (found) =>
      `sudo does not let the user${named(word(found, 'user'))} become root without asking (${word(found, 'why', 'become') ?? 'not in the sudoers file'})`,
    remedy:
      'Give that user the right without a password (a file in /etc/sudoers.d: "USER ALL=(ALL) NOPASSWD: ALL"), or hand over the password (Ansible: --ask-become-pass, ansible_become_password)',
  },
  {
    id: 'says-needs-root',
    pattern:
      /Failed to (?:start|stop|restart|reload|enable|disable) \S+: (?:Access denied|Interactive authentication required)|Not authorized to control networking|(?:you|must|need to|have to|has to) (?:must )?be (?:run (?:as|with) )?(?:root|superuser)\b|RTNETLINK answers: Operation not permitted|run the application as superuser|are you root\?/i,
    cause: () => 'The command wants the rights of root, and was run without them',
    remedy: 'Run it with sudo, or as root; in a container, on the host itself',
  },
];
