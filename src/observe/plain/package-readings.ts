import { named, type PlainReading, word } from './plain-reading.ts';

/** Packages that cannot be installed on a machine, and the repositories they would come from. */
export const PACKAGE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-package-unmet',
    pattern:
      /package (?<package>\S+) (?:from \S+ )?requires (?<what>\S.{0,120}?), but none of the providers can be installed|(?<both>package \S+ (?:from \S+ )?conflicts with \S+.{0,80}? provided by \S+)/,
    cause: (found) =>
      word(found, 'both') === undefined
        ? `The package ${word(found, 'package')} cannot be installed: what it requires (${word(found, 'what')}) cannot be, from the repositories of this machine`
        : `Packages exclude each other: ${word(found, 'both')}`,
    remedy:
      'Add the repository that has what is required, of the same release, or leave out the package that stands in the way',
  },
  {
    id: 'says-package-unsigned',
    pattern:
      /Public key for (?<file>\S+\.rpm) is not (?:installed|trusted)|GPG keys listed for the "(?<repo>[^"]+)" repository are already installed but they are not correct|GPG check FAILED|Couldn't open file \S*RPM-GPG-KEY\S*/i,
    cause: (found) =>
      `The signature of ${word(found, 'file') ?? (word(found, 'repo') && `the packages of ${found.groups.repo}`) ?? 'a package'} is not accepted: this machine does not have the key it was signed with`,
    remedy:
      'Import the key of that repository ("rpm --import", gpgkey= of the repository), or look whether the mirror changed the packages',
  },
  {
    id: 'says-repository-ended',
    pattern:
      /(?:for repo(?:sitory)? ['"]?(?<repo>[\w.-]+)['"]?: .{0,80})?No URLs in mirrorlist|Invalid release\/repo\/arch combination/i,
    cause: (found) =>
      `The list of mirrors of the package repository${named(word(found, 'repo'))} is empty: there is none any more (or yet) for this release and architecture, as when a release has reached its end and was moved to an archive`,
    remedy:
      'Name the archive (vault) or a mirror of the site as baseurl, or use a release that is still served',
  },
  {
    id: 'says-repository-unread',
    isGeneral: true,
    pattern:
      /Failed to download metadata for repo ['"](?<repo>[^'"]+)|Cannot (?:find a valid baseurl|retrieve repository metadata)[^:]*:? ?(?<yum>\S+)?/i,
    cause: (found) =>
      `The package repository${named(word(found, 'repo', 'yum'))} cannot be read from this machine`,
    remedy:
      'See "dnf repolist": subscribe the machine, mirror the repository inside the gap, or bring the package along',
  },
  {
    id: 'says-packages',
    pattern:
      /(?:No package(?: matching)?|No match for argument:?|Unable to (?:find a match:|locate package)) ['"]?(?<package>[\w.+*-]+)/i,
    cause: (found) =>
      `The package ${word(found, 'package')} is in no repository that this machine has`,
    remedy:
      'See "dnf repolist": subscribe the machine, mirror the repository inside the gap, or bring the package along',
  },
];
