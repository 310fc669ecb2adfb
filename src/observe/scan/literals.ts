import { ordinaryLinesWith } from './ordinary-text.ts';

/**
 * Finds, for a regular expression, a set of strings of which every match must contain at least one
 * (ignoring case). Looking for those first is many times cheaper than running the expression.
 */
/** Shorter ones would stop at every other line. */
export const SHORTEST_LITERAL = 6;

type Node =
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'any' }
  | Group
  /** What must not follow: `(?!.*text)`. */
  | { readonly kind: 'forbidden'; readonly texts: readonly string[] }
  | { readonly kind: 'start' }
  | { readonly kind: 'nothing' };

interface Group {
  readonly kind: 'group';
  readonly branches: readonly (readonly Item[])[];
}

interface Item {
  readonly node: Node;
  /** Whether it may be left out. */
  readonly optional: boolean;
  /** Whether it may occur more than once, so that what follows need not stand next to it. */
  readonly repeated: boolean;
}

/** Quotes and backslashes are escaped in JSON and in quoted log fields, so no literal may hold one. */
const BREAKING = /["'\\]/;
/** What JSON writers may escape, and what is too short to tell lines apart: no condition is made of it. */
const UNSURE = /[<>&\p{Cc}]|^.{0,2}$/u;

/**
 * One way in which an expression can match: a line must hold the literal, of each set of `and` at least one, and
 * nothing of `not`. They tell a line that is worth the expression from one that shares a common word with it.
 */
export interface LiteralClause {
  readonly literal: string;
  readonly and: readonly (readonly string[])[];
  readonly not: readonly string[];
  /** The message begins with the literal: in the line no word goes on with it. */
  readonly atStart?: true;
}

const known = new Map<string, readonly LiteralClause[] | undefined>();

/** Takes over what was found out about expressions before. */
export function learnClauses(
  found: Iterable<readonly [source: string, clauses?: readonly LiteralClause[] | null]>,
): void {
  for (const [source, clauses] of found) known.set(source, clauses ?? undefined);
}

/** The ways to match, or undefined when the expression promises no literal of `shortest` characters. */
export function literalClauses(
  source: string,
  shortest: number,
): readonly LiteralClause[] | undefined {
  if (!known.has(source)) known.set(source, clausesOf(createParser(source).alternatives()));
  const clauses = known.get(source);
  return clauses?.every(({ literal }) => literal.length >= shortest) ? clauses : undefined;
}

/** The literals alone. */
export const requiredLiterals = (source: string, shortest: number): string[] | undefined => {
  const clauses = literalClauses(source, shortest);
  return clauses && [...new Set(clauses.map(({ literal }) => literal))];
};

function clausesOf(branches: readonly (readonly Item[])[]): readonly LiteralClause[] | undefined {
  const all = branches.map(clausesOfSequence);
  return all.every((one) => one !== undefined) ? all.flat() : undefined;
}

function clausesOfSequence(items: readonly Item[]): readonly LiteralClause[] | undefined {
  const found = literalsOfSequence(items);
  const best = found.toSorted((a, b) => scoreOf(b) - scoreOf(a))[0];
  const others = found
    .filter((one) => one !== best)
    .map((clauses) => clauses.flatMap(rarestOf).map((text) => text.trim()))
    .filter((set) => !set.some((text) => UNSURE.test(text)));
  const forbidden = forbiddenAtStart(items);
  const start = best !== undefined && best === found[0] && beginsWithText(items);
  return best?.map((clause) => ({
    ...clause,
    and: [...clause.and, ...others],
    not: [...clause.not, ...forbidden],
    ...(start ? { atStart: true as const } : {}),
  }));
}

const beginsWithText = ([first, second]: readonly Item[]): boolean =>
  first?.node.kind === 'start' && second?.node.kind === 'char' && !second.optional;

/** Only from the start of a line on does a lookahead see all of it. */
function forbiddenAtStart([first, second]: readonly Item[]): readonly string[] {
  if (first?.node.kind !== 'start' || second?.node.kind !== 'forbidden') return [];
  return second.node.texts;
}

/** Every part of a sequence that promises literals: stretches of text that can be spelled out, and groups. */
function literalsOfSequence(items: readonly Item[]): (readonly LiteralClause[])[] {
  const found: (readonly LiteralClause[])[] = [];
  let run: readonly string[] = [''];
  const endRun = () => {
    if (!run.includes('')) found.push(withoutLonger(run).map(plain));
    run = [''];
  };
  for (const item of items) {
    const texts = textsOf(item);
    const longer = texts && joined(run, texts);
    if (longer) {
      run = longer;
      continue;
    }
    const again = repeatedChar(item);
    if (again) run = run.map((text) => text + again);
    endRun();
    const clauses = item.optional ? undefined : clausesOfGroup(item.node);
    if (clauses) found.push(clauses);
    // What is repeated stands before what follows it, too.
    if (again) run = [again];
  }
  endRun();
  return found;
}

const clausesOfGroup = (node: Node): readonly LiteralClause[] | undefined =>
  node.kind === 'group' ? clausesOf(node.branches) : undefined;

const repeatedChar = ({ node, optional, repeated }: Item): string | undefined =>
  node.kind === 'char' && repeated && !optional ? textOfChar(node.text)?.[0] : undefined;

/** All that an item can be, where that is a few texts. */
function textsOf({ node, optional, repeated }: Item): readonly string[] | undefined {
  if (node.kind === 'nothing' || node.kind === 'start' || node.kind === 'forbidden') return [''];
  if (repeated || node.kind === 'any') return undefined;
  const texts = node.kind === 'char' ? textOfChar(node.text) : textsOfGroup(node);
  return texts && optional ? ['', ...texts] : texts;
}

const textOfChar = (text: string): readonly string[] | undefined =>
  BREAKING.test(text) ? undefined : [text.toLowerCase()];

function textsOfGroup({ branches }: Group): readonly string[] | undefined {
  const all = branches.map((items) => {
    let texts: readonly string[] | undefined = [''];
    for (const item of items) {
      const next = textsOf(item);
      texts = texts && next && joined(texts, next);
    }
    return texts;
  });
  return all.every((one) => one !== undefined) ? all.flat() : undefined;
}

/** More would be a bad thing to look for. */
const MAX_TEXTS = 24;

function joined(before: readonly string[], after: readonly string[]): string[] | undefined {
  if (before.length * after.length > MAX_TEXTS) return undefined;
  const all: string[] = [];
  for (const one of before) for (const other of after) all.push(one + other);
  return all;
}

const plain = (literal: string): LiteralClause => ({ literal, and: [], not: [] });

/** Where a shorter one is found, longer ones that hold it need not be looked for. */
const withoutLonger = (texts: readonly string[]): string[] => [
  ...new Set(texts.filter((text) => !texts.some((one) => one !== text && text.includes(one)))),
];

/** Longer is rarer, unless logs are full of it; many alternatives cost a little. */
function rarityOf(texts: readonly string[]): number {
  const rarities = texts.map((text) => text.length - commonness(text));
  return Math.min(...rarities) - texts.length / 16;
}

function commonness(text: string): number {
  const lines = ordinaryLinesWith(text.trim());
  return lines === 0 ? 0 : 50 + 10 * lines;
}

function scoreOf(clauses: readonly LiteralClause[]): number {
  const texts = clauses.map(({ literal }) => literal);
  return rarityOf(texts) - (texts.some(({ length }) => length < SHORTEST_LITERAL) ? 1000 : 0);
}

/** What tells best whether a clause may hold. */
const rarestOf = ({ literal, and }: LiteralClause): readonly string[] =>
  [[literal], ...and].toSorted((a, b) => rarityOf(b) - rarityOf(a))[0] ?? [];

/** `.*text`, where the text can be spelled out. */
function forbiddenOf(branches: readonly (readonly Item[])[]): Node {
  const texts = branches.map(([first, ...rest]) =>
    first?.node.kind === 'any' && first.repeated && rest.length > 0
      ? textsOfGroup({ kind: 'group', branches: [rest] })
      : undefined,
  );
  return texts.every((one) => one !== undefined)
    ? { kind: 'forbidden', texts: texts.flat().filter((text) => text !== '') }
    : { kind: 'nothing' };
}

interface Parser {
  alternatives(): Item[][];
}

/** Reads as much of the syntax as matters here; whatever it does not know stands for anything. */
function createParser(source: string): Parser {
  let at = 0;

  function alternatives(): Item[][] {
    const branches: Item[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at += 1;
        branches.push([]);
      } else branches.at(-1)?.push(item());
    }
    return branches;
  }

  function item(): Item {
    const node = atom();
    const [text, sign, low] = /^(?:([*+?])|\{(\d+)(?:,\d*)?\})\??/.exec(source.slice(at)) ?? [];
    if (text === undefined) return { node, optional: false, repeated: false };
    at += text.length;
    const optional = sign === '*' || sign === '?' || Number(low) === 0;
    return { node, optional, repeated: sign !== '?' };
  }

  function atom(): Node {
    const character = source[at] ?? '';
    at += 1;
    if (character === '\\') return escaped();
    if (character === '(') return group();
    if (character === '[') return characterClass();
    if (character === '.') return { kind: 'any' };
    if (character === '^') return { kind: 'start' };
    if (character === '$') return { kind: 'nothing' };
    return { kind: 'char', text: character };
  }

  function escaped(): Node {
    const character = source[at] ?? '';
    at += 1;
    if (/[bB]/.test(character)) return { kind: 'nothing' };
    if (/[a-zA-Z0-9]/.test(character)) return { kind: 'any' };
    return { kind: 'char', text: character };
  }

  function characterClass(): Node {
    for (; at < source.length && source[at] !== ']'; at += 1) if (source[at] === '\\') at += 1;
    at += 1;
    return { kind: 'any' };
  }

  function group(): Node {
    const [head = ''] = /^\?(?:<?[=!]|:|<\w+>)/.exec(source.slice(at)) ?? [];
    at += head.length;
    const branches = alternatives();
    at += 1;
    if (head === '?!') return forbiddenOf(branches);
    // What a lookaround sees is not part of the match.
    return /[=!]$/.test(head) ? { kind: 'nothing' } : { kind: 'group', branches };
  }

  return { alternatives };
}
