import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What the numbers of curl mean for a repository. */
const TRANSFERS: Readonly<Record<string, string>> = {
  5: 'the name of the proxy is not known',
  6: 'its name is not known here',
  7: 'nothing takes the connection there',
  28: 'it does not answer in time, or too slowly',
  35: 'no TLS connection comes about',
  37: 'the file is not there, or cannot be read',
  56: 'the connection was cut',
  58: 'the client certificate or key (of the subscription) is not there, or cannot be read',
  60: 'its certificate is not trusted here',
  77: 'the file of authorities to trust cannot be read',
};

/** Packages that cannot be installed on a machine, and the repositories they would come from. */
export const PACKAGE_READINGS: readonly PlainReading[] = [
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
    pattern:
      /can't create transaction lock on|Waiting for process with pid (?<pid>\d+) to finish|Could not get lock \/var\/\S+?\. It is held by process (?<apt>\d+ \([^)]{1,40}\))|^error: (?:[a-z ]{3,40}: )?Transaction in progress: (?<ostree>.{3,80})/,
    cause: (found) =>
      word(found, 'ostree') === undefined
        ? word(found, 'apt') !== undefined
          ? `Another program of apt or dpkg runs on this machine: process ${word(found, 'apt')}`
          : `Another dnf or rpm runs on this machine${because(word(found, 'pid') && `process ${word(found, 'pid')}`)}, or the command is not run as root`
        : `Another rpm-ostree works on this machine (${word(found, 'ostree')})`,
    remedy:
      'Let it end (often automatic updates); "ps -fp PID" shows what it is, and "rpm-ostree cancel" ends one that hangs',
  },
  {
    id: 'says-ostree-daemon',
    pattern: /^error: Bus owner changed, aborting/,
    cause: () =>
      'The daemon of rpm-ostree ended while it worked: it crashed, was restarted, or killed for memory',
    remedy:
      '"journalctl -b -u rpm-ostreed" and the kernel log tell why; give the machine more memory where it was killed, then run the command again',
  },
  {
    id: 'says-packages-database',
    pattern: /DB_RUNRECOVERY|cannot open Packages (?:index|database)|rpmdb open failed/,
    cause: () => 'The database of rpm on this machine is damaged',
    remedy: 'Save /var/lib/rpm, then "rpm --rebuilddb"',
  },
  {
    id: 'says-subscription-unreached',
    pattern:
      /Unable to reach the server at (?<server>\S+)|Unable to verify server's identity(?:: (?<cut>\((?:104|110|111|113|32), [^)]{4,60}\)))?/,
    cause: (found) =>
      word(found, 'cut') !== undefined
        ? `The subscription server cannot be reached from here: the connection is refused or cut (${word(found, 'cut')}), by it or by what stands on the way`
        : word(found, 'server') === undefined
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
    pattern: /'(?<repo>[\w.*-]+)' does not match a valid repository ID/,
    cause: (found) =>
      word(found, 'repo') === '*'
        ? 'This machine has no repository at all from its subscription: it is not registered, or nothing is attached to it'
        : `This machine is not entitled to the repository ${word(found, 'repo')}, or its name is misspelt`,
    remedy: '"subscription-manager repos --list" shows what it may have',
  },
  {
    id: 'says-package-protected',
    pattern:
      /The operation would result in removing the following protected packages: (?<packages>[\w.+, -]{2,160}?)(?= Problem \d|$)/,
    cause: (found) =>
      `What is installed or layered does not fit the new packages: to go on, protected packages would have to be removed (${word(found, 'packages')}), and that is refused`,
    remedy:
      'Remove the layered or third-party packages that stand in the way ("rpm-ostree status" lists them, "rpm-ostree uninstall"), update, and add them again when their repositories fit',
  },
  {
    id: 'says-staged-not-finished',
    pattern: /(?:failed on previous boot: |error: )Finalizing deployment: (?<why>.{6,300})/,
    cause: (found) =>
      `The new operating system could not be finished, so the machine starts the old one (${word(found, 'why')})${/semodule/.test(found.groups.why ?? '') ? ': its SELinux policy most often does not fit the image that the machine was started from, else a policy module of your own' : ''}`,
    remedy:
      '"journalctl -b -1 -u ostree-finalize-staged" tells more. Start from the boot image of the release (for OKD on CentOS Stream CoreOS not Fedora CoreOS); else look at the room in /boot and at "semodule -lfull"',
  },
  {
    // Behind the address of the registry the reason is often cut off.
    id: 'says-ostree-asks-source',
    pattern: /Fetching manifest: .{0,200}https:\/\/(?<host>[\w.]*quay\.io|registry\.redhat\.io)\//,
    cause: (found) =>
      `rpm-ostree asks ${word(found, 'host')} itself for the operating system, and does not get it: no mirror is used`,
    remedy:
      'See that registries.conf there names the mirror, and that this rpm-ostree reads it (older ones do not); where the machine may go out, give rpm-ostreed.service the proxy',
  },
  {
    id: 'says-base-replaced',
    pattern:
      /Some base packages would be replaced|^\s*(?<name>[\w.+-]+) (?<old>\d\S*) -> (?<new>\d\S*) \((?<repo>[\w.-]+)\)$/,
    cause: (found) =>
      word(found, 'name') === undefined
        ? 'A layered package needs another version of a package than the base image has, and rpm-ostree does not replace it'
        : `A layered package needs ${word(found, 'name')} ${word(found, 'new')} (${word(found, 'repo')}), and the base image has ${word(found, 'old')}`,
    remedy:
      'Bring the base up to date first ("rpm-ostree cleanup -m", "rpm-ostree upgrade", restart), then add the package; or take packages of the same date as the base',
  },
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
    id: 'says-package-bears-none',
    pattern: /Package (?<file>\S+) is not signed\b/,
    cause: (found) =>
      `The package ${word(found, 'file')} bears no signature at all, and this machine takes only signed ones`,
    remedy:
      'Take the signed package from its vendor, or sign it ("rpmsign --addsign"); where it is trusted, install it with --nogpgcheck (localpkg_gpgcheck=0, gpgcheck=0 of its repository)',
  },
  {
    id: 'says-repository-signature',
    pattern:
      /repo(?:sitory)? '(?<repo>[^']+)': repomd\.xml GPG signature verification error: (?<why>.{4,80})/,
    cause: (found) =>
      `The signature of the list of the package repository ${word(found, 'repo')} is not accepted (${word(found, 'why')}): its key is not imported here, the list was changed or mirrored without its signature, or was signed anew`,
    remedy:
      'Import the key of the repository (gpgkey=, "rpm --import"), "dnf clean all", mirror repomd.xml and repomd.xml.asc of the same moment; a mirror that makes lists of its own needs repo_gpgcheck=0',
  },
  {
    id: 'says-package-check-failed',
    isGeneral: true,
    pattern: /\bGPG check FAILED/i,
    cause: () =>
      'The signature of a package is not accepted: it bears none, or this machine does not have the key it was signed with',
    remedy:
      'The lines before it name the package and the key: import the key of that repository ("rpm --import", gpgkey=), or take a signed package',
  },
  {
    id: 'says-package-unsigned',
    pattern:
      /Public key for (?<file>\S+\.rpm) is not (?:installed|trusted)|GPG keys listed for the "(?<repo>[^"]+)" repository are already installed but they are not correct|Couldn't open file \S*RPM-GPG-KEY\S*/i,
    cause: (found) =>
      `The signature of ${word(found, 'file') ?? (word(found, 'repo') && `the packages of ${found.groups.repo}`) ?? 'a package'} is not accepted: this machine does not have the key it was signed with`,
    remedy:
      'Import the key of that repository ("rpm --import", gpgkey= of the repository), or look whether the mirror changed the packages',
  },
  {
    id: 'says-apt-repository',
    pattern:
      /The repository '(?<repo>[^']+)' (?<why>(?:does not have|no longer has) a Release file|is not signed)|^(?:W: )?GPG error: (?<signed>\S+) .{0,160}NO_PUBKEY (?<key>[0-9A-F]{8,40})|Release file for (?<url>\S+) is (?<time>(?:not valid yet|expired) \(invalid (?:for another|since) [^)]{2,60}\))/,
    cause: (found) => {
      if (word(found, 'key') !== undefined)
        return `apt does not have the key ${word(found, 'key')} with which the repository ${word(found, 'signed')} is signed`;
      return word(found, 'time') === undefined
        ? `apt does not take the repository ${word(found, 'repo')}: it ${word(found, 'why')}`
        : `apt does not take ${word(found, 'url')}: it is ${word(found, 'time')}; the clock of this machine is wrong, or the mirror was not renewed`;
    },
    remedy:
      'Put the key into /etc/apt/keyrings and name it (signed-by=); name a release that the mirror holds, with all of dists/; compare the clock ("timedatectl")',
  },
  {
    id: 'says-apt-unmet',
    pattern:
      /^\s*(?<package>[\w.+:-]+) : (?:Pre)?-?Depends: (?<what>\S.{0,80}?) but (?<why>it is not (?:going to be installed|installable)|\S+ is to be installed)/,
    cause: (found) =>
      `The package ${word(found, 'package')} cannot be installed: it needs ${word(found, 'what')}, but ${word(found, 'why')}`,
    remedy:
      '"apt-cache policy PACKAGE" shows which repositories offer it: use those of one release only, "apt-mark showhold" for what is held, "apt --fix-broken install" for what is half done',
  },
  {
    id: 'says-repository-status',
    pattern: /Status code: (?<code>[345]\d\d) for (?<url>https?:\/\/\S+)/,
    cause: (found) =>
      `The package repository answers ${word(found, 'code')} for ${word(found, 'url')}${/^40[13]/.test(found.groups.code ?? '') ? ': this machine has no right to it, mostly because its subscription (or its certificate) lacks it, has ended, or does not fit the clock' : /^404/.test(found.groups.code ?? '') ? ': the mirror does not hold that repository, release or architecture there' : ''}`,
    remedy:
      '"subscription-manager status" and "repos --list"; of a mirror inside, compare the path with what it holds (repodata/repomd.xml), and "dnf clean all"',
  },
  {
    // What librepo says of each address that it tried: the end only tells that all failed.
    id: 'says-repository-transfer',
    pattern:
      /Curl error \((?<code>\d+)\): (?<what>[^\n]{4,100}?) for (?<url>(?:https?|file|ftp):\/\/\S+)(?: \[(?<why>.{3,240})\])?/,
    cause: (found) => {
      const why = word(found, 'why') ?? word(found, 'what');
      return `The packages do not come from ${word(found, 'url')}: ${TRANSFERS[word(found, 'code') ?? ''] ?? 'the transfer fails'} (${why})`;
    },
    remedy:
      'Try "curl -v URL" on this machine; name proxy, sslcacert, sslclientcert and sslclientkey in the file of the repository; on a machine without a subscription, use a mirror inside instead of the CDN',
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
      /Failed to download metadata for repo ['"](?<repo>[^'"]+)|cannot update repo '(?<ostree>[^']+)'|Cannot (?:find a valid baseurl|retrieve repository metadata)[^:]*:? ?(?<yum>\S+)?/i,
    cause: (found) =>
      `The package repository${named(word(found, 'repo', 'ostree', 'yum'))} cannot be read from this machine`,
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
