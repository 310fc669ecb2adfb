import { at, because, named, type PlainReading, word } from '../plain-reading.ts';

/** What Redis means by the word that its refusals begin with. */
const REDIS_SAYS: Readonly<Record<string, string>> = {
  MISCONF: 'it takes no more writes, because it cannot save its data to disk',
  READONLY: 'it is a replica, which is only read: the program writes to the wrong one',
  OOM: 'it takes no more writes, because its memory (maxmemory) is used up',
  NOAUTH: 'it wants a password, and was given none',
  WRONGPASS: 'it does not take this user and password',
  CLUSTERDOWN: 'its cluster is down: some of its slots are served by nobody',
  unasked: 'it was given a password, and has none set',
};

const WHICH_PASSWORD =
  'Give the program the password that the database has. A container sets it only when it makes its data for the first time: a later change of its environment does nothing, "ALTER USER … PASSWORD" does';

/** What the databases behind registries and other services say: PostgreSQL, MySQL, SQLite, Redis, and what changes their tables. */
export const DATABASE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-database-password',
    pattern:
      /password authentication failed for user "(?<user>[^"\\]+)|Access denied for user '(?<mysql>[^']+)'@'/,
    cause: (found) =>
      `The database does not take the password of the user ${word(found, 'user', 'mysql')}`,
    remedy: WHICH_PASSWORD,
  },
  {
    id: 'says-database-entry',
    pattern:
      /no pg_hba\.conf entry for (?:replication connection from )?host "(?<host>[^"\\]+)\\?", user \\?"(?<user>[^"\\]+)\\?"(?:, database \\?"(?<name>[^"\\]+)\\?")?,? ?(?<how>no encryption|SSL (?:off|on|encryption))?/,
    cause: (found) =>
      `PostgreSQL lets nobody in who comes from ${word(found, 'host')} as ${word(found, 'user')}${because(word(found, 'how'))}: no line of its pg_hba.conf is for them`,
    remedy:
      'Add such a line to pg_hba.conf and let it be read again ("SELECT pg_reload_conf()"); where it has only lines with hostssl, connect with TLS (sslmode=require)',
  },
  {
    id: 'says-database-right',
    pattern:
      /\bpermission denied for (?<kind>schema|table|relation|sequence|database|function|tablespace) (?<name>[\w."]+)|must be owner of (?<owned>\w+ [\w."]+)|cannot execute (?<what>[A-Z ]{4,30}) in a read-only transaction|(?<peer>Peer authentication failed for user "[^"]+")|(?<tls>SSL is not enabled on the server)/,
    cause: (found) => {
      const { kind, name, owned, what, peer, tls } = found.groups;
      if (tls !== undefined)
        return 'The program wants TLS of the database (sslmode), and the database has none set up';
      if (peer !== undefined)
        return `PostgreSQL lets a user in by the local socket only under the same name in the system: ${peer}`;
      if (what !== undefined)
        return `The database takes no writes (${what}): it is a standby, or set read-only`;
      return `The user of the database has no right to ${kind === undefined ? owned : `the ${kind} ${name}`}`;
    },
    remedy:
      'Give it the right as a superuser (GRANT, "ALTER … OWNER TO"; since PostgreSQL 15 also "GRANT CREATE ON SCHEMA public"); else connect by host and password, to the primary, with sslmode as the server has it',
  },
  {
    id: 'says-database-unmade',
    pattern:
      /\b(?<kind>role|database|relation|schema) "(?<name>[^"\\]+)\\?" does not exist\b|no such table: (?<table>[\w.]+)|Table '(?<mysql>[^']+)' doesn't exist|Unknown database '(?<base>[^']+)'|extension "(?<extension>[^"]+)" is not available|must install the (?<needed>\w+) extension/,
    cause: (found) => {
      const extension = word(found, 'extension', 'needed');
      if (extension !== undefined)
        return `The database lacks the extension ${extension}, which the program needs`;
      const kind =
        word(found, 'kind') ?? (word(found, 'base') === undefined ? 'table' : 'database');
      return `The database has no ${kind === 'relation' ? 'table' : kind} ${word(found, 'name', 'table', 'mysql', 'base')}: it was not set up for this program, or not to the end, or another one is asked`;
    },
    remedy:
      'Make it as the guide of the program says (user, database, "CREATE EXTENSION" as a superuser), let the program make its tables, and look that it talks to the database that is meant',
  },
  {
    id: 'says-database-older',
    pattern:
      /data directory was initialized by PostgreSQL version (?<old>[\d.]+),.{0,60}this version (?<now>[\d.]+)|(?<files>database files are incompatible with server)|Can't handle RDB format version (?<rdb>\d+)/,
    cause: (found) =>
      word(found, 'rdb') === undefined
        ? `The data of PostgreSQL were made by another version${because(word(found, 'old') && `${word(found, 'old')}, and ${word(found, 'now')} is started`)}: it does not take them over by itself`
        : `The data of Redis were written by a newer version (format ${word(found, 'rdb')}) than the one that is started`,
    remedy:
      'Start the version that made them; for a newer one of PostgreSQL dump there and restore into an empty directory, or use pg_upgrade',
  },
  {
    id: 'says-database-crowded',
    pattern:
      /sorry, too many clients already|remaining connection slots are reserved|max number of clients reached|FATAL: {1,2}too many connections for|Too many connections\b/,
    cause: (found) =>
      `${at(found)} has as many connections open as it allows, and takes no more`.replace(
        /^the other end/,
        'The database',
      ),
    remedy:
      'Look who holds them ("SELECT * FROM pg_stat_activity", "CLIENT LIST"); let the programs open fewer (their pools and workers), or raise max_connections or maxclients',
  },
  {
    id: 'says-database-damaged',
    pattern:
      /(?<why>could not locate a valid checkpoint record|invalid (?:primary )?checkpoint record|invalid page in block \d+ of relation \S+|could not read block \d+ in file "[^"]+": read only \d+ of \d+ bytes|database disk image is malformed|file is not a database|Bad file format reading the append only file[^:]{0,80}|Short read or OOM loading DB|Internal error in RDB reading|Wrong signature trying to load DB from file|Unexpected end of file reading the append only file)/,
    cause: (found) =>
      `The data of the database are damaged, as after a loss of power, a full disk or a copy made while it ran: ${word(found, 'why')}`,
    remedy:
      'Save the files as they are, then restore a backup; short of one: "redis-check-aof --fix", "sqlite3 FILE .recover", pg_resetwal, each of which loses what it cannot read',
  },
  {
    id: 'says-database-directory',
    pattern:
      /data directory "(?<owned>[^"]+)" has (?<why>wrong ownership|invalid permissions|group or world access)|initdb: error: (?:could not (?<denied>change permissions of|access|create) directory "(?<refused>[^"]+)"|directory "(?<full>[^"]+)" exists but is not empty)|(?:chown|chmod): (?:changing (?:ownership|permissions) of|cannot access) '?(?<path>\/var\/lib\/(?:postgresql|pgsql|mysql)[^':]*)'?: (?<no>Operation not permitted|Permission denied)/,
    cause: (found) => {
      const full = word(found, 'full');
      return full === undefined
        ? `The database may not use its data directory ${word(found, 'owned', 'refused', 'path')}${because(word(found, 'why', 'no', 'denied')?.replace(/^(?=change|access|create)/, 'cannot '))}`
        : `The data directory of PostgreSQL ${full} is not empty, and is not taken for a database: something else lies in it, its first start broke off, or the container may not read it`;
    },
    remedy:
      'Look at owner, rights and SELinux label of the directory on the host (the user of the container must own it, 0700); NFS with root_squash and old container runtimes forbid what it needs, too; move away what is no database',
  },
  {
    id: 'says-database-locked',
    pattern:
      /OperationalError: database is locked|\(SQLITE_BUSY\)|SQLITE_BUSY: database is locked|: database is locked\b|InnoDB: Unable to lock \S+|lock file "(?<pid>postmaster\.pid)" already exists|failed to create cache database.{0,80}"error":"(?<time>timeout)"|"error":"(?<timed>timeout)".{0,40}failed to create cache database/,
    cause: (found) =>
      word(found, 'pid') === undefined
        ? 'The database is one file, and another process holds it locked'
        : 'PostgreSQL finds the lock file of another one (postmaster.pid) in its data directory: that one still runs, or ended without removing it',
    remedy:
      'Look who has it open ("fuser -v FILE", "podman ps"), and let only one instance use it; keep SQLite off NFS; remove a postmaster.pid only where its process is gone',
  },
  {
    id: 'says-redis-refuses',
    pattern:
      /(?:^|[\s:("'-])(?<code>MISCONF|READONLY|OOM|NOAUTH|WRONGPASS|CLUSTERDOWN) (?=Redis is|Errors writing|You can't write|command not allowed|Authentication required|invalid username|The cluster is down|Hash slot)|(?:Client sent AUTH, but no password is set|AUTH <password> called without any password configured)/,
    cause: (found) => `Redis refuses the request: ${REDIS_SAYS[word(found, 'code') ?? 'unasked']}`,
    remedy:
      'Look at the log of Redis and at its settings (requirepass, maxmemory, dir and the rights and room of its directory, replicaof), and at host and password that the program was given',
  },
  {
    id: 'says-database-schema',
    pattern:
      /(?<dirty>Dirty database version (?<version>\d+))|Can't locate revision identified by '(?<revision>[^']+)'|no migration found for version (?<unknown>\d+)|database \(migration version: (?<newer>\d+)\) is for a newer|schema version of migrator is smaller that the one in the rdb: (?<rdb>[\d.<]+)|(?<pending>there are pending database migrations)/,
    cause: (found) => {
      if (word(found, 'pending') !== undefined)
        return 'The tables of the database are of an older version of the program, and were not brought up to this one yet';
      return word(found, 'dirty') === undefined
        ? `The tables of the database were changed by a newer version of the program than the one that runs${because(word(found, 'revision', 'unknown', 'newer', 'rdb'))}: it does not know the step`
        : `A change of the tables of the database (step ${word(found, 'version')}) broke off half way, and the program goes on with none`;
    },
    remedy:
      'Run the version that the database is of, or a newer one, and its migration; after a step that broke off, restore the backup from before and update anew, by the versions that the guide names',
  },
  {
    id: 'says-database-not-reached',
    pattern:
      /could not translate host name "(?<name>[^"]+)" to address|connection to server (?:at "(?<host>[^"]+)"(?: \([^)]*\))?, port (?<port>\d+)|on socket "(?<socket>[^"]+)") failed: (?!FATAL)(?<why>[A-Z][\w ]{4,60})|Can't connect to (?:local )?(?:MySQL|MariaDB) server (?:through socket|on) '(?<mysql>[^']+)'|Error -?\d+ connecting to (?<end>[\w.-]+:\d+)\. (?<said>[\w ]{4,60})/,
    cause: (found) => {
      const name = word(found, 'name');
      if (name !== undefined)
        return `The name of the database ${name} is not known to the name servers of the machine or container that asked`;
      const host = word(found, 'host');
      const end =
        host === undefined
          ? word(found, 'socket', 'end', 'mysql')
          : `${host}:${word(found, 'port')}`;
      return `The database at${named(end)} cannot be reached${because(word(found, 'why', 'said'))}`;
    },
    remedy:
      'Look whether the database runs (its own log says why not), under this name and port, and in the same network of containers',
  },
  {
    id: 'says-secret-undecryptable',
    pattern:
      /cipher: message authentication failed|DecryptionFailureException|cryptography\.fernet\.InvalidToken|OpenSSL::Cipher::CipherError|Got exception when trying to decrypt value/,
    cause: () =>
      'What is kept encrypted cannot be decrypted: the program has another key than the one it was encrypted with, or the data are damaged',
    remedy:
      'Bring back the key from before (Harbor: the file secretkey; Quay: DATABASE_SECRET_KEY; GitLab: gitlab-secrets.json): after a restore it must be the one of the old installation. Else enter the secrets anew',
  },
];
