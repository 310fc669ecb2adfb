import { AtollError } from '../core/errors.ts';
import { isRepository } from '../oci/reference.ts';
import { byText } from './order.ts';

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

const HOST =
  /^(?!.*(?:\.\.|-\.|\.-))(?:\*\.)?(?:\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?)(?::\d{1,5})?$/;

/** Whether this is `host[:port][/path]` without tag or digest; a `*.` in front where allowed. */
export function isLocation(text: string, options: { readonly wildcard?: boolean } = {}): boolean {
  const { host, path } = splitLocation(text);
  if (!HOST.test(host)) return false;
  if (host.startsWith('*.')) return options.wildcard === true && path === '';
  return path === '' ? !text.endsWith('/') : isRepository(path);
}

export function splitLocation(text: string): { host: string; path: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { host: text, path: '' };
  return { host: text.slice(0, slash), path: text.slice(slash + 1) };
}

export const hostOf = (location: string): string => splitLocation(location).host;

/** The name of a host without its port: what DNS, `/etc/hosts` and `noProxy` know. */
export const hostNameOf = (location: string): string => hostOf(location).replace(/:\d+$/, '');

/** Whether a rule for `prefix` applies to `location`, as containers/image matches. */
export function coversLocation(prefix: string, location: string): boolean {
  if (prefix.startsWith('*.')) return hostNameOf(location).endsWith(prefix.slice(1));
  return location === prefix || location.startsWith(`${prefix}/`);
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

/** The rule that decides for this location: the one with the longest source. */
export function ruleFor(rules: readonly MirrorRule[], location: string): MirrorRule | undefined {
  return rules
    .filter((rule) => coversLocation(rule.source, location))
    .reduce<MirrorRule | undefined>(
      (best, rule) => (best && best.source.length >= rule.source.length ? best : rule),
      undefined,
    );
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
