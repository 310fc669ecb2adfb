import type { EvidenceLine, EvidencePlace } from './evidence.ts';
import { counts, plainText, type RuleMatch } from './match-line.ts';
import { mirrorErrors } from './mirrors-also-failed.ts';
import { quoteLine, shellWord } from './quote-line.ts';
import { RETRY } from './retries.ts';
import type { Rule } from './rules/catalogue.ts';
import type { Category, RuleKind } from './rules/schema.ts';
import { type AsideReason, type Severity, setAside, severityOf, worse } from './set-aside.ts';
import { rankOf } from './stage-rank.ts';

export interface Evidence {
  readonly file: string;
  readonly line: number;
  readonly at?: string;
  readonly text: string;
}

/** A claim about what went wrong, with what it rests on. */
export interface Finding {
  readonly id: string;
  readonly category: Category;
  readonly kind: RuleKind;
  /** What experts call the cause; the same for all rules that mean it. */
  readonly causeId?: string;
  readonly cause: string;
  readonly remedy: string;
  readonly commands: readonly string[];
  /** Lines or objects that say so. */
  readonly count: number;
  readonly firstAt?: string;
  readonly lastAt?: string;
  readonly evidence: readonly Evidence[];
  /** What each mirror answered, where pull errors name them. */
  readonly mirrors: readonly { readonly mirror: string; readonly error: string }[];
  /** A root in other company: why it is only also seen here. Its kind is then `symptom`. */
  readonly aside?: AsideReason;
}

/** Gathers matches into findings, keeping a few telling lines of each. */
export interface FindingCollector {
  add(match: RuleMatch, line: EvidenceLine): void;
  /** What the rule found in this file until now has passed. Files come one after the other. */
  over(rule: Rule, line: EvidenceLine): void;
  /** What was only ever retried in this file until now came through; finished: all that the installer met did. */
  recovered(line: EvidenceLine, isFinished?: boolean): void;
  /**
   * Roots before symptoms; within each, what comes first in an install comes first. `facts` are the patterns that
   * were seen of those that rules need or that speak against them.
   */
  findings(facts?: ReadonlySet<RegExp>): readonly Finding[];
  /** Look-alikes that were seen and left out. */
  benign(facts?: ReadonlySet<RegExp>): readonly { readonly id: string; readonly count: number }[];
}

const MAX_EVIDENCE = 5;
const MAX_MIRRORS = 5;
const MAX_TEXT = 600;
const MAX_SEEN = 20_000;
const MAX_IMAGES = 200;

interface Gathered extends Claim {
  readonly rule: Rule;
  readonly when?: RuleMatch['when'] | undefined;
  /** The file that is being read, and what was known before it. */
  file: string;
  before: Claim;
}

/** What a finding will say. */
interface Claim {
  commands: readonly string[];
  rank: number;
  count: number;
  firstAt: Date | undefined;
  lastAt: Date | undefined;
  shapes: Set<string>;
  evidence: Evidence[];
  mirrors: Map<string, string>;
  /** Images the lines speak of: that another one was pulled ends nothing. */
  images: Set<string>;
  last: EvidencePlace;
  severity: Severity;
  /** Every line said that it will be tried again. */
  isRetried: boolean;
  /** Every line is of the installer's own log. */
  isOfInstaller: boolean;
}

export function createFindingCollector(): FindingCollector {
  const gathered = new Map<string, Gathered>();
  const isCopy = createCopyFinder();

  function add(match: RuleMatch, line: EvidenceLine): void {
    const { rule, groups } = match;
    if (isCopy(rule.id, line)) return;
    const key = keyOf(match);
    let one = gathered.get(key);
    if (!one) {
      one = begin(match);
      gathered.set(key, one);
    }
    if (one.file !== line.file) Object.assign(one, { file: line.file, before: copyOf(one) });
    if (one.count === 0) Object.assign(one, claimOf(rule, groups, line));
    one.count += 1;
    noteTime(one, line.at);
    one.last = { file: line.file, line: line.line };
    one.isOfInstaller &&= line.origins[0] === 'installer-log';
    one.isRetried &&= RETRY.test(line.text);
    one.severity = worse(one.severity, severityOf(line));
    if (one.images.size < MAX_IMAGES)
      for (const image of imagesIn(line.text)) one.images.add(image);
    keepEvidence(one, line);
  }

  function over(rule: Rule, line: EvidenceLine): void {
    for (const one of gathered.values()) {
      const isMeant = one.rule.id === rule.id && one.file === line.file;
      if (isMeant && isSame(one.images, imagesIn(line.text)))
        Object.assign(one, copyOf(one.before));
    }
  }

  function recovered({ file, text }: EvidenceLine, isFinished = false): void {
    for (const one of gathered.values()) {
      const isOver = isFinished ? one.isOfInstaller : one.isRetried;
      if (one.file === file && isOver && isSame(one.images, imagesIn(text)))
        Object.assign(one, copyOf(one.before));
    }
  }

  const counted = (facts: ReadonlySet<RegExp>, isBenign: boolean): Gathered[] => {
    const all = [...gathered.values()].filter(
      (one) => one.count > 0 && (one.rule.kind === 'benign') === isBenign && counts(one, facts),
    );
    return joined(all).toSorted(byImportance);
  };
  return {
    add,
    over,
    recovered,
    findings: (facts = new Set()) => weighed(counted(facts, false)),
    benign: (facts = new Set()) =>
      counted(facts, true).map(({ rule, count }) => ({ id: rule.id, count })),
  };
}

