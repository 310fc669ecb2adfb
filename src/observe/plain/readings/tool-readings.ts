import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

const GPG: Meanings = [
  [/public key/i, 'the key that it was signed with is not in this keyring'],
  [/BAD signature/, 'what was signed has been changed since, or did not come whole'],
  [/OpenPGP data/, 'the file is no key or signature, mostly the page of an error or of a proxy'],
  [/secret key/, 'the private key that it is encrypted for is not in this keyring'],
];

const CLOUD: Meanings = [
  [/Partial/, 'the files in ~/.aws do not hold what it is told to use'],
  [
    /endpoint/,
    'that address does not answer: no way out, a proxy that is not named, or a region that does not exist',
  ],
  [/active account|az login/, 'nobody is logged in'],
  [/not enabled/, 'that API is switched off in the project'],
  [/subscription/, 'the account that is logged in does not see it'],
];

/** What the tools on a workstation say: Python, openssl, gpg, shells, the commands of clouds. */
export const TOOL_READINGS: readonly PlainReading[] = [
  {
    id: 'says-certificate-extension',
    pattern:
      /X509 ?V3 routines:(?:\w*:)?(?<why>[^:]{4,60}):.{0,300}?(?:name=(?<name>\w+), ?)?value=(?<value>\S{1,120})/,
    cause: (found) =>
      `OpenSSL does not take ${word(found, 'value')} for ${word(found, 'name') ?? 'an extension'} of the certificate (${word(found, 'why')})`,
    remedy: 'A name needs its kind before it: subjectAltName = DNS:HOST.DOMAIN, IP:ADDRESS',
  },
  {
    id: 'says-python-part',
    pattern:
      /ModuleNotFoundError: No module named '(?<module>[^']+)'|ImportError: cannot import name '(?<name>[^']+)' from '(?<from>[^']+)'|ImportError: (?<library>lib\S+?): cannot open shared object file|DistributionNotFound: The '(?<distribution>[^']+)' distribution was not found/,
    cause: (found) => {
      if (word(found, 'library') !== undefined)
        return `The library ${word(found, 'library')} that a part of Python needs is not on this machine`;
      return word(found, 'name') === undefined
        ? `The Python that runs the program does not have ${word(found, 'module', 'distribution')}`
        : `The installed ${word(found, 'from')} of Python has no ${word(found, 'name')}: it is another version than the program was written for`;
    },
    remedy:
      'Install it for the same Python ("python3 -m pip install NAME" in its environment, or the package of the system); without internet from files ("pip download" outside, "pip install --no-index --find-links DIRECTORY" inside)',
  },
  {
    id: 'says-python-without-tls',
    pattern:
      /\bSSL module is not available\b|pip is configured with locations that require TLS\/SSL, however the ssl module/,
    cause: () =>
      'This Python was built without TLS, so pip reaches no index by HTTPS: that no package is found only follows from it',
    remedy:
      'Use the Python of the distribution, or build it anew with a current OpenSSL (openssl-devel) there',
  },
  {
    id: 'says-pip',
    isGeneral: true,
    pattern:
      /No matching distribution found for (?<package>[^\s(]+)|Could not find a version that satisfies the requirement (?<wanted>\S+) \(from versions: (?<versions>[^)]+)\)|(?<managed>externally-managed-environment)|DO NOT MATCH THE (?<hashes>HASHES) FROM THE REQUIREMENTS/,
    cause: (found) => {
      if (word(found, 'managed') !== undefined)
        return 'The Python of this system is managed by its packages, and pip may not install into it';
      if (word(found, 'hashes') !== undefined)
        return 'A package is not the one that the file of requirements has the checksum of: changed on a mirror, or of another build';
      const versions = word(found, 'versions');
      const why =
        versions === undefined
          ? 'the index that was asked does not have it for this Python and machine, or cannot be reached'
          : versions === 'none'
            ? 'no index was reached, or it has nothing by that name'
            : 'the index has other versions only, or others need a newer Python';
      return `pip finds no ${word(found, 'package', 'wanted')}: ${why}`;
    },
    remedy:
      'Name an index inside (--index-url, PIP_INDEX_URL) or a directory of wheels (--no-index --find-links), for this version of Python; install into an environment of its own ("python3 -m venv")',
  },
  {
    id: 'says-chain-unverified',
    pattern: /error \d+ at (?<depth>\d+) depth lookup: ?(?<why>.{6,80})/,
    cause: (found) =>
      `The chain of certificates does not verify (${word(found, 'why')}, ${word(found, 'depth') === '0' ? 'the certificate itself' : `certificate ${word(found, 'depth')} above it`})`,
    remedy:
      'Give the whole chain: the root with -CAfile, those between with -untrusted; "openssl x509 -noout -subject -issuer -dates" shows which one is missing or has expired',
  },
  {
    id: 'says-passphrase-wrong',
    pattern:
      /\bbad decrypt\b|:maybe wrong password|keystore password was incorrect|Mac verify error: invalid password/,
    cause: () => 'The password of the key or key store is not the right one',
    remedy: 'Give the password that it was made with (-passin, -storepass), or take another key',
  },
  {
    id: 'says-gpg',
    pattern:
      /gpg: (?<why>Can't check signature: (?:No public key|public key not found)|BAD signature from .{3,80}|no valid OpenPGP data found|(?:decryption|signing) failed: No secret key)/,
    cause: (found) => `gpg does not do it (${word(found, 'why')}): ${meant(found.groups.why, GPG)}`,
    remedy:
      'Import the key ("gpg --import FILE", its fingerprint from a place that is trusted); of a bad signature or file, fetch both again and look at what came',
  },
  {
    id: 'says-cloud-command',
    pattern:
      /(?<why>Partial credentials found in \S+, missing: \S+|Connect timeout on endpoint URL: "[^"]+"|You do not currently have an active account selected|Please run 'az login'|API \[[^\]]+\] not enabled on project \[[^\]]+\]|The subscription of '[^']+' doesn't exist in cloud)/,
    cause: (found) =>
      `The command of the cloud cannot begin (${word(found, 'why')}): ${meant(found.groups.why, CLOUD)}`,
    remedy:
      'Log in and choose the account ("aws configure", AWS_PROFILE, AWS_REGION; "gcloud auth login"; "az login", "az account list"); behind a proxy set HTTPS_PROXY',
  },
  {
    id: 'says-interpreter',
    pattern:
      /: (?<interpreter>\/\S+?)(?<cr>\^M|\r)?: bad interpreter: (?<why>.{4,60})|env: ['‘](?<env>[\w.-]+)(?<dos>\\r)?['’]: No such file/,
    cause: (found) =>
      word(found, 'cr', 'dos') === undefined
        ? `What the script is to be run by is not there: ${word(found, 'interpreter', 'env')}${because(word(found, 'why'))}`
        : `The script has line ends of Windows, so ${word(found, 'interpreter', 'env')} is not found`,
    remedy:
      'Remove the carriage returns ("sed -i \'s/\\r$//\' FILE", dos2unix), or install what its first line names',
  },
  {
    id: 'says-process-limit',
    pattern: /fork: (?:retry: )?(?:Resource temporarily unavailable|Cannot allocate memory)/,
    cause: () =>
      'No further process can be started: the user or container has as many as it may, or memory is used up',
    remedy:
      'See what runs ("ps -eLf | wc -l"), and raise the limit (TasksMax of the unit or slice, "ulimit -u", pids limit of the container)',
  },
  {
    id: 'says-guest-device',
    pattern:
      /Disk (?<disk>\/\S+) is already in use by other guests (?<guests>\[[^\]]+\])|unable to set AppArmor profile '(?<profile>[^']+)'|(?<acl>access denied by acl file|failed to parse default acl file .{3,60})|(?<kvm>failed to initialize kvm: .{4,60})/,
    cause: (found) => {
      if (word(found, 'disk') !== undefined)
        return `The disk ${word(found, 'disk')} belongs to another virtual machine: ${word(found, 'guests')}`;
      if (word(found, 'kvm') !== undefined)
        return `QEMU cannot use the virtualisation of the processor (${word(found, 'kvm')})`;
      return word(found, 'acl') === undefined
        ? `libvirt cannot set up AppArmor for the virtual machine${named(word(found, 'profile'))}`
        : `QEMU may not attach the virtual machine to that bridge (${word(found, 'acl')})`;
    },
    remedy:
      'Name another disk or remove the other machine; allow the bridge ("allow BRIDGE" in /etc/qemu/bridge.conf, readable for the user); of AppArmor look at "aa-status" and apparmor-utils, or set security_driver in qemu.conf; of kvm at /dev/kvm and the firmware',
  },
];
