export const PULL_FROM_MIRROR = ['all', 'digest-only', 'tag-only'] as const;

export interface Mirror {
  readonly location: string;
  /** Unverified TLS and plain HTTP are allowed here. */
  readonly insecure: boolean;
  readonly pullFromMirror: (typeof PULL_FROM_MIRROR)[number] | undefined;
}

/** One `[[registry]]` table. */
export interface RegistryTable {
  readonly prefix: string;
  /** Absent only where the prefix is `*.host`: names are then kept as they are. */
  readonly location: string | undefined;
  readonly insecure: boolean;
  readonly blocked: boolean;
  readonly mirrorByDigestOnly: boolean;
  readonly mirrors: readonly Mirror[];
}

/** What says a rule: a `registries.conf`, or an object from which nodes are given one. */
export interface RuleOrigin {
  readonly kind: 'registries-conf' | 'mirror-set' | 'install-config';
  readonly path: string;
  /** The mirror set's name, or the field of the install-config. */
  readonly name?: string | undefined;
}

/** A table, and what says it. */
export interface RegistryRule extends RegistryTable {
  readonly origins: readonly RuleOrigin[];
}

/** What one file says. */
export interface RegistriesFile {
  readonly path: string;
  readonly rules: readonly RegistryRule[];
  /** Programs to ask for credentials, in order; `containers-auth.json` stands for the auth files. */
  readonly credentialHelpers: readonly string[] | undefined;
  /** Registries in which short names are looked up. */
  readonly unqualifiedSearch: readonly string[] | undefined;
}

/** All tables that count, each prefix once. */
export interface RegistriesConf {
  readonly registries: readonly RegistryRule[];
  /** The files they came from, for messages. */
  readonly files: readonly string[];
  readonly credentialHelpers?: readonly string[] | undefined;
  readonly unqualifiedSearch?: readonly string[] | undefined;
}

/**
 * The main file and its drop-ins, in the order they are read. A later table with the same prefix
 * replaces the whole earlier one: mirrors are not joined. Lists are replaced where a file has them.
 */
export function mergeFiles(files: readonly RegistriesFile[]): RegistriesConf {
  const byPrefix = new Map<string, RegistryRule>();
  for (const { rules } of files) for (const rule of rules) byPrefix.set(rule.prefix, rule);
  return {
    registries: [...byPrefix.values()],
    files: files.map(({ path }) => path),
    credentialHelpers: files.findLast((file) => file.credentialHelpers)?.credentialHelpers,
    unqualifiedSearch: files.findLast((file) => file.unqualifiedSearch)?.unqualifiedSearch,
  };
}
