import type { Context } from '../core/context.ts';
import type { EvidenceLine, EvidenceSink, LinePattern } from './evidence.ts';
import { type EvidenceOptions, readEvidence } from './read-evidence.ts';
import type { EvidenceInput } from './source-files.ts';

/** Words of lines that look bad, and how much each tells. */
const WORDS: readonly (readonly [pattern: string, weight: number])[] = [
  ['\\bpanic: ', 6],
  ['level=fatal', 6],
  ['level=error', 4],
  ['\\bfatal error', 6],
  ['Failed with result', 5],
  ['Out of memory', 6],
  ['certificate (?:has expired|signed by|is valid for)', 5],
  ['connection refused', 2],
  ['no such host', 4],
  ['i/o timeout', 3],
  ['permission denied', 4],
  ['unauthorized', 4],
  ['\\bforbidden\\b', 2],
  ['not found', 1],
  ['timed out', 3],
  ['deadline exceeded', 2],
  ['\\bunable to\\b', 2],
  ['\\bcannot\\b', 2],
  ['\\bfailed\\b', 2],
  ['\\berror: ', 3],
  ['no route to host', 4],
  ['network is unreachable', 4],
  ['connection reset', 3],
  ['address already in use', 4],
  ['no space left', 5],
  ['not resolve host', 4],
  ['Name or service not known', 4],
  ['executable file not found', 4],
  ['command not found', 3],
  ['exec format error', 5],
  ['no such file', 3],
  ['already exists', 2],
  ['does not exist', 2],
  ['(?:Invalid|Required|Unsupported) value', 4],
  ['unknown (?:field|flag|command)', 4],
  ['\\byaml: ', 4],
  ['(?::|is|was|access) denied', 3],
  ['exceeded', 2],
  ['mismatch', 2],
  ['could not', 2],
  ['https?://.*: EOF', 2],
  ['no endpoints available', 4],
  ['no results', 2],
  ['is not present', 2],
  ['DiskPressure', 3],
  ['disk pressure', 3],
  ['not valid yet', 4],
  ['WRONGPASS', 4],
  ['HTTP Code', 2],
  ['\\bcni (?:plugin|config)', 2],
  ['network plugin is not ready', 3],
  ['CNI request', 2],
  ['Not Allowed', 2],
  ['Bad Request', 2],
  ['Request Time-?out', 2],
  ['status ?code:? [345]\\d\\d', 2],
  ['(?:Status|error:?|unexpected) [34]0\\d\\b', 2],
  ['volume is already', 2],
  ['but got <html>', 3],
  ['manifest invalid', 4],
  ['blob unknown', 2],
  ['unknown blob', 3],
  ['closed network connection', 3],
  ['unsupported M', 2],
  ['private key does not match', 4],
  ['did not finish', 3],
  ['address in use', 3],
  ['does not contain driver', 3],
  ['waiting for volumes', 2],
  ['but not defined', 3],
  ['code = Unimplemented', 3],
  ['\\binvalid [\\w -]{0,24}(?:address|argument|reference|version|format|name|url)\\b', 2],
  ['Error setting Chassis', 3],
  ['unknown: Not Found', 3],
  ['No \\w+ build found', 3],
  ['over the quota', 3],
  ['already in use', 3],
  ['codec can.t', 3],
  ['bad unit file', 4],
  ['invalid choice', 3],
  ['not allowed to', 2],
  ['configured upper limit', 3],
  ['last ACL checked', 3],
  ['TCP_DENIED', 3],
  ['REJECT\\W{1,3}IN=', 3],
  [' PROTO=', 2],
  ['\\[http 5\\d\\d', 2],
  ['^\\W*denied: ', 3],
];
const MAX_SHAPES = 5000;

interface WeightedPattern extends LinePattern {
  readonly regexp: RegExp;
  readonly weight: number;
}

const PATTERNS: readonly WeightedPattern[] = WORDS.map(([pattern, weight]) => ({
  pattern,
  weight,
  regexp: new RegExp(pattern, 'i'),
  where: ['*'],
  appliesTo: () => true,
}));

/** Lines that say the same. */
export interface LineShape {
  readonly line: EvidenceLine;
  readonly weight: number;
  count: number;
}

const SHAPE_LENGTH = 400;

/** The same for lines that differ in numbers, digests and times only: the others are said often enough. */
function shapeOf(text: string): number {
  const end = Math.min(text.length, SHAPE_LENGTH);
  let hash = 0x811c9dc5;
  for (let at = 0; at < end; at += 1) {
    const code = text.charCodeAt(at) | 32;
    const isHex = (code >= 48 && code <= 57) || (code >= 97 && code <= 102);
    if (!isHex) hash = Math.imul(hash ^ code, 0x01000193);
  }
  return hash;
}

/** What a text says, each thing once. */
export interface Shapes {
  readonly all: readonly LineShape[];
  /** The last lines of each file, as they stand there. */
  readonly ends: readonly (readonly string[])[];
  /** All lines of each file that is short enough to be looked at as a whole. */
  readonly texts: readonly (readonly EvidenceLine[])[];
  readonly origins: ReadonlySet<string>;
  shapeOf(text: string): LineShape | undefined;
}

/** Reads everything for lines that look bad, and for those at the end, whatever their words. */
export async function readShapes(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  options: EvidenceOptions & { readonly title: string },
): Promise<Shapes> {
  const origins = new Set<string>();
  const shapes = new Map<number, LineShape>();
  const ends: string[][] = [];
  const texts: (readonly EvidenceLine[])[] = [];
  const atEnd = new Set<LineShape>();
  const isNew = (text: string): boolean => {
    const known = shapes.get(shapeOf(text));
    if (known) known.count += 1;
    return !known && shapes.size < MAX_SHAPES;
  };
  /** At the end of a short text every line may be the one that tells, whatever its words. */
  const noteEnd = (text: string, line: EvidenceLine): void => {
    const known = shapes.get(shapeOf(text));
    if (known && atEnd.has(known)) known.count += 1;
    if (known || shapes.size >= MAX_SHAPES) return;
    const shape = { line, weight: 0, count: 1 };
    atEnd.add(shape);
    shapes.set(shapeOf(text), shape);
  };
  /** The line of a file that is about to come, as it stands there. */
  let raw: string | undefined;
  const sink: EvidenceSink<WeightedPattern> = {
    patterns: PATTERNS,
    kinds: new Set(),
    isWorth(text) {
      raw = isNew(text) ? text : undefined;
      return raw !== undefined;
    },
    onLine(line, candidates) {
      const text = raw ?? line.text;
      if (raw === undefined && !isNew(text)) return;
      raw = undefined;
      for (const origin of line.origins) origins.add(origin);
      const hits = candidates.filter(({ regexp }) => regexp.test(line.text));
      const weight = hits.reduce((sum, hit) => sum + hit.weight, 0);
      shapes.set(shapeOf(text), { line, weight, count: 1 });
    },
    onRecord: () => undefined,
    onObject: () => undefined,
    onUnread: () => undefined,
    onFile: () => undefined,
    onEnd({ tail, lines }) {
      ends.push([...tail]);
      const all = lines();
      texts.push(all);
      for (const [index, line] of all.entries()) noteEnd(tail[index] ?? '', line);
    },
    onTime: () => undefined,
  };
  await readEvidence(ctx, inputs, sink, options);
  return {
    all: [...shapes.values()],
    ends,
    texts,
    origins,
    shapeOf: (text) => shapes.get(shapeOf(text)),
  };
}
