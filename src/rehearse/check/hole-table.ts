/** How one kind of hole is told. `{name}` is filled in; what only the user knows stands in capitals. */
export interface HoleWords {
  /** By default its id. */
  readonly cause?: string;
  /** By default configuration that nodes will get. */
  readonly fault?: 'content';
  /** By default a hole: a warning stops no pull today. */
  readonly severity?: 'warning';
  readonly title: string;
  /** The part of the configuration that should have caught it; else the rule that led there. */
  readonly rule?: string;
  /** Command lines that close it; else those for the image at hand. */
  readonly commands?: readonly string[];
}

/**
 * Every kind of hole, with its words and commands. A new one is a row here and a call of `makeHole`. Causes are
 * a contract: add new ones, never rename one.
 */
export const HOLES = {
  // Content of the mirror.
  'manifest-missing': { fault: 'content', title: '{registry} lacks {scope}' },
  'operand-unmirrored': { fault: 'content', title: '{registry} lacks {scope}' },
  'platform-missing': {
    fault: 'content',
    title: '{registry} has images that do not run on {platform}',
  },
  'layer-missing': { fault: 'content', title: '{registry} lacks a layer of images it has' },
  'manifest-damaged': { fault: 'content', title: '{registry} serves a damaged manifest' },
  'layer-damaged': { fault: 'content', title: '{registry} serves a damaged layer' },
  'content-unreadable': { fault: 'content', title: '{image} cannot be used as what it should be' },
  'signature-missing': { fault: 'content', title: '{registry} lacks signatures that nodes demand' },
  'signature-wrong': {
    fault: 'content',
    title: 'Signatures in {place} are not those nodes demand',
  },
  // Mirror rules.
  'rule-missing': {
    title: 'No mirror rule covers {source}',
    rule: '{source} → {mirror} (missing from {rules})',
  },
  'operand-rule-missing': {
    cause: 'operand-unmirrored',
    fault: 'content',
    title: 'No mirror rule covers {source}',
    rule: '{source} → {mirror} (missing from {rules})',
  },
  'tag-under-digest-rule': {
    title: 'Images of {source} are pulled by tag, and its mirrors serve only digests',
  },
  'digest-under-tag-rule': {
    title: 'Images of {source} are pulled by digest, and its mirrors serve only tags',
  },
  'blocked-without-mirror': {
    title: '{source} is blocked and has no mirror',
  },
  'mirrors-blocked': {
    cause: 'blocked-without-mirror',
    title: 'Every mirror of {source} is blocked itself',
    commands: ['atoll render registries-conf --rules-from MIRROR_SETS --to registries.conf'],
  },
  'rule-missing-on-bootstrap': {
    title: 'The bootstrap machine has no mirror rule for {source}',
    rule: 'imageDigestSources of the install-config: {prefix} → {mirror}',
    commands: [
      'atoll render install-config --rule {prefix}={mirror} OTHER_FLAGS --to install-config.yaml',
    ],
  },
  'rule-astray-on-bootstrap': {
    cause: 'rule-missing-on-bootstrap',
    title: 'The bootstrap machine looks for {source} where it is not',
    rule: 'imageDigestSources of the install-config: {source} → {places}',
    commands: [
      'atoll render install-config --rule {source}={found} OTHER_FLAGS --to install-config.yaml',
    ],
  },
  'upstream-reachable': {
    title: 'Nodes can reach {host}, and no rule blocks it',
    commands: [
      'atoll render mirror-sets {rulesFrom} --never-contact-source --to mirror-sets.yaml',
      'atoll render registries-conf {rulesFrom} --block {host} --to registries.conf',
    ],
  },
  'upstream-behind-proxy': {
    severity: 'warning',
    title: 'Nodes may reach {host} through the proxy of the cluster',
    rule: 'proxy in the install-config, and no rule that blocks the source',
    commands: [
      'atoll render mirror-sets --rules-from MIRROR_SETS --never-contact-source --to mirror-sets.yaml',
    ],
  },
  'policy-rejects': {
    title: 'The policy of the nodes rejects images they need',
    commands: ['atoll render policy --scope {registry}=accept OTHER_FLAGS --to policy.json'],
  },
  // The way to the mirror.
  'name-unresolved': {
    title: 'Nodes cannot resolve {name}',
    commands: ['atoll render hosts --host ADDRESS={name} --to hosts'],
  },
  'mirror-unreachable': {
    title: '{host} does not answer',
    rule: 'Nodes must have a route to the mirror, and the mirror must run before they boot',
    commands: ['atoll registry serve --dir REGISTRY_FOLDER'],
  },
  'mirror-on-loopback': {
    severity: 'warning',
    title: '{host} is another machine on every node: each its own',
    commands: ['atoll render mirror-sets --mirror NAME_OF_THE_MIRROR:PORT'],
  },
  'mirror-refused': {
    title: '{host} does not serve what nodes ask for',
    rule: 'The mirror must speak the OCI distribution API to nodes',
    commands: ['atoll registry check --dir REGISTRY_FOLDER'],
  },
  'tls-not-spoken': {
    title: '{host} speaks plain HTTP, and nodes want TLS',
    rule: 'No rule says that {host} is insecure, which is right: give it a certificate',
    commands: ['atoll registry init --host {name}'],
  },
  'tls-not-verified': {
    severity: 'warning',
    title: 'Nodes take any certificate from {host}, or none at all',
    commands: ['atoll render registries-conf --rules-from MIRROR_SETS --to registries.conf'],
  },
  'certificate-untrusted': {
    title: 'Nodes do not trust the certificate of {host}',
    rule: '{trust} must hold the CA that signed the certificate of {host}',
    commands: [
      'atoll render install-config --trust-bundle REGISTRY_FOLDER/tls/ca.crt OTHER_FLAGS --to install-config.yaml',
    ],
  },
  'certificate-unfit': {
    cause: 'certificate-untrusted',
    title: 'Nodes refuse the certificate of {host}',
    rule: 'It must be a server certificate for this name, signed with SHA-256 by a CA that may sign it',
    commands: ['atoll registry renew --dir REGISTRY_FOLDER --host {name}'],
  },
  'certificate-name': {
    title: 'The certificate of {host} is not for this name',
    rule: '{rules} name {host}, so its certificate must list "{name}"',
    commands: ['atoll registry renew --dir REGISTRY_FOLDER --host {names}'],
  },
  'certificate-expired': {
    title: 'The certificate of {host} is not valid now',
    rule: 'Nodes compare it with their own clock: it must be valid from the first boot on',
    commands: ['atoll registry renew --dir REGISTRY_FOLDER'],
  },
  'certificate-expiring': {
    severity: 'warning',
    title: '{whose} of {host} ends within {days} days',
    rule: 'It must outlive the install; nodes that join or restart later need it, too',
    commands: ['atoll registry renew --dir REGISTRY_FOLDER'],
  },
  'credential-absent': {
    title: 'Nodes have no login for {host}',
    rule: '{pullSecret} must have an entry "{host}"',
  },
  'credential-wrong': {
    title: '{host} refuses the login that nodes have',
    rule: 'The entry "{host}" of {pullSecret} must be {user} as {host} knows it',
  },
  'access-denied': {
    title: 'The login that nodes have may not pull {place}',
    rule: 'The user of the entry "{host}" in {pullSecret} must have the right to pull',
    commands: ['atoll registry user add nodes --grant pull --dir REGISTRY_FOLDER', '{login}'],
  },
} as const satisfies Readonly<Record<string, HoleWords>>;

export type HoleId = keyof typeof HOLES;

/** Every cause a rehearsal can name. */
export type Cause = {
  [Id in HoleId]: (typeof HOLES)[Id] extends { readonly cause: infer Name extends string }
    ? Name
    : Id;
}[HoleId];
