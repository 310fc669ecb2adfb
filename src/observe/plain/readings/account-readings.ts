import { because, named, type PlainReading, word } from '../plain-reading.ts';
import { type Meanings, meant } from './meanings.ts';

const SUDO: Meanings = [
  [/world writable|is owned by/, 'the file must belong to root and be writable by nobody else'],
  [/must be owned by uid 0/, 'the program has lost its owner or its setuid bit'],
  [/effective uid is not 0/, 'it lies on a file system without setuid, or has lost its owner'],
  [/no new privileges/, 'the process may gain no rights: a container or a unit is set up so'],
  [/syntax error|parse error/, 'a line of its settings is written wrongly'],
];

const PAM: Meanings = [
  [/lock/i, 'it is locked, mostly after too many wrong passwords'],
  [/AllowUsers|DenyUsers|AllowGroups|DenyGroups/, 'sshd_config lets other users or groups in only'],
  [/shell/, 'its login shell is not there, or not one of /etc/shells'],
  [/ROOT LOGIN REFUSED/, 'PermitRootLogin of sshd_config does not let root in so'],
  [/expired|no longer valid|change your password/, 'its password or the account has expired'],
  [/pam_access/, '/etc/security/access.conf does not let it in'],
  [/pam_sss/, 'the rules of its directory (SSSD, FreeIPA, AD) do not let it in here'],
];

/** Who may log in, become another user, and run what: sudo, su, PAM, cron, sshd. */
export const ACCOUNT_READINGS: readonly PlainReading[] = [
  {
    id: 'says-session-refused',
    pattern:
      /(?<unit>user@\d+\.service): Failed to set up PAM session: (?<why>.{4,80})|PAM failed: (?<fault>Conversation error|Module is unknown|Cannot make\/remove an entry.{0,40})/,
    cause: (found) =>
      `PAM does not set up the session of a user${because(word(found, 'unit', 'fault') ?? word(found, 'why'))}: a module that is required in /etc/pam.d (system-auth, systemd-user) fails, so programs without root have no session`,
    remedy:
      'Read the lines of pam_* in the journal right before it, and correct or take out the module that they name',
  },
  {
    id: 'says-sudo-unusable',
    pattern:
      /sudo: (?<why>\/\S+ is (?:world writable|owned by [ug]id \d+, should be \d+)|\S+ must be owned by uid 0 and have the setuid bit set|effective uid is not 0, is \S+|The "no new privileges" flag is set|(?:parse|syntax) error in \S+ near line \d+)|(?<line>\/etc\/sudoers\S*:\d+(?::\d+)?: syntax error)/,
    cause: (found) => {
      const why = word(found, 'why', 'line') ?? '';
      return `sudo cannot be used on this machine (${why}): ${meant(why, SUDO)}`;
    },
    remedy:
      'As root: "visudo -c" checks the settings, "chown root:root" and "chmod 0440" their files, "rpm --setugids sudo; rpm --setperms sudo" the program; in a container, allow new privileges or work as root from the start',
  },
  {
    id: 'says-sudo-not-this',
    pattern:
      /Sorry, user (?<user>\S+) is not allowed to execute '(?<command>[^']{2,200})' as (?<as>\S+)|sudo: sorry, you are not allowed to set the following environment variables: (?<variables>.{2,120})/,
    cause: (found) =>
      word(found, 'variables') === undefined
        ? `The rules of sudo do not let ${word(found, 'user')} run ${word(found, 'command')} as ${word(found, 'as')}`
        : `The rules of sudo do not let this user pass ${word(found, 'variables')} on`,
    remedy:
      '"sudo -l" shows what is allowed; have the command added (a file in /etc/sudoers.d), or SETENV for variables ("sudo env NAME=… COMMAND" where that is allowed)',
  },
  {
    id: 'says-account-kept-out',
    pattern:
      /(?<lock>account temporarily locked|account validation failure, is your account locked\?)|User (?<sshd>\S+)(?: from \S+)? not allowed because (?<why>.{4,120})|(?<root>ROOT LOGIN REFUSED FROM \S+)|(?<pam>pam_(?:access|sss|nologin|time|localuser)\([\w-]+:account\)): [Aa]ccess denied for user [`']?(?<of>[^\s:'`]+)|\((?<cron>[\w.-]+)\) FAILED to authorize user with PAM \((?<said>[^)]+)\)|(?<token>Authentication token is no longer valid; new one required|Your account has expired|You are required to change your password immediately)/,
    cause: (found) => {
      const why = word(found, 'lock', 'why', 'root', 'pam', 'token', 'said') ?? '';
      const means = meant(why, PAM);
      return `The account${named(word(found, 'sshd', 'of', 'cron'))} is not let in (${why})${means === undefined ? '' : `: ${means}`}`;
    },
    remedy:
      '"faillock --user USER --reset" unlocks, "chage -l USER" shows what has expired, "journalctl -t sshd -t sudo -t su" which module refuses; then correct sshd_config, access.conf or the rules of the directory',
  },
  {
    id: 'says-pam-broken',
    pattern:
      /PAM unable to dlopen\((?<module>[^)]+)\)|PAM adding faulty module: (?<faulty>\S+)|(?:sudo|su|crond|sshd).{0,20}: PAM (?:account management|authentication) error: (?<why>.{4,100})/,
    cause: (found) =>
      word(found, 'why') === undefined
        ? `The settings for logins name the module ${word(found, 'module', 'faulty')}, which this machine does not have or cannot load`
        : `The check of the account by PAM fails (${word(found, 'why')}): mostly an account without an entry in /etc/shadow, or one that has expired`,
    remedy:
      'Correct the files in /etc/pam.d ("authselect check", "authselect current"), or install the package that brings the module; "pwck" and "chage -l USER" check the account',
  },
  {
    id: 'says-user-unknown',
    pattern:
      /(?:sudo|su|dnsmasq|useradd|chown|install|squid|unbound)\b.{0,12}: (?:unknown user(?: or group)?:?|user|invalid (?:user|group):|FATAL: getpwnam failed to find userid for effective user) ['"‘]?(?<user>[\w.:@-]+)['"’]?(?: does not exist.{0,60})?$|getpwnam\("(?<nginx>[^"]+)"\) failed|(?<unit>[\w@.\\-]+\.service): Failed to determine (?:user|group) credentials/,
    cause: (found) =>
      word(found, 'unit') === undefined
        ? `This machine has no user or group ${word(found, 'user', 'nginx')}`
        : `systemd cannot start ${word(found, 'unit')}: the user or group that it is to run as does not exist here (User=, Group=)`,
    remedy:
      'Make it ("useradd --system NAME", or install the package that does), or correct the name in the settings; of a directory (SSSD), look whether it answers ("id NAME")',
  },
];
