import { because, type PlainReading, word } from './plain-reading.ts';

/** What dnf, rpm and subscription-manager say, beyond repositories that cannot be read. */
export const HOST_PACKAGE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-packages-none',
    pattern: /There are no enabled repositories in|This system has no repositories available/,
    cause: () =>
      'This machine has no package repository: it is not registered, or none is enabled for it',
    remedy:
      'Register it with a server inside, mount the installation DVD as a repository, or point /etc/yum.repos.d at a mirror inside the gap',
  },
  {
    id: 'says-packages-needed',
    pattern:
      /(?<lib>\S+) is needed by (?<rpm>[\w.+~-]+-\d\S*)|Package: (?<old>\S+).{0,80}\s+Requires: (?<yum>\S.{0,80})/,
    cause: (found) =>
      `The package ${word(found, 'rpm', 'old') ?? 'that is asked for'} needs ${word(found, 'lib', 'yum')}, which is neither installed here nor in a repository that was asked`,
    remedy:
      'Bring that package along with all that it needs ("dnf download --resolve --alldeps"), of the same release of the system',
  },
  {
    id: 'says-packages-conflict',
    pattern:
      /file (?<file>\/\S+) (?:from install of (?<new>\S+) )?conflicts (?:between|with)|(?<one>\S+) conflicts with (?<other>\S+) provided by/,
    cause: (found) =>
      `Two packages cannot be installed together${because(word(found, 'new', 'one'))}: ${word(found, 'file') === undefined ? `${word(found, 'one')} and ${word(found, 'other')}` : `both bring ${word(found, 'file')}`}`,
    remedy: 'Take both of the same release, or remove the older one',
  },
  {
    id: 'says-packages-filtered',
    pattern: /package (?<package>\S+) is filtered out by (?<by>modular|exclude) filtering/,
    cause: (found) =>
      `The package ${word(found, 'package')} is there, and ${word(found, 'by') === 'modular' ? 'the stream of its module is not enabled' : 'excluded by the configuration'}`,
    remedy:
      '"dnf module list" and "dnf module enable NAME:STREAM", or look at exclude= in dnf.conf',
  },
  {
    id: 'says-packages-locked',
    pattern: /can't create transaction lock on|Waiting for process with pid (?<pid>\d+) to finish/,
    cause: (found) =>
      `Another dnf or rpm runs on this machine${because(word(found, 'pid') && `process ${word(found, 'pid')}`)}, or the command is not run as root`,
    remedy: 'Let it end (often automatic updates); "ps -fp PID" shows what it is',
  },
  {
    id: 'says-packages-database',
    pattern: /DB_RUNRECOVERY|cannot open Packages (?:index|database)|rpmdb open failed/,
    cause: () => 'The database of rpm on this machine is damaged',
    remedy: 'Save /var/lib/rpm, then "rpm --rebuilddb"',
  },
  {
    id: 'says-subscription-unreached',
    pattern: /Unable to reach the server at (?<server>\S+)|Unable to verify server's identity/,
    cause: (found) =>
      word(found, 'server') === undefined
        ? 'The certificate of the subscription server is not trusted here: its own authority, or a proxy in between'
        : `The subscription server ${word(found, 'server')} cannot be reached from here`,
    remedy:
      'Without internet, register with a Satellite inside (and install its consumer CA package), or do without and use repositories inside; else name the proxy in /etc/rhsm/rhsm.conf',
  },
  {
    id: 'says-subscription-gone',
    pattern:
      /(?:Unit|Consumer|consumer profile) \S{0,60} ?has been deleted|(?:Consumer profile|consumer).{0,60}deleted from the server/,
    cause: () => 'The registration of this machine was removed on the server',
    remedy: '"subscription-manager clean", then register it again',
  },
  {
    id: 'says-repository-not-entitled',
    pattern: /'(?<repo>[\w.-]+)' does not match a valid repository ID/,
    cause: (found) =>
      `This machine is not entitled to the repository ${word(found, 'repo')}, or its name is misspelt`,
    remedy: '"subscription-manager repos --list" shows what it may have',
  },
];
