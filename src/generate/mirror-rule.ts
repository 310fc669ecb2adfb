import { AtollError } from '../core/errors.ts';
import { byText } from '../core/order.ts';
import { isLocation } from '../oci/registries/location.ts';

/** What a node does when no mirror has the image. The default of the cluster is to ask the source. */
export type SourcePolicy = 'NeverContactSource' | 'AllowContactingSource';

/** Where the images of one upstream place are found instead. */
export interface MirrorRule {
  /** `host[:port][/path]`, or `*.domain`; covers everything below it. */
  readonly source: string;
  /** `host[:port][/path]`, in the order they are tried. */
  readonly mirrors: readonly string[];
  readonly policy?: SourcePolicy | undefined;
}

/**
 * Valid rules, one for each source, in the order of their sources. Mirrors of equal sources are
 * joined; the strictest policy wins. The order in which the rules came does not matter.
 */
export function normalizeRules(rules: readonly MirrorRule[]): MirrorRule[] {
  const bySource = new Map<string, MirrorRule>();
  for (const rule of rules.toSorted(compareRules)) {
    checkRule(rule);
    const earlier = bySource.get(rule.source);
    bySource.set(rule.source, earlier ? joinRules(earlier, rule) : tidyRule(rule));
  }
  return [...bySource.values()];
}

function compareRules(a: MirrorRule, b: MirrorRule): number {
  return byText(a.source, b.source) || byText(a.mirrors.join(' '), b.mirrors.join(' '));
}

function tidyRule(rule: MirrorRule): MirrorRule {
  const mirrors = [...new Set(rule.mirrors)];
  return { source: rule.source, mirrors, ...(rule.policy ? { policy: rule.policy } : {}) };
}

function joinRules(a: MirrorRule, b: MirrorRule): MirrorRule {
  const never = [a.policy, b.policy].includes('NeverContactSource');
  const policy = never ? 'NeverContactSource' : (a.policy ?? b.policy);
  return tidyRule({ source: a.source, mirrors: [...a.mirrors, ...b.mirrors], policy });
}

function checkRule(rule: MirrorRule): void {
  if (!isLocation(rule.source, { wildcard: true })) throw invalid('source', rule.source);
  if (rule.mirrors.length === 0) {
    throw new AtollError('INPUT_INVALID', `Cannot mirror "${rule.source}": it has no mirror`, {
      hint: 'Name at least one mirror, or block the source instead',
    });
  }
  for (const mirror of rule.mirrors) if (!isLocation(mirror)) throw invalid('mirror', mirror);
}

function invalid(what: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use "${found}" as the ${what} of a mirror rule`, {
    hint: 'Write "host[:port][/path]" without scheme, tag or digest',
  });
}
