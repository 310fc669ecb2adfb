import type { Context } from '../core/context.ts';
import type { Evidence } from './claim.ts';
import { decided } from './compare/compare.ts';
import { createCoverage } from './coverage.ts';
import type { EvidenceLine, EvidenceSink, LinePattern } from './evidence.ts';
import { createFindingCollector, type Finding, type Harmless } from './findings.ts';
import { matchLine, seenText } from './match-line.ts';
import { createObjectMatcher } from './match-objects.ts';
import { createReading, type NoCause } from './no-cause.ts';
import type { LikelyCause } from './plain/likely-cause.ts';
import { type EvidenceOptions, type EvidenceTotals, readEvidence } from './read-evidence.ts';
import { FINISHED, RECOVERED, WENT_ILL, WENT_WELL } from './retries.ts';
import { type Rule, shippedRules } from './rules/catalogue.ts';
import type { EvidenceInput, UnreadEvidence } from './source-files.ts';
import { findSuspicious, findUnexplained, type SuspiciousLine } from './suspicious.ts';
import { TIMELINE_KINDS } from './timeline/read-timeline.ts';
import type { BootstrapState, StepState } from './timeline/state.ts';
import { createTimeline, SIGNAL_PATTERNS } from './timeline/timeline.ts';

export interface DiagnoseOptions extends EvidenceOptions {
  readonly rules?: readonly Rule[];
}

export interface Diagnosis {
  /** Roots first, then symptoms, each in the order of an install. Empty: no known cause. */
  readonly findings: readonly Finding[];
  /** Only where there is no finding: the lines most worth reading. */
  readonly suspicious: readonly SuspiciousLine[];
  /** Only where there is no cause, be there symptoms or not. */
  readonly noCause?: NoCause;
  /** Only where there is no cause: what the decisive error says by itself. */
  readonly likely?: LikelyCause;
  /** Other lines that state what is wrong: where what is told only follows from it, the cause is among them. */
  readonly alsoSaid: readonly Evidence[];
  /** How far the bootstrap came, where the evidence tells. */
  readonly bootstrap?: {
    readonly verdict: BootstrapState['verdict'];
    readonly at: string;
    readonly step?: StepState;
  };
  readonly benign: readonly Harmless[];
  readonly unread: readonly UnreadEvidence[];
  readonly totals: EvidenceTotals;
}

/**
 * Explains what went wrong from logs alone. No finding means that no rule matched, not that all is
 * well; what could not be looked at is part of the answer.
 */
export async function diagnose(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  options: DiagnoseOptions = {},
): Promise<Diagnosis> {
  const rules = options.rules ?? shippedRules();
  const collector = createFindingCollector();
  const coverage = createCoverage();
  const reading = createReading();
  const timeline = createTimeline();
  const objectRules = rules.filter(({ object }) => object !== undefined);
  const objects = createObjectMatcher(objectRules);
  /** Patterns that rules need or fear, and that were seen. */
  const facts = new Set<RegExp>();

  function note(owner: PatternOwner, line: EvidenceLine): void {
    if (owner.kind === 'end' && owner.rule.overRegexp?.test(line.text))
      collector.over(owner.rule, line);
    if (owner.kind === 'recovered' && owner.regexp.test(line.text))
      collector.recovered(line, owner.isFinished);
    if (owner.kind === 'ended' && owner.regexp.test(line.text)) collector.ended(line, owner.isWell);
    if (owner.kind === 'fact' && owner.regexp.test(seenText(line.text))) facts.add(owner.regexp);
  }

  const sink: EvidenceSink<OwnedPattern> = {
    patterns: [...rules.flatMap(patternsOf), ...ENDS, ...SIGNALS],
    kinds: new Set([...TIMELINE_KINDS, ...objectRules.map(({ object }) => object?.kind ?? '')]),
    onLine(line, candidates) {
      const causes = candidates.flatMap(({ owner }) => (owner.kind === 'cause' ? owner.rule : []));
      for (const match of matchLine(causes, line.text, line.origins, line.lead))
        collector.add(match, line);
      for (const { owner } of candidates) note(owner, line);
      if (candidates.some(({ owner }) => owner.kind === 'timeline')) {
        timeline.push({ kind: 'line', origins: line.origins, text: line.text, at: line.at });
      }
    },
    onRecord: (service, entries) => timeline.push({ kind: 'record', service, entries }),
    onObject(object, place) {
      timeline.push({ kind: 'object', object });
      objects.push(object, place);
    },
    onUnread: (one) => coverage.unread(one),
    onFile: (path, kind) => {
      coverage.file(path);
      reading.file(kind);
    },
    onEnd: (last) => reading.end(last),
    onTime: (at, first) => {
      reading.time(at, first);
      objects.noteTime(at);
      timeline.push({ kind: 'time', at });
    },
  };
  const totals = await readEvidence(ctx, inputs, sink, options);
  objects.finish((match, line) => collector.add(match, line));
  const findings = collector.findings(facts);
  const isNamed = findings.some(({ kind }) => kind === 'root');
  const look = isNamed
    ? undefined
    : await findSuspicious(ctx, inputs, options, (line) => isBenign(rules, line));
  const unexplained = () =>
    findUnexplained(ctx, inputs, options, (line) => isKnown(rules, line), shownOf(findings));
  const isPaste = totals.bytes <= PASTE_BYTES;
  const rest = isNamed && isPaste ? await unexplained() : undefined;
  return {
    findings: decided(findings, rest?.compared),
    suspicious: findings.length === 0 ? (look?.lines ?? []) : [],
    ...(look?.likely ? { likely: look.likely } : {}),
    alsoSaid: look?.alsoSaid ?? rest?.stated ?? [],
    ...(look ? { noCause: reading.noCause(look.origins, look) } : {}),
    ...bootstrapOf(timeline.state()),
    benign: collector.benign(facts),
    unread: coverage.gaps(),
    totals,
  };
}

