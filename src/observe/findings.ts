import {
  begin,
  type Evidence,
  forget,
  type Gathered,
  isSame,
  joined,
  namedIn,
  noteLine,
} from './claim.ts';
import type { EvidenceLine } from './evidence.ts';
import { counts, type RuleMatch } from './match-line.ts';
import type { Rule } from './rules/catalogue.ts';
import type { Category, RuleKind } from './rules/schema.ts';
import { type AsideReason, setAside } from './set-aside.ts';

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

/** What looks like a failure and is none. */
export type Harmless = Pick<Finding, 'id' | 'count' | 'cause'>;

/** Gathers matches into findings, keeping a few telling lines of each. */
export interface FindingCollector {
  add(match: RuleMatch, line: EvidenceLine): void;
  /** What the rule found in this file until now has passed. Files come one after the other. */
  over(rule: Rule, line: EvidenceLine): void;
  /** What was only ever retried in this file until now came through; finished: all that the installer met did. */
  recovered(line: EvidenceLine, isFinished?: boolean): void;
  /** A run ended: what it only warned of in this file is no cause if all of it went well. */
  ended(line: EvidenceLine, isWell: boolean): void;
  /**
   * Roots before symptoms; within each, what comes first in an install comes first. `facts` are the patterns that
   * were seen of those that rules need or that speak against them.
   */
  findings(facts?: ReadonlySet<RegExp>): readonly Finding[];
  /** Look-alikes that were seen and left out. */
  benign(facts?: ReadonlySet<RegExp>): readonly Harmless[];
}

const MAX_SEEN = 20_000;

export function createFindingCollector(): FindingCollector {
  const gathered = new Map<string, Gathered>();
  const isCopy = createCopyFinder();
  const hosts = createHosts();

  function add(match: RuleMatch, line: EvidenceLine): void {
    if (isCopy(match.rule.id, line)) return;
    const host = hosts.of(line);
    const key = `${keyOf(match)} ${host ?? ''}`;
    let one = gathered.get(key);
    if (!one) {
      one = begin(match, host);
      gathered.set(key, one);
    }
    noteLine(one, match, line);
  }

  function over(rule: Rule, line: EvidenceLine): void {
    for (const one of gathered.values()) {
      const isMeant = one.rule.id === rule.id && isOfSameLog(one, line);
      if (isMeant && isSame(one.named, namedIn(line.text))) forget(one);
    }
  }

  function recovered(line: EvidenceLine, isFinished = false): void {
    for (const one of gathered.values()) {
      const isOver = isFinished ? one.isOfInstaller : one.isRetried;
      if (isOfSameLog(one, line) && isOver && isSame(one.named, namedIn(line.text))) forget(one);
    }
  }

  function ended(line: EvidenceLine, isWell: boolean): void {
    for (const one of gathered.values()) {
      // What the journal of a machine says is of no run of a command.
      const isOfRun = one.host === undefined && one.before.count === 0 && one.file === line.file;
      if (isOfRun && one.isMild) one.ended = isWell ? (one.ended ?? 'well') : 'ill';
    }
  }

  const counted = (facts: ReadonlySet<RegExp>, isBenign: boolean): Gathered[] => {
    const all = [...gathered.values()].filter(
      (one) =>
        one.count > 0 &&
        one.ended !== 'well' &&
        (one.rule.kind === 'benign') === isBenign &&
        counts(one, facts),
    );
    return joined(all).toSorted(byImportance);
  };
  return {
    add,
    over,
    recovered,
    ended,
    findings: (facts = new Set()) => weighed(counted(facts, false)),
    benign: (facts = new Set()) =>
      counted(facts, true).map(({ rule, count, cause }) => ({ id: rule.id, count, cause })),
  };
}

const MAX_HOSTS = 64;

/** The machines that wrote; lines of more than so many are gathered as if they did not tell. */
function createHosts() {
  const known = new Set<string>();
  return {
    of({ host }: EvidenceLine): string | undefined {
      if (host === undefined || known.has(host)) return host;
      if (known.size >= MAX_HOSTS) return undefined;
      known.add(host);
      return host;
    },
  };
}

/** What one machine says ends nothing that another said beside it. */
const isOfSameLog = (one: Gathered, { file, host }: EvidenceLine): boolean =>
  one.file === file && (one.host === undefined || host === undefined || one.host === host);

/** A rule is gathered once for each machine and each set of other rules its lines depend on. */
const keyOf = ({ rule, when }: RuleMatch): string =>
  when ? [rule.id, ...when.rules.map(({ id }) => id), ...when.cases].join(' ') : rule.id;

/** What weighs too little beside another root comes after the roots, with the symptoms. */
function weighed(all: readonly Gathered[]): readonly Finding[] {
  const aside = setAside(all.filter(({ rule }) => rule.kind === 'root'));
  const findings = all.map((one) => findingOf(one, aside.get(one)));
  return findings.toSorted((a, b) => Number(isSymptom(a)) - Number(isSymptom(b)));
}

const isSymptom = ({ kind }: Finding): boolean => kind === 'symptom';

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
    cause: one.cause,
    remedy: one.remedy,
    commands: one.commands,
    count: one.count,
    ...(one.firstAt ? { firstAt: one.firstAt.toISOString() } : {}),
    ...(one.lastAt ? { lastAt: one.lastAt.toISOString() } : {}),
    evidence: one.evidence,
    mirrors: [...one.mirrors].map(([mirror, error]) => ({ mirror, error })),
    ...(aside ? { aside } : {}),
  };
}