/** A rule is gathered once for each set of other rules its lines depend on. */
const keyOf = ({ rule, when }: RuleMatch): string =>
  when ? [rule.id, ...when.rules.map(({ id }) => id), ...when.cases].join(' ') : rule.id;

/** One of each rule. */
function joined(all: readonly Gathered[]): readonly Gathered[] {
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
  if (other.last.file !== one.last.file || other.last.line > one.last.line) sum.last = other.last;
  return sum;
}

/** What weighs too little beside another root comes after the roots, with the symptoms. */
function weighed(all: readonly Gathered[]): readonly Finding[] {
  const aside = setAside(all.filter(({ rule }) => rule.kind === 'root'));
  const findings = all.map((one) => findingOf(one, aside.get(one)));
  return findings.toSorted((a, b) => Number(isSymptom(a)) - Number(isSymptom(b)));
}

const isSymptom = ({ kind }: Finding): boolean => kind === 'symptom';

const IMAGE = /\/([\w.-]+)(?:@sha256:([0-9a-f]{8,64})|:[\w.-]+)?(?=["'\s:,)\]]|$)/g;

/** The images a line names, by digest or by the last part of their repository. */
function imagesIn(text: string): readonly string[] {
  return [...text.matchAll(IMAGE)]
    .filter(([whole]) => /[@:]/.test(whole))
    .map(([, name = '', digest]) => digest ?? name);
}

/** Lines that name no image speak of all. */
const isSame = (before: ReadonlySet<string>, now: readonly string[]): boolean =>
  before.size === 0 || now.length === 0 || now.some((image) => before.has(image));

const begin = ({ rule, when }: RuleMatch): Gathered => ({
  rule,
  when,
  file: '',
  before: noClaim(),
  ...noClaim(),
});

const noClaim = (): Claim => ({
  commands: [],
  rank: 0,
  count: 0,
  firstAt: undefined,
  lastAt: undefined,
  shapes: new Set(),
  evidence: [],
  mirrors: new Map(),
  images: new Set(),
  last: { file: '', line: 0 },
  severity: 0,
  isRetried: true,
  isOfInstaller: true,
});

/** The first line says what to run and where in an install it happened. */
const claimOf = (rule: Rule, groups: RuleMatch['groups'], { origins }: EvidenceLine) => ({
  commands: rule.commands.map((command) => fill(command, groups)),
  rank: rankOf(origins),
});

const copyOf = (claim: Claim): Claim => ({
  commands: claim.commands,
  rank: claim.rank,
  count: claim.count,
  firstAt: claim.firstAt,
  lastAt: claim.lastAt,
  last: claim.last,
  severity: claim.severity,
  isRetried: claim.isRetried,
  isOfInstaller: claim.isOfInstaller,
  shapes: new Set(claim.shapes),
  evidence: [...claim.evidence],
  mirrors: new Map(claim.mirrors),
  images: new Set(claim.images),
});

/** A bundle holds some lines twice, in two files. */
function createCopyFinder(): (id: string, line: EvidenceLine) => boolean {
  /** Of each rule the first file of each line with a time. */
  const firstFiles = new Map<string, Map<number, string>>();
  return (id, line) => {
    if (!line.at) return false;
    const seen = firstFiles.get(id) ?? new Map<number, string>();
    firstFiles.set(id, seen);
    // Without the year: a journal that has none is read as one of the last twelve months.
    const key = hashOf(`${line.at.toISOString().slice(4, 19)} ${line.text}`);
    const file = seen.get(key);
    if (file === undefined && seen.size < MAX_SEEN) seen.set(key, line.file);
    return file !== undefined && file !== line.file;
  };
}

/** FNV-1a: short, and good enough to tell lines apart. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash;
}

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

function byImportance(a: Gathered, b: Gathered): number {
  const time = (a.firstAt?.getTime() ?? Infinity) - (b.firstAt?.getTime() ?? Infinity);
  return a.rank - b.rank || (Number.isNaN(time) ? 0 : time) || b.count - a.count;
}

function findingOf(one: Gathered, aside?: AsideReason): Finding {
  const { rule } = one;
  return {
    id: rule.id,
    category: rule.category,
    kind: aside ? 'symptom' : rule.kind,
    ...(rule.cause_id ? { causeId: rule.cause_id } : {}),
    cause: rule.cause,
    remedy: rule.remedy,
    commands: one.commands,
    count: one.count,
    ...(one.firstAt ? { firstAt: one.firstAt.toISOString() } : {}),
    ...(one.lastAt ? { lastAt: one.lastAt.toISOString() } : {}),
    evidence: one.evidence,
    mirrors: [...one.mirrors].map(([mirror, error]) => ({ mirror, error })),
    ...(aside ? { aside } : {}),
  };
}
