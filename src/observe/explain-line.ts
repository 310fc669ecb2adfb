import { buffer } from 'node:stream/consumers';
import { once } from '../core/bytes.ts';
import { AtollError } from '../core/errors.ts';
import { kindOfContent } from './file-content-kind.ts';
import type { FileKind } from './file-kind.ts';
import { placed } from './line-in-place.ts';
import { concerns, counts, isQuoted, matchLine, partiesWith, seenText } from './match-line.ts';
import type { PlacedLine } from './place-line.ts';
import { quoteLine } from './quote-line.ts';
import { withOrigin } from './read-evidence.ts';
import { meaningOf, type Rule, shippedRules } from './rules/catalogue.ts';
import type { RuleKind } from './rules/schema.ts';
import { createLineScanner, type NumberedLines } from './scan/line-scanner.ts';
import { plainLines } from './scan/plain-lines.ts';
import { searchable } from './searchable.ts';

/** Why a rule whose fixed text a line holds did or did not speak. */
export type Verdict =
  | 'spoke'
  /** A runbook quotes what may happen. */
  | 'quoted'
  | 'no-match'
  | 'other-origin'
  | 'other-party'
  | 'silenced'
  | 'replaced'
  /** Another rule is likelier, means the same, or is a cause where this is a symptom. */
  | 'outranked'
  | 'needs-absent'
  | 'unless-present'
  /** It follows from a cause that was found. */
  | 'consequence';

export interface RuleVerdict {
  readonly id: string;
  readonly kind: RuleKind;
  readonly verdict: Verdict;
  /** The pattern, the origins, the parties or the rule that decided. */
  readonly because?: string;
}

/** What is made of one line. */
export interface LineExplanation {
  readonly line: number;
  readonly decoded: string;
  /** The likeliest first. */
  readonly origins: readonly string[];
  readonly at?: string;
  /** Rules whose fixed text is there: no other looks at the line. */
  readonly rules: readonly RuleVerdict[];
}

export interface ExplainOptions {
  readonly now: Date;
  readonly rules?: readonly Rule[];
  readonly origin?: string | undefined;
}

const MAX_LINES = 50;

interface Read {
  readonly line: number;
  readonly placed: PlacedLine;
  readonly rules: readonly Rule[];
}

/** Says of a few pasted lines how they were read and what each rule that looked at them made of them. */
export async function explainLines(
  text: string,
  options: ExplainOptions,
): Promise<readonly LineExplanation[]> {
  const rules = (options.rules ?? shippedRules()).filter(({ regexp }) => regexp);
  const lines = await readLines(text, rules, options);
  const facts = factsIn(lines, rules);
  const heard = lines.flatMap((line) => speakersOf(line, facts));
  return lines.map((one) => ({
    line: one.line,
    decoded: quoteLine(one.placed.message),
    origins: one.placed.origins,
    ...(one.placed.at ? { at: one.placed.at.toISOString() } : {}),
    rules: one.rules.map((rule) => ({
      id: rule.id,
      kind: rule.kind,
      ...verdictOf(rule, one, facts, heard),
    })),
  }));
}

async function readLines(
  text: string,
  rules: readonly Rule[],
  { now, origin }: ExplainOptions,
): Promise<readonly Read[]> {
  const bytes = plainLines(Buffer.from(text));
  const kind = withOrigin(asLog(kindOfContent(bytes)), origin);
  if (!kind || text.trim() === '') throw unusable('found no text');
  const { raw, numbers } = await madeLines(bytes, kind, now);
  const lines = raw.toString('utf8').replaceAll('\r', '').split('\n');
  if (lines.length > MAX_LINES) throw unusable(`found ${lines.length} lines`);
  const offered = await offeredIn(raw, rules, kind);
  return lines.flatMap((line, index) => {
    const hit = { text: line, before: () => lines.slice(0, index) };
    const read = { line: numbers[index] ?? index + 1, rules: offered.get(index + 1) ?? [] };
    return line.trim() === '' ? [] : [{ ...read, placed: placed(hit, kind, now) }];
  });
}

