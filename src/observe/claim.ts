import { causeText } from './cause-text.ts';
import type { EvidenceLine, EvidencePlace } from './evidence.ts';
import { plainText, type RuleMatch, seenText } from './match-line.ts';
import { mirrorErrors } from './mirrors-also-failed.ts';
import { endsOf } from './party.ts';
import { quoteLine, shellWord } from './quote-line.ts';
import { OF_PLAY, RETRY } from './retries.ts';
import type { Rule } from './rules/catalogue.ts';
import { type Severity, severityOf, worse } from './set-aside.ts';
import { rankOf } from './stage-rank.ts';

export interface Evidence {
  readonly file: string;
  readonly line: number;
  readonly at?: string;
  readonly text: string;
}

const MAX_EVIDENCE = 5;
const MAX_MIRRORS = 5;
const MAX_TEXT = 600;
const MAX_NAMED = 200;
const MAX_ENDS = 50;

/** What the lines of one machine say for a rule. */
export interface Gathered extends Claim {
  readonly rule: Rule;
  /** The machine that wrote the lines, where they tell. */
  readonly host: string | undefined;
  readonly when?: RuleMatch['when'] | undefined;
  /** The file that is being read, and what was known before it. */
  file: string;
  before: Claim;
  /** How the run ended that its lines are of. */
  ended: 'well' | 'ill' | undefined;
}

/** What a finding will say. */
interface Claim {
  cause: string;
  remedy: string;
  commands: readonly string[];
  rank: number;
  count: number;
  firstAt: Date | undefined;
  lastAt: Date | undefined;
  shapes: Set<string>;
  evidence: Evidence[];
  mirrors: Map<string, string>;
  /** Images and pods the lines speak of: that another one came through ends nothing. */
  named: Set<string>;
  last: EvidencePlace & { readonly end?: number | undefined };
  severity: Severity;
  /** Every line said that it will be tried again. */
  isRetried: boolean;
  /** Every line leaves it to the end of its run whether something failed. */
  isMild: boolean;
  /** Every line is of the installer's own log. */
  isOfInstaller: boolean;
  /** The other ends that the lines name. */
  ends: Set<string>;
}

/** Adds a line that speaks for the rule. */
export function noteLine(one: Gathered, match: RuleMatch, line: EvidenceLine): void {
  const { rule } = one;
  const { groups, end } = match;
  if (one.file !== line.file) Object.assign(one, { file: line.file, before: copyOf(one) });
  if (one.count === 0) Object.assign(one, claimOf(rule, groups, line));
  one.count += 1;
  one.ended = undefined;
  noteTime(one, line.at);
  one.last = { file: line.file, line: line.line, end };
  one.isOfInstaller &&= line.origins[0] === 'installer-log';
  one.isRetried &&= RETRY.test(line.text);
  one.isMild &&= severityOf(line) === 0 || OF_PLAY.test(line.text);
  one.severity = worse(one.severity, severityOf(line));
  if (one.named.size < MAX_NAMED) for (const name of namedIn(line.text)) one.named.add(name);
  if (rule.rung && one.ends.size < MAX_ENDS) for (const end of endsOf(line.text)) one.ends.add(end);
  keepEvidence(one, line);
}

/** What was said in this file until now has passed. */
export const forget = (one: Gathered): Gathered => Object.assign(one, copyOf(one.before));

