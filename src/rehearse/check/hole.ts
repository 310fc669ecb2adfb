import type { WantedImage } from '../images/wanted-image.ts';

/** What is at fault: content that the mirror should hold, or configuration that nodes will get. */
export type Fault = 'content' | 'configuration';

/** Every cause a rehearsal can name. The names are a contract: add new ones, never rename one. */
export const CAUSES = {
  // Content of the mirror.
  'manifest-missing': 'content',
  'operand-unmirrored': 'content',
  'manifest-damaged': 'content',
  'platform-missing': 'content',
  'layer-missing': 'content',
  'layer-damaged': 'content',
  'signature-missing': 'content',
  'signature-wrong': 'content',
  'content-unreadable': 'content',
  // Mirror rules.
  'rule-missing': 'configuration',
  'rule-missing-on-bootstrap': 'configuration',
  'tag-under-digest-rule': 'configuration',
  'digest-under-tag-rule': 'configuration',
  'blocked-without-mirror': 'configuration',
  'upstream-reachable': 'configuration',
  'upstream-behind-proxy': 'configuration',
  'policy-rejects': 'configuration',
  // The way to the mirror.
  'name-unresolved': 'configuration',
  'mirror-unreachable': 'configuration',
  'mirror-on-loopback': 'configuration',
  'tls-not-spoken': 'configuration',
  'tls-not-verified': 'configuration',
  'certificate-untrusted': 'configuration',
  'certificate-name': 'configuration',
  'certificate-expired': 'configuration',
  'certificate-expiring': 'configuration',
  'credential-absent': 'configuration',
  'credential-wrong': 'configuration',
  'access-denied': 'configuration',
  'mirror-refused': 'configuration',
} as const satisfies Record<string, Fault>;

export type Cause = keyof typeof CAUSES;

/** One thing that would stop a node, or will soon. Holes with the same cause and key are one finding. */
export interface Hole {
  readonly cause: Cause;
  /** A warning stops no pull today. */
  readonly severity: 'hole' | 'warning';
  /** What tells this finding from others of its cause: a host, a rule, a digest. */
  readonly key: string;
  readonly title: string;
  /** The part of the generated configuration that should have caught it. */
  readonly rule: string;
  /** Command lines that close it; what only the user knows stands in capitals. */
  readonly commands: readonly string[];
  /** One command for all images of the finding, where there are many. */
  readonly bulkCommand?: string | undefined;
  /** What was seen. */
  readonly evidence: string;
  readonly image?: WantedImage | undefined;
}

/** The same hole, seen with this image. */
export function seenWith(hole: Hole, image: WantedImage): Hole {
  return { ...hole, image };
}
