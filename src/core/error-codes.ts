interface CodeInfo {
  /** Process exit status when this error ends a command. */
  readonly exit: number;
  /** Whether the same request, sent again later, may succeed. */
  readonly transient: boolean;
  readonly summary: string;
}

/**
 * Every failure the tool can name. `docs/errors.md` is generated from this table.
 * Codes are a contract: add new ones, never rename or reuse one.
 */
export const ERROR_CODES = {
  // The command line, files and the machine.
  USAGE: { exit: 2, transient: false, summary: 'The command line is not valid' },
  INTERRUPTED: { exit: 130, transient: false, summary: 'The run was interrupted' },
  NOT_BUILT: { exit: 3, transient: false, summary: 'This part of atoll does not exist' },
  INPUT_INVALID: { exit: 3, transient: false, summary: 'A file or value is not valid' },
  FILE_UNREADABLE: { exit: 3, transient: false, summary: 'A file cannot be read' },
  FILE_UNWRITABLE: { exit: 3, transient: false, summary: 'A file cannot be written' },
  DISK_FULL: { exit: 3, transient: false, summary: 'Too little free space on a disk' },
  PREFLIGHT_FAILED: {
    exit: 3,
    transient: false,
    summary: 'Something stands in the way of what a platform will make',
  },
  PROGRAM_MISSING: { exit: 3, transient: false, summary: 'A program this needs is not installed' },
  PROGRAM_FAILED: { exit: 3, transient: false, summary: 'A program this needs failed' },
  LOCKED: { exit: 3, transient: true, summary: 'Another run is using this' },
  PLAN_CHANGED: { exit: 3, transient: false, summary: 'The plan is not the one that was started' },
  TIMED_OUT: { exit: 4, transient: true, summary: 'Something took longer than it may' },

  // Content.
  DIGEST_INVALID: { exit: 5, transient: false, summary: 'A digest is not well formed' },
  REFERENCE_INVALID: {
    exit: 3,
    transient: false,
    summary: 'An image reference is not well formed',
  },
  MANIFEST_INVALID: { exit: 5, transient: false, summary: 'A manifest is not valid' },
  MANIFEST_UNSUPPORTED: {
    exit: 5,
    transient: false,
    summary: 'A manifest has a format nobody should use any more',
  },
  CONTENT_MISMATCH: { exit: 5, transient: true, summary: 'Content differs from its descriptor' },
  CONTENT_MISSING: { exit: 5, transient: false, summary: 'Content that should be there is absent' },
  LAYER_INVALID: { exit: 5, transient: false, summary: 'A layer cannot be unpacked' },
  PAYLOAD_INVALID: { exit: 5, transient: false, summary: 'A release image is not valid' },
  CATALOG_INVALID: { exit: 5, transient: false, summary: 'An operator catalog is not valid' },
  SIGNATURE_INVALID: {
    exit: 5,
    transient: false,
    summary: 'A signature is there and does not verify',
  },
  SIGNATURE_MISSING: { exit: 5, transient: false, summary: 'Nobody signed what must be signed' },
  BUNDLE_INVALID: {
    exit: 3,
    transient: false,
    summary: 'A bundle is not whole, not readable or in the way',
  },
  BUNDLE_DAMAGED: {
    exit: 5,
    transient: false,
    summary: 'A chunk of a bundle is missing or altered',
  },
  BUNDLE_PARTIAL: {
    exit: 7,
    transient: false,
    summary: 'A bundle lacks what could not be saved into it',
  },
  BUNDLE_BASE_MISSING: {
    exit: 5,
    transient: false,
    summary: 'A bundle builds on content the mirror does not have',
  },

  // Registries and the network.
  REGISTRY_DENIED: { exit: 4, transient: false, summary: 'A registry refused the credentials' },
  REGISTRY_UNAVAILABLE: { exit: 4, transient: true, summary: 'A registry did not answer' },
  REGISTRY_THROTTLED: { exit: 4, transient: true, summary: 'A registry asked us to slow down' },
  REGISTRY_REFUSED: { exit: 4, transient: false, summary: 'A registry refused a request' },
  INDEX_SPARSE_REFUSED: {
    exit: 4,
    transient: false,
    summary: 'A registry wants every platform of an index',
  },
  REGISTRY_QUOTA: { exit: 4, transient: false, summary: 'A registry has no room or quota left' },
  REGISTRY_BLOCKED: { exit: 4, transient: false, summary: 'registries.conf blocks this registry' },
  IMAGE_UNKNOWN: { exit: 4, transient: false, summary: 'A registry does not have this image' },
  TOKEN_EXPIRED: { exit: 4, transient: true, summary: 'A registry token is no longer valid' },
  TLS_UNTRUSTED: { exit: 4, transient: false, summary: 'A certificate is not trusted' },
  TLS_NAME_MISMATCH: { exit: 4, transient: false, summary: 'A certificate is for another name' },
  TLS_EXPIRED: { exit: 4, transient: false, summary: 'A certificate is not valid now' },
  TLS_NOT_SPOKEN: {
    exit: 4,
    transient: false,
    summary: 'A server speaks plain HTTP where TLS is expected',
  },
  TLS_EXPECTED: {
    exit: 4,
    transient: false,
    summary: 'A server speaks TLS where plain HTTP was tried',
  },
  TLS_CLIENT_REFUSED: {
    exit: 4,
    transient: false,
    summary: 'A server wants a client certificate that was not shown, or refuses ours',
  },
  NOT_A_REGISTRY: { exit: 4, transient: false, summary: 'What answers is not a registry' },
  REGISTRY_POLICY: { exit: 4, transient: false, summary: "A registry's own policy forbids this" },
  PROXY_DENIED: {
    exit: 4,
    transient: false,
    summary: 'A proxy refused the credentials or the host',
  },
  PROXY_FAILED: { exit: 4, transient: true, summary: 'A proxy refused or failed' },
  HOST_UNREACHABLE: { exit: 4, transient: true, summary: 'A machine did not answer over SSH' },
  HOST_DISCONNECTED: {
    exit: 4,
    transient: true,
    summary: 'The connection to a machine was lost while something ran there',
  },
  HOST_DENIED: {
    exit: 4,
    transient: false,
    summary: 'A machine refused the login, or to let it become root',
  },
  HOST_KEY_UNTRUSTED: {
    exit: 4,
    transient: false,
    summary: 'A machine shows a key that is not the pinned one, or that nobody knows',
  },
  NAME_UNRESOLVED: { exit: 4, transient: true, summary: 'A host name does not resolve' },

  TARGETS_COLLIDE: {
    exit: 3,
    transient: false,
    summary: 'Different images would have one name in the mirror',
  },

  // Object stores.
  BUCKET_REFUSED: { exit: 4, transient: false, summary: 'An object store refused a request' },
  BUCKET_UNAVAILABLE: { exit: 4, transient: true, summary: 'An object store did not answer' },

  // Clouds.
  CLOUD_CREDENTIALS: {
    exit: 4,
    transient: false,
    summary: 'There are no credentials for a cloud, or it does not take them',
  },
  CLOUD_DENIED: {
    exit: 4,
    transient: false,
    summary: 'The credentials may not do this in a cloud',
  },
  CLOUD_QUOTA: {
    exit: 4,
    transient: false,
    summary: 'An account has used up what a cloud gives it',
  },
  CLOUD_REFUSED: { exit: 4, transient: false, summary: 'A cloud refused a request' },
  CLOUD_THROTTLED: { exit: 4, transient: true, summary: 'A cloud asked us to slow down' },
  CLOUD_UNAVAILABLE: { exit: 4, transient: true, summary: 'A cloud did not answer' },
  CLOUD_STACK_FAILED: {
    exit: 6,
    transient: false,
    summary: 'A stack of resources could not be made or removed',
  },
  CLOUD_LEFTOVERS: {
    exit: 6,
    transient: false,
    summary: 'Something of a site is still in the cloud after its removal',
  },

  // Results that are not a crash.
  IMAGES_MISSING: {
    exit: 7,
    transient: false,
    summary: 'Some images could not be mirrored; the rest are in place',
  },
  CLUSTER_FAILED: { exit: 6, transient: false, summary: 'The cluster did not come up' },

  // The Kubernetes API of a cluster.
  CLUSTER_UNAVAILABLE: { exit: 4, transient: true, summary: 'A Kubernetes API did not answer' },
  CLUSTER_DENIED: {
    exit: 4,
    transient: false,
    summary: 'A Kubernetes API refused the credentials, or they may not do this',
  },
  CLUSTER_REFUSED: { exit: 3, transient: false, summary: 'A Kubernetes API refused a request' },
  CLUSTER_CONFLICT: {
    exit: 3,
    transient: false,
    summary: 'Somebody else manages a field that would be changed in the cluster',
  },
  CLUSTER_KIND_UNKNOWN: {
    exit: 3,
    transient: false,
    summary: 'A cluster does not know a kind of object',
  },
} as const satisfies Record<string, CodeInfo>;

export type ErrorCode = keyof typeof ERROR_CODES;

export const ERROR_NAMES = Object.keys(ERROR_CODES) as readonly ErrorCode[];