/** The consumer of a pattern: a rule that looks for a cause or for its end, or the timeline. */
type PatternOwner =
  | { readonly kind: 'cause' | 'end'; readonly rule: Rule }
  | { readonly kind: 'fact'; readonly regexp: RegExp }
  | { readonly kind: 'recovered'; readonly regexp: RegExp; readonly isFinished: boolean }
  | { readonly kind: 'ended'; readonly regexp: RegExp; readonly isWell: boolean }
  | { readonly kind: 'timeline' };

type OwnedPattern = LinePattern & { readonly owner: PatternOwner };

const anywhere = (pattern: string, ownerOf: (regexp: RegExp) => PatternOwner): OwnedPattern => ({
  pattern,
  where: ['*'],
  appliesTo: () => true,
  owner: ownerOf(new RegExp(pattern, 'i')),
});
const ENDS = [
  anywhere(RECOVERED, (regexp) => ({ kind: 'recovered', regexp, isFinished: false })),
  anywhere(FINISHED, (regexp) => ({ kind: 'recovered', regexp, isFinished: true })),
  anywhere(WENT_WELL, (regexp) => ({ kind: 'ended', regexp, isWell: true })),
  anywhere(WENT_ILL, (regexp) => ({ kind: 'ended', regexp, isWell: false })),
];

const SIGNALS = SIGNAL_PATTERNS.map(
  (signal): OwnedPattern => ({ ...signal, owner: { kind: 'timeline' } }),
);

const sourceOf = (regexp: RegExp | undefined): readonly string[] => (regexp ? [regexp.source] : []);

function patternsOf(rule: Rule): OwnedPattern[] {
  const { regexp, overRegexp, where, appliesTo } = rule;
  // The end of a failure is logged by the unit that retried, or by systemd.
  const alsoSystemd = (origin: string) => appliesTo(origin) || BY_SYSTEMD.test(origin);
  return [
    ...sourceOf(regexp).map((pattern) => ({
      pattern,
      where,
      appliesTo,
      owner: { kind: 'cause' as const, rule },
    })),
    ...sourceOf(overRegexp).map((pattern) => ({
      pattern,
      where,
      appliesTo: alsoSystemd,
      owner: { kind: 'end' as const, rule },
    })),
    ...[...rule.needed, ...rule.against].map((fact) => ({
      pattern: fact.source,
      where: ['*'],
      appliesTo: () => true,
      owner: { kind: 'fact' as const, regexp: fact },
    })),
  ];
}

/** What people paste, where a line that no rule explains may be the one that tells; of more there are always some. */
const PASTE_BYTES = 16_384;

const shownOf = (findings: readonly Finding[]): readonly Evidence[] =>
  findings.flatMap(({ evidence }) => evidence);

const isBenign = (rules: readonly Rule[], line: EvidenceLine): boolean =>
  isKnown(
    rules.filter(({ kind }) => kind === 'benign'),
    line,
  );

function isKnown(rules: readonly Rule[], { text, origins, lead }: EvidenceLine): boolean {
  const asked = rules.filter((rule) => origins.some(rule.appliesTo));
  return matchLine(asked, text, origins, lead).length > 0;
}

const BY_SYSTEMD = /^journal:\w+\/(?:systemd|init)$/;

function bootstrapOf(state: BootstrapState): Pick<Diagnosis, 'bootstrap'> {
  if (state.verdict === 'unknown') return {};
  const step = state.steps.find(({ id }) => id === state.current);
  // A pull that failed may be of any machine: alone it tells of no bootstrap.
  if (!step && state.verdict === 'running') return {};
  return { bootstrap: { verdict: state.verdict, at: state.at, ...(step ? { step } : {}) } };
}
