import { ANYWHERE } from './file-kind.ts';
import { withoutSourceError } from './mirrors-also-failed.ts';
import { type Party, partiesOf } from './party.ts';
import type { Rule } from './rules/catalogue.ts';
import { LONGEST_TEXT } from './scan/line-scanner.ts';

export interface RuleMatch {
  readonly rule: Rule;
  readonly groups: Readonly<Record<string, string | undefined>>;
}

/** Quotes inside quoted fields, and colours, as no pattern should have to know them. */
export function plainText(text: string): string {
  const unquoted = text.includes('\\"') ? text.replace(/\\+"/g, '"') : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminal colours start with one.
  return unquoted.includes('\x1b') ? unquoted.replace(/\x1b\[[0-9;]*m/g, '') : unquoted;
}

/** The text as rules see it. */
export const seenText = (text: string): string =>
  withoutSourceError(plainText(text.slice(0, LONGEST_TEXT + 1024)));

/**
 * The rules a line speaks for, given those that apply to its origin: a benign one silences it, a more
 * specific one replaces the general, and a root leaves no room for symptoms.
 */
export function matchLine(
  rules: readonly Rule[],
  text: string,
  origins: readonly string[] = [],
  lead?: string,
): readonly RuleMatch[] {
  if (isQuoted(text)) return [];
  const seen = seenText(text);
  let known: readonly Party[] | undefined;
  const parties = () => {
    known ??= partiesWith(seen, lead);
    return known;
  };
  const matches = rules.flatMap((rule) => {
    const match = rule.regexp?.exec(seen);
    return match && concerns(rule, parties) ? [{ rule, groups: match.groups ?? {} }] : [];
  });
  const benign = matches.filter(({ rule }) => rule.kind === 'benign');
  if (benign.length > 0) return benign;
  // What still needs other lines to be true can replace nothing yet.
  const [open, sure] = [matches.filter(isOpen), matches.filter((match) => !isOpen(match))];
  const replaced = new Set(sure.flatMap(({ rule }) => rule.instead_of));
  const left = sure.filter(({ rule }) => !replaced.has(rule.id));
  const roots = left.filter(({ rule }) => rule.kind === 'root');
  const said = likeliest(roots.length > 0 ? roots : left, origins);
  return [...said, ...open.filter(({ rule }) => !replaced.has(rule.id))];
}

/** A runbook quotes what may happen. */
export const isQuoted = (text: string): boolean => /^\s*(?:[|*-] +)?`[^`]+`/.test(text);

/** A line that was wrapped names the other end in the line before it. */
export function partiesWith(seen: string, lead: string | undefined): readonly Party[] {
  const parties = partiesOf(seen);
  return lead !== undefined && parties[0] === 'unknown' ? partiesOf(`${lead} ${seen}`) : parties;
}

const isOpen = ({ rule }: RuleMatch): boolean => rule.needs.length > 0;

/** Whether a line about these is about whom the rule means. */
export const concerns = ({ about }: Rule, parties: () => readonly Party[]): boolean =>
  about === undefined || parties().some((one) => about.includes(one));

/**
 * A line may have one of several origins. The rules of the likeliest one count, and of rules that mean the same
 * only the one that knows its place best.
 */
function likeliest(
  matches: readonly RuleMatch[],
  origins: readonly string[],
): readonly RuleMatch[] {
  if (matches.length < 2) return matches;
  const ranked = matches
    .map((match) => ({ match, rank: rankIn(match.rule, origins) }))
    .toSorted((a, b) => a.rank - b.rank);
  const best = ranked[0]?.rank ?? 0;
  const said = new Set<string>();
  return ranked
    .filter(({ match: { rule }, rank }) => {
      const isGeneral = rule.where.includes('*');
      if (rank > best && !isGeneral) return false;
      if (rule.cause_id === undefined) return true;
      const isNew = !said.has(rule.cause_id);
      said.add(rule.cause_id);
      return isNew;
    })
    .map(({ match }) => match);
}

/** Rules for any origin come after those that name one. */
function rankIn(rule: Rule, origins: readonly string[]): number {
  if (rule.where.includes('*')) return origins.length + 1;
  const rank = origins.findIndex((origin) => origin !== ANYWHERE && rule.appliesTo(origin));
  return rank < 0 ? origins.length : rank;
}
