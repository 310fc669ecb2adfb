import { ANYWHERE } from './file-kind.ts';
import { withoutSourceError } from './mirrors-also-failed.ts';
import { type Party, partiesOf } from './party.ts';
import type { Rule } from './rules/catalogue.ts';
import { LONGEST_TEXT } from './scan/line-scanner.ts';
import { withoutColours } from './scan/plain-lines.ts';

export interface RuleMatch {
  readonly rule: Rule;
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** Where in the line it ends: programs put the cause behind what it led to. */
  readonly end?: number;
  /** Absent: it counts whatever other lines say. */
  readonly when?: OpenRules | undefined;
}

/** Rules of a line that other lines can drop, and in which cases of that (a bit for each that stays) a match counts. */
interface OpenRules {
  readonly rules: readonly Rule[];
  readonly cases: ReadonlySet<number>;
}

/** Whether what a rule needs was seen, and nothing that speaks against it. */
const isBorneOut = ({ needed, against }: Rule, facts: ReadonlySet<RegExp>): boolean =>
  needed.every((one) => facts.has(one)) && !against.some((one) => facts.has(one));

/** Whether a match still counts when all lines are known. */
export function counts(
  { rule, when }: Omit<RuleMatch, 'groups'>,
  facts: ReadonlySet<RegExp>,
): boolean {
  const stays = (one: Rule, bit: number) => (isBorneOut(one, facts) ? 1 << bit : 0);
  return (
    isBorneOut(rule, facts) &&
    (!when || when.cases.has(when.rules.map(stays).reduce((sum, bit) => sum | bit, 0)))
  );
}

/** Quotes inside quoted fields, and colours, as no pattern should have to know them. */
export function plainText(text: string): string {
  return withoutColours(text.includes('\\"') ? text.replace(/\\+"/g, '"') : text);
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
    if (!match || !concerns(rule, parties)) return [];
    return [{ rule, groups: match.groups ?? {}, end: match.index + match[0].length }];
  });
  const open = matches.filter(isOpen).slice(0, MAX_OPEN);
  return open.length === 0 ? speakersOf(matches, origins) : inEachCase(matches, open, origins);
}

/** More on one line are taken for sure: the cases are twice as many with each. */
const MAX_OPEN = 4;

const isOpen = ({ rule }: RuleMatch): boolean => rule.needs.length > 0 || rule.unless.length > 0;

/** What is dropped because of other lines must neither replace nor silence anything: so each case is looked at. */
function inEachCase(
  matches: readonly RuleMatch[],
  open: readonly RuleMatch[],
  origins: readonly string[],
): readonly RuleMatch[] {
  const all = 1 << open.length;
  const found = new Map<RuleMatch, Set<number>>();
  for (let one = 0; one < all; one += 1) {
    const dropped = open.filter((_, bit) => (one & (1 << bit)) === 0);
    for (const match of speakersOf(
      matches.filter((match) => !dropped.includes(match)),
      origins,
    ))
      found.set(match, (found.get(match) ?? new Set()).add(one));
  }
  const rules = open.map(({ rule }) => rule);
  return [...found].map(([match, cases]) =>
    cases.size === all ? match : { ...match, when: { rules, cases } },
  );
}

function speakersOf(
  matches: readonly RuleMatch[],
  origins: readonly string[],
): readonly RuleMatch[] {
  const benign = matches.filter(({ rule }) => rule.kind === 'benign');
  if (benign.length > 0) return benign;
  const replaced = new Set(matches.flatMap(({ rule }) => rule.instead_of));
  const left = matches.filter(({ rule }) => !replaced.has(rule.id));
  const roots = left.filter(({ rule }) => rule.kind === 'root');
  return likeliest(roots.length > 0 ? roots : left, origins);
}

/** A runbook quotes what may happen, and what was typed at a prompt has not happened yet. Nobody types a quoted sentence. */
export const isQuoted = (text: string): boolean =>
  /^\s*(?:[|*-] +(?:(?:If y|Y)ou\b[^`"]{0,80})?)?`[^`]+`|^(?:\[[^\]\s]+@[^\]]+\]|[\w.-]+@[\w.-]+:\S+)?[$#] (?!["'][^"']* )\S/.test(
    text,
  );

/** A line that was wrapped names the other end in the line before it. */
export function partiesWith(seen: string, lead: string | undefined): readonly Party[] {
  const parties = partiesOf(seen);
  return lead !== undefined && parties[0] === 'unknown' ? partiesOf(`${lead} ${seen}`) : parties;
}

/** Whether a line about these is about whom the rule means. */
export const concerns = (rule: Rule, parties: () => readonly Party[]): boolean => {
  const { about, not_about: others } = rule;
  if (others && parties().some((one) => others.includes(one))) return false;
  return about === undefined || parties().some((one) => about.includes(one));
};

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
    .toSorted((a, b) => a.rank - b.rank || (b.match.end ?? 0) - (a.match.end ?? 0))
    .map(({ match }) => match);
}

/** Rules for any origin come after those that name one. */
function rankIn(rule: Rule, origins: readonly string[]): number {
  if (rule.where.includes('*')) return origins.length + 1;
  const rank = origins.findIndex((origin) => origin !== ANYWHERE && rule.appliesTo(origin));
  return rank < 0 ? origins.length : rank;
}
