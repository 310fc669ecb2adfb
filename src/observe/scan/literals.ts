/**
 * Finds, for a regular expression, a set of strings of which every match must contain at least one
 * (ignoring case). Looking for those first is many times cheaper than running the expression.
 */
type Node =
  | { readonly kind: 'char'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'group'; readonly branches: readonly (readonly Item[])[] }
  | { readonly kind: 'nothing' };

interface Item {
  readonly node: Node;
  /** Whether it may be left out. */
  readonly optional: boolean;
  /** Whether it may occur more than once, so that what follows need not stand next to it. */
  readonly repeated: boolean;
}

/** Quotes and backslashes are escaped in JSON and in quoted log fields, so no literal may hold one. */
const BREAKING = /["'\\]/;

const known = new Map<string, readonly string[] | undefined>();

/** The strings, or undefined when the expression promises none of `shortest` characters. */
export function requiredLiterals(source: string, shortest: number): readonly string[] | undefined {
  if (!known.has(source)) known.set(source, bestOf(createParser(source).alternatives()));
  const best = known.get(source);
  return best && Math.min(...best.map((text) => text.length)) >= shortest ? best : undefined;
}

function bestOf(branches: readonly (readonly Item[])[]): readonly string[] | undefined {
  const all = branches.map(bestOfSequence);
  return all.every((one) => one !== undefined) ? [...new Set(all.flat())] : undefined;
}

function bestOfSequence(items: readonly Item[]): readonly string[] | undefined {
  let best: readonly string[] | undefined;
  let run = '';
  const consider = (candidate: readonly string[] | undefined) => {
    if (candidate && scoreOf(candidate) > (best ? scoreOf(best) : 0)) best = candidate;
  };
  for (const { node, optional, repeated } of items) {
    if (node.kind === 'nothing') continue;
    if (node.kind === 'char' && !optional && !BREAKING.test(node.text)) {
      run += node.text.toLowerCase();
      if (!repeated) continue;
    }
    if (run) consider([run]);
    run = '';
    if (node.kind === 'group' && !optional) consider(bestOf(node.branches));
  }
  if (run) consider([run]);
  return best;
}

/** Longer is rarer; many alternatives cost a little. */
function scoreOf(literals: readonly string[]): number {
  return Math.min(...literals.map((text) => text.length)) - literals.length / 16;
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
    if (character === '^' || character === '$') return { kind: 'nothing' };
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
    // What a lookaround sees is not part of the match.
    return /[=!]$/.test(head) ? { kind: 'nothing' } : { kind: 'group', branches };
  }

  return { alternatives };
}
