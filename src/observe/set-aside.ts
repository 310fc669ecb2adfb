import type { EvidenceLine } from './evidence.ts';
import { meaningOf, type Rule } from './rules/catalogue.ts';

/** Why a root is shown as also seen, and not as a cause. */
export type AsideReason = 'explained' | 'answered' | 'passed' | 'older' | 'warned' | 'vague';

/** The part of what was gathered for a rule that says how much it weighs. */
export interface Weight {
  readonly rule: Rule;
  readonly count: number;
  readonly firstAt: Date | undefined;
  readonly lastAt: Date | undefined;
  /** Where its last line stands, and where in that line it ends. */
  readonly last: {
    readonly file: string;
    readonly line: number;
    readonly end?: number | undefined;
  };
  /** The worst that its lines call themselves. */
  readonly severity: Severity;
  /** Every line said that it will be tried again. */
  readonly isRetried: boolean;
  /** The other ends its lines name; none where they do not tell. */
  readonly ends: ReadonlySet<string>;
}

/** 0: only a warning or less; 1: the line does not say; 2: an error, after which programs most often end. */
export type Severity = 0 | 1 | 2;

/** klog is left out: what stops a kubelet may well be an information to it. */
const LEVEL =
  /^(?:time="[^"]*" )?(?:level=|\{"level":"|\[|\S+ \S+ +\[)?(trace|debug|info|warn|error|fatal|DEBU|ERRO|FATA)(?:ing)?(?:\]| msg=|\[\d+\]|")/i;
/** Among other fields: of logfmt, of JSON, and between tabs as zap prints it. */
const LEVEL_FIELD =
  /(?:^|\s)level="?(trace|debug|info|warn|error|fatal)|"level": ?"(trace|debug|info|warn|error|fatal)|\t(TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\t/i;
/** The level stands among the first of them. */
const FIELDS = 200;
const BY_NAME: Readonly<Record<string, Severity>> = { e: 2, f: 2, t: 0, d: 0, i: 0, w: 0 };

/** What one program passes on of another, whose own word counts: the installer logs all that its controllers say as debug. */
const PASSED_ON = /\bmsg="?([EF])\d{4} \d\d:\d\d/;

export function severityOf({ text }: Pick<EvidenceLine, 'text'>): Severity {
  // oc warns in plain words.
  if (/^warning: /.test(text)) return 0;
  if (PASSED_ON.test(text.slice(0, FIELDS))) return 2;
  const [, ...names] = LEVEL.exec(text) ?? LEVEL_FIELD.exec(text.slice(0, FIELDS)) ?? [];
  const name = names.find((one) => one !== undefined)?.[0]?.toLowerCase();
  return BY_NAME[name ?? ''] ?? 1;
}

export const worse = (one: Severity, other: Severity): Severity => (one > other ? one : other);

/**
 * The roots that are no cause here, each with the reason. One is only ever set aside for another that stays:
 *
 *   explained  it follows from that one
 *   answered   that one was said later by the same other end, further into the conversation: this one is over
 *   passed     it was only retried, or is of a kind that comes and goes and was said once; that one was said after it
 *   older      it is of a kind that comes and goes, and was last said an hour or more before that one began
 *   warned     its lines only warn, and those of that one are errors
 *   vague      experts have no word for it: it names a step that failed, and that one says why
 */
export function setAside<W extends Weight>(roots: readonly W[]): ReadonlyMap<W, AsideReason> {
  const aside = new Map<W, AsideReason>();
  const lines = linesOfCauses(roots);
  for (const [reason, isFor] of REASONS) {
    for (const one of roots) {
      const stays = (other: W) => other !== one && (reason === 'explained' || !aside.has(other));
      if (!aside.has(one) && roots.some((other) => stays(other) && isFor(one, other, lines)))
        aside.set(one, reason);
    }
  }
  return aside;
}

/** How many lines say a cause, whichever rules they are of. */
type LinesOf = (one: Weight) => number;

function linesOfCauses(roots: readonly Weight[]): LinesOf {
  const counts = new Map<string, number>();
  for (const { rule, count } of roots)
    counts.set(meaningOf(rule), (counts.get(meaningOf(rule)) ?? 0) + count);
  return ({ rule }) => counts.get(meaningOf(rule)) ?? 0;
}

type IsFor = (one: Weight, other: Weight, lines: LinesOf) => boolean;

const REASONS: readonly (readonly [AsideReason, IsFor])[] = [
  ['explained', (one, { rule }) => rule.explains.includes(meaningOf(one.rule))],
  [
    'answered',
    (one, other) =>
      isFurther(one.rule, other.rule) && isSameEnd(one, other) && isBefore(one, other),
  ],
  [
    'passed',
    (one, other, linesOf) => {
      // Of two rules that mean the same the one that goes on speaks for both.
      const lines: LinesOf =
        meaningOf(one.rule) === meaningOf(other.rule) ? ({ count }) => count : linesOf;
      return (
        hasPassed(one, lines) &&
        !hasPassed(other, lines) &&
        (isBefore(one, other) || isBeforeInLine(one, other))
      );
    },
  ],
  ['older', (one, other) => one.rule.passing && isLongBefore(one, other)],
  ['warned', (one, other) => one.severity === 0 && other.severity === 2],
  ['vague', (one, other) => !one.rule.cause_id && other.rule.cause_id !== undefined],
];

const isFurther = (one: Rule, other: Rule): boolean =>
  one.rung !== undefined &&
  other.rung !== undefined &&
  one.rung.ladder === other.rung.ladder &&
  one.rung.height < other.rung.height;

const hasPassed = (one: Weight, lines: LinesOf): boolean =>
  one.isRetried || (one.rule.passing && lines(one) === 1);

const LONG_MS = 3_600_000;

const isLongBefore = ({ lastAt }: Weight, { firstAt }: Weight): boolean =>
  lastAt !== undefined && firstAt !== undefined && firstAt.getTime() - lastAt.getTime() >= LONG_MS;

/** That one mirror answered says nothing of another. */
const isSameEnd = ({ ends }: Weight, other: Weight): boolean =>
  ends.size === 0 || other.ends.size === 0 || [...ends].some((end) => other.ends.has(end));

/** Whether the last word of one came before that of the other. Unknown counts as no. */
function isBefore(one: Weight, other: Weight): boolean {
  if (one.lastAt && other.lastAt && one.lastAt.getTime() !== other.lastAt.getTime())
    return one.lastAt < other.lastAt;
  return one.last.file === other.last.file && one.last.line < other.last.line;
}

/** A line may list what each attempt at one other end came to; of several ends each has its own cause. */
const isBeforeInLine = (one: Weight, other: Weight): boolean =>
  one.last.file === other.last.file &&
  one.last.line === other.last.line &&
  (one.last.end ?? 0) < (other.last.end ?? 0) &&
  [...one.ends].filter((end) => end !== 'source').length < 2;
