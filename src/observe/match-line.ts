import { withoutSourceError } from './mirrors-also-failed.ts';
import type { Rule } from './rules/catalogue.ts';
import { LONGEST_TEXT } from './scan/line-scanner.ts';

export interface RuleMatch {
  readonly rule: Rule;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** Quotes inside quoted fields, and colours, as no pattern should have to know them. */
export function plainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with one.
  return text.replaceAll('\\"', '"').replace(/\x1b\[[0-9;]*m/g, '');
}

/**
 * The rules a line speaks for, given those that apply to its origin: a benign one silences it, a more
 * specific one replaces the general, and a root leaves no room for symptoms.
 */
export function matchLine(rules: readonly Rule[], text: string): readonly RuleMatch[] {
  const seen = withoutSourceError(plainText(text.slice(0, LONGEST_TEXT + 1024)));
  const matches = rules.flatMap((rule) => {
    const match = rule.regexp?.exec(seen);
    return match ? [{ rule, groups: match.groups ?? {} }] : [];
  });
  const benign = matches.filter(({ rule }) => rule.kind === 'benign');
  if (benign.length > 0) return benign;
  const replaced = new Set(matches.flatMap(({ rule }) => rule.instead_of));
  const left = matches.filter(({ rule }) => !replaced.has(rule.id));
  const roots = left.filter(({ rule }) => rule.kind === 'root');
  return roots.length > 0 ? roots : left;
}
