import type { WantedImage } from '../images/wanted-image.ts';
import { type Cause, HOLES, type HoleId, type HoleWords } from './hole-table.ts';

/** What is at fault: content that the mirror should hold, or configuration that nodes will get. */
export type Fault = 'content' | 'configuration';

/** One thing that would stop a node, or will soon. Holes with the same cause and key are one finding. */
export interface Hole {
  readonly cause: Cause;
  readonly fault: Fault;
  /** A warning stops no pull today. */
  readonly severity: 'hole' | 'warning';
  /** What tells this finding from others of its cause: a host, a rule, a digest. */
  readonly key: string;
  readonly title: string;
  /** The part of the generated configuration that should have caught it. */
  readonly rule: string;
  /** Command lines that close it; what only the user knows stands in capitals. */
  readonly commands: readonly string[];
  /** One command for all images of the finding, where there are many. */
  readonly bulkCommand?: string | undefined;
  /** What was seen. */
  readonly evidence: string;
  readonly image?: WantedImage | undefined;
}

/** The same hole, seen with this image. */
export function seenWith(hole: Hole, image: WantedImage): Hole {
  return { ...hole, image };
}

type NamesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
type WordsOf<Row> = Row extends { readonly commands: readonly (infer Command)[] }
  ? Row[keyof Row & ('title' | 'rule')] | Command
  : Row[keyof Row & ('title' | 'rule')];
/** What a row needs to be filled in: the compiler knows the names in its words. */
type Values<Id extends HoleId> = Readonly<Record<NamesIn<WordsOf<(typeof HOLES)[Id]>>, string>>;

/** What was seen, and what the row leaves open. */
type Seen = Pick<Hole, 'key' | 'evidence' | 'image' | 'bulkCommand'> &
  Partial<Pick<Hole, 'rule' | 'commands'>>;

export function makeHole<Id extends HoleId>(id: Id, values: Values<Id>, seen: Seen): Hole {
  const row: HoleWords = HOLES[id];
  const known: Readonly<Record<string, string>> = values;
  const fill = (text = '') => text.replace(/\{(\w+)\}/g, (_, name: string) => known[name] ?? '');
  return {
    cause: (row.cause ?? id) as Cause,
    fault: row.fault ?? 'configuration',
    severity: row.severity ?? 'hole',
    title: fill(row.title),
    rule: fill(row.rule),
    commands: (row.commands ?? []).map(fill),
    ...seen,
  };
}