const IMAGE = /\/([\w.-]+)(?:@sha256:([0-9a-f]{8,64})|:[\w.-]+)?(?=["'\s:,)\]]|$)/g;

/** A drain takes several pods off a node at once, each for itself. */
const EVICTED = /\bevicting pods?[/ ]\\*"([\w.-]+)|^pod\/([\w.-]+) evicted/;

/** The images a line names, by digest or by the last part of their repository, and the pod that is to leave its node. */
export function namedIn(text: string): readonly string[] {
  const [, kept, gone] = EVICTED.exec(text) ?? [];
  const pod = kept ?? gone;
  return pod === undefined ? imagesIn(text) : [`pod ${pod}`];
}

/** Where in its source a program is: each line has another, of whatever it speaks. */
const SOURCE_LINE = /\.(?:go|py|rs|c|cc|js|rb|java):\d/;

function imagesIn(text: string): readonly string[] {
  return [...text.matchAll(IMAGE)]
    .filter(([whole]) => /[@:]/.test(whole) && !SOURCE_LINE.test(whole))
    .map(([, name = '', digest]) => digest ?? name);
}

/** Lines that name none speak of all. */
export const isSame = (before: ReadonlySet<string>, now: readonly string[]): boolean =>
  before.size === 0 || now.length === 0 || now.some((name) => before.has(name));

export const begin = ({ rule, when }: RuleMatch, host: string | undefined): Gathered => ({
  rule,
  when,
  host,
  file: '',
  before: noClaim(),
  ended: undefined,
  ...noClaim(),
});

const noClaim = (): Claim => ({
  cause: '',
  remedy: '',
  commands: [],
  rank: 0,
  count: 0,
  firstAt: undefined,
  lastAt: undefined,
  shapes: new Set(),
  evidence: [],
  mirrors: new Map(),
  named: new Set(),
  last: { file: '', line: 0 },
  severity: 0,
  isRetried: true,
  isMild: true,
  isOfInstaller: true,
  ends: new Set(),
});

/** The first line says whom it is about, what to run and where in an install it happened. */
const claimOf = (
  rule: Rule,
  groups: RuleMatch['groups'],
  { origins, text, lead }: EvidenceLine,
) => ({
  cause: causeText(rule.cause, groups, seenText(text), lead),
  remedy: causeText(rule.remedy, groups, seenText(text), lead),
  commands: rule.commands.map((command) => fill(command, groups)),
  rank: rankOf(origins),
});

const copyOf = (claim: Claim): Claim => ({
  cause: claim.cause,
  remedy: claim.remedy,
  commands: claim.commands,
  rank: claim.rank,
  count: claim.count,
  firstAt: claim.firstAt,
  lastAt: claim.lastAt,
  last: claim.last,
  severity: claim.severity,
  isRetried: claim.isRetried,
  isMild: claim.isMild,
  isOfInstaller: claim.isOfInstaller,
  shapes: new Set(claim.shapes),
  evidence: [...claim.evidence],
  mirrors: new Map(claim.mirrors),
  named: new Set(claim.named),
  ends: new Set(claim.ends),
});

const fill = (command: string, groups: RuleMatch['groups']): string =>
  command.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = groups[name];
    return value === undefined ? whole : shellWord(name, value);
  });

function noteTime(one: Gathered, at: Date | undefined): void {
  if (!at) return;
  if (!one.firstAt || at < one.firstAt) one.firstAt = at;
  if (!one.lastAt || at > one.lastAt) one.lastAt = at;
}

/** Lines that differ only in numbers say the same: one of them is enough. */
function keepEvidence(one: Gathered, line: EvidenceLine): void {
  if (one.evidence.length >= MAX_EVIDENCE) return;
  const shape = line.text.replace(/[0-9a-f]{8,}|\d+/g, '#').slice(0, 300);
  if (one.shapes.has(shape)) return;
  one.shapes.add(shape);
  const text = quoteLine(line.text);
  one.evidence.push({
    file: line.file,
    line: line.line,
    ...(line.at ? { at: line.at.toISOString() } : {}),
    text: text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text,
  });
  for (const { mirror, error } of mirrorErrors(plainText(line.text))) {
    if (one.mirrors.size < MAX_MIRRORS) one.mirrors.set(quoteLine(mirror), quoteLine(error));
  }
}

/** One of each rule. */
export function joined(all: readonly Gathered[]): readonly Gathered[] {
  const byRule = new Map<string, Gathered>();
  for (const one of all) {
    const known = byRule.get(one.rule.id);
    byRule.set(one.rule.id, known ? both(known, one) : one);
  }
  return [...byRule.values()];
}

function both(one: Gathered, other: Gathered): Gathered {
  const sum = { ...one, count: one.count + other.count, rank: Math.min(one.rank, other.rank) };
  noteTime(sum, other.firstAt);
  noteTime(sum, other.lastAt);
  sum.evidence = [...one.evidence, ...other.evidence].slice(0, MAX_EVIDENCE);
  sum.mirrors = new Map([...one.mirrors, ...other.mirrors].slice(0, MAX_MIRRORS));
  sum.severity = worse(one.severity, other.severity);
  sum.isRetried = one.isRetried && other.isRetried;
  sum.ends = new Set([...one.ends, ...other.ends]);
  if (other.last.file !== one.last.file || other.last.line > one.last.line) sum.last = other.last;
  return sum;
}
