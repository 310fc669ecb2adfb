import type { Context } from '../core/context.ts';
import type { Evidence } from './claim.ts';
import { comparedIn, likelyOf } from './compare/compare.ts';
import type { Compared } from './compare/comparison.ts';
import type { EvidenceLine } from './evidence.ts';
import {
  evidenceOf,
  type LikelyCause,
  lastError,
  likelyCause,
  statedLines,
} from './plain/likely-cause.ts';
import type { EvidenceOptions } from './read-evidence.ts';
import { type LineShape, readShapes } from './shapes.ts';
import type { EvidenceInput } from './source-files.ts';

/** A line that no rule matches and that still looks like a failure. */
export interface SuspiciousLine extends Evidence {
  /** Lines of the same shape. */
  readonly count: number;
}

const SHOWN = 10;
/** Weights below it are words that healthy logs say, too. */
const REAL_ERROR = 3;

/** What a second look found. */
interface SecondLook {
  /** The lines most worth reading. */
  readonly lines: readonly SuspiciousLine[];
  /** The first in time, or where no line tells one the first that was read. */
  readonly firstError?: Evidence;
  /** The one it ends with. */
  readonly lastError?: Evidence;
  /** What the decisive error says by itself. */
  readonly likely?: LikelyCause;
  /** What the text states besides the likely cause. */
  readonly alsoSaid: readonly Evidence[];
  readonly origins: ReadonlySet<string>;
}

/** Reads everything once more for lines that look bad: only asked for when no rule had an answer. */
export async function findSuspicious(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  options: EvidenceOptions,
  isHarmless: (line: EvidenceLine) => boolean,
): Promise<SecondLook> {
  const { all, ends, texts, origins, shapeOf } = await readShapes(ctx, inputs, {
    ...options,
    title: 'Looking for the first error',
  });
  const found = all.filter(({ weight }) => weight > 1);
  const first = found
    .filter(({ weight }) => weight >= REAL_ERROR)
    .toSorted((a, b) => timeOf(a) - timeOf(b))
    .find(({ line }) => !isHarmless(line));
  const likely = likelyOf(likelyCause(ends, shapeOf, isHarmless), comparedIn(texts));
  const last = lastError(ends, shapeOf, isHarmless);
  const stated = statedLines(ends, shapeOf, isHarmless, likely?.evidence ?? []);
  // Where nothing is told they are the best there is.
  const foremost = new Set(likely ? [] : stated);
  return {
    alsoSaid: likely ? stated.map(evidenceOf) : [],
    lines: all
      .filter(({ line, weight }) => weight > 1 || foremost.has(line))
      .toSorted((a, b) => b.weight - a.weight || a.count - b.count)
      .toSorted((a, b) => Number(foremost.has(b.line)) - Number(foremost.has(a.line)))
      .slice(0, SHOWN)
      .map(({ line, count }) => ({ ...evidenceOf(line), count })),
    ...(likely ? { likely } : {}),
    ...(first ? { firstError: evidenceOf(first.line) } : {}),
    ...(last ? { lastError: last } : {}),
    origins,
  };
}

/** What a text says besides what rules named. */
interface Unexplained {
  /** What it states, and none of them knows. */
  readonly stated: readonly Evidence[];
  /** What several of its lines say together. */
  readonly compared: Compared | undefined;
}

export async function findUnexplained(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  options: EvidenceOptions,
  isKnown: (line: EvidenceLine) => boolean,
  named: readonly Evidence[],
): Promise<Unexplained> {
  const title = 'Looking for what is not explained';
  const { ends, texts, shapeOf } = await readShapes(ctx, inputs, { ...options, title });
  const stated = statedLines(ends, shapeOf, isKnown, named).map(evidenceOf);
  return { stated, compared: comparedIn(texts) };
}

/** Lines without a time come last, in the order they were read. */
const timeOf = ({ line }: LineShape): number => line.at?.getTime() ?? Number.MAX_SAFE_INTEGER;