async function madeLines(bytes: Buffer, kind: FileKind, now: Date) {
  const lines = await searchable(once(bytes), kind, now);
  if ('chunks' in lines) return { raw: await buffer(lines.chunks), numbers: [] };
  const blocks: NumberedLines[] = [];
  for await (const block of lines.made) blocks.push(block);
  return {
    raw: Buffer.concat(blocks.map((block) => block.bytes)),
    numbers: blocks.flatMap((block) => block.numbers),
  };
}

/** A line that looks like an object or a record was still pasted as a line. */
const asLog = (kind: FileKind | undefined): FileKind | undefined =>
  kind && /^(?:objects-|record)/.test(kind.format)
    ? { format: 'plain', origins: [], guessed: true }
    : kind;

/** The rules that the scanner would hand each line to, in the order of the catalogue. */
async function offeredIn(
  raw: Buffer,
  rules: readonly Rule[],
  { format }: FileKind,
): Promise<ReadonlyMap<number, readonly Rule[]>> {
  const sources = rules.map(({ regexp }) => regexp?.source ?? '');
  const scanner = createLineScanner(sources, format === 'own-events');
  const found = new Map<number, Set<number>>();
  for await (const hits of scanner.scan(once(raw)))
    for (const { line, patterns } of hits)
      found.set(line, new Set([...(found.get(line) ?? []), ...patterns]));
  return new Map(
    [...found].map(([line, patterns]) => [line, rules.filter((_, at) => patterns.has(at))]),
  );
}

/** The patterns other rules need or fear, of those that are in any of the lines. */
function factsIn(lines: readonly Read[], rules: readonly Rule[]): ReadonlySet<RegExp> {
  const texts = lines.map(({ placed: { message } }) => seenText(message));
  const wanted = rules.flatMap(({ needed, against }) => [...needed, ...against]);
  return new Set(wanted.filter((one) => texts.some((text) => one.test(text))));
}

const appliesTo = (rule: Rule, { placed: { origins } }: Read): boolean =>
  origins.some((one) => rule.appliesTo(one));

function speakersOf(line: Read, facts: ReadonlySet<RegExp>): readonly Rule[] {
  const { message, origins, lead } = line.placed;
  const asked = line.rules.filter((rule) => appliesTo(rule, line));
  return matchLine(asked, message, origins, lead)
    .filter((match) => counts(match, facts))
    .map(({ rule }) => rule);
}

function verdictOf(
  rule: Rule,
  line: Read,
  facts: ReadonlySet<RegExp>,
  heard: readonly Rule[],
): Pick<RuleVerdict, 'verdict' | 'because'> {
  const { message, lead } = line.placed;
  const seen = seenText(message);
  const no = (verdict: Verdict, because: string | undefined) => ({
    verdict,
    ...(because === undefined ? {} : { because }),
  });
  if (isQuoted(message)) return no('quoted', undefined);
  if (!rule.regexp?.test(seen)) return no('no-match', rule.pattern);
  if (!appliesTo(rule, line)) return no('other-origin', rule.where.join(', '));
  if (!concerns(rule, () => partiesWith(seen, lead)))
    return no('other-party', (rule.about ?? rule.not_about)?.join(', '));
  const absent = rule.needed.find((one) => !facts.has(one));
  if (absent) return no('needs-absent', absent.source);
  const present = rule.against.find((one) => facts.has(one));
  if (present) return no('unless-present', present.source);
  const speakers = speakersOf(line, facts);
  if (!speakers.includes(rule)) return lostTo(rule, speakers);
  const above = heard.find((one) => one.explains.includes(meaningOf(rule)));
  return above ? no('consequence', above.id) : { verdict: 'spoke' };
}

function lostTo({ id }: Rule, speakers: readonly Rule[]): Pick<RuleVerdict, 'verdict' | 'because'> {
  const benign = speakers.find(({ kind }) => kind === 'benign');
  if (benign) return { verdict: 'silenced', because: benign.id };
  const better = speakers.find(({ instead_of }) => instead_of.includes(id));
  if (better) return { verdict: 'replaced', because: better.id };
  return { verdict: 'outranked', because: speakers.map((one) => one.id).join(', ') };
}

function unusable(found: string): AtollError {
  return new AtollError('USAGE', `Cannot explain what was given: ${found}`, {
    hint: `Give one to ${MAX_LINES} lines of a log; "atoll diagnose FILE" and "atoll diagnose -" read whole ones`,
  });
}
