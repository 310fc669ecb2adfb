/** As much of a regular expression as tells how long it may look: which characters, in which order, how often. */
type Shape =
  | { readonly kind: 'set'; readonly set: bigint }
  | { readonly kind: 'sequence'; readonly items: readonly Shape[] }
  | { readonly kind: 'choice'; readonly branches: readonly Shape[] }
  | { readonly kind: 'repeat'; readonly of: Shape; readonly min: number; readonly max: number }
  /** Takes no character: an anchor, or a look around, which is a search of its own. */
  | { readonly kind: 'nothing'; readonly inside?: Shape };

/** A set of characters: a bit for each of ASCII, and the last for all others. */
const OTHERS = 128;
const bit = (code: number): bigint => 1n << BigInt(Math.min(code, OTHERS));
const ALL = (1n << BigInt(OTHERS + 1)) - 1n;

function setOf(matches: (character: string) => boolean): bigint {
  let set = 0n;
  for (let code = 0; code <= OTHERS; code += 1)
    if (matches(code === OTHERS ? 'ж' : String.fromCharCode(code))) set |= bit(code);
  return set;
}

/** Rules see no difference between upper and lower case. */
const sameLetter = (character: string): bigint =>
  bit((character.toLowerCase().codePointAt(0) ?? 0) || 0) |
  bit(character.toUpperCase().codePointAt(0) ?? 0);

const CLASSES: Readonly<Record<string, bigint>> = {
  d: setOf((one) => /\d/.test(one)),
  w: setOf((one) => /\w/.test(one)),
  s: setOf((one) => /\s/.test(one)),
};

function shapeOf(source: string): Shape {
  let at = 0;

  function choice(): Shape {
    const branches: Shape[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at += 1;
        branches.push([]);
      } else branches.at(-1)?.push(repeated(atom()));
    }
    return { kind: 'choice', branches: branches.map((items) => ({ kind: 'sequence', items })) };
  }

  function repeated(of: Shape): Shape {
    const found = /^(?:([*+?])|\{(\d+)(,(\d*))?\})\??/.exec(source.slice(at));
    if (!found) return of;
    at += found[0].length;
    const [, sign, low, comma, high] = found;
    if (sign)
      return { kind: 'repeat', of, min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    const min = Number(low);
    const max = comma === undefined ? min : high ? Number(high) : Infinity;
    return { kind: 'repeat', of, min, max };
  }

  function atom(): Shape {
    const character = source[at] ?? '';
    at += 1;
    if (character === '(') return group();
    if (character === '[') return { kind: 'set', set: characterClass() };
    if (character === '^' || character === '$') return { kind: 'nothing' };
    if (character === '.') return { kind: 'set', set: ALL & ~bit(10) };
    if (character !== '\\') return { kind: 'set', set: sameLetter(character) };
    if (/[bB]/.test(source[at] ?? '')) {
      at += 1;
      return { kind: 'nothing' };
    }
    return { kind: 'set', set: escaped() };
  }

  function escaped(): bigint {
    const character = source[at] ?? '';
    at += 1;
    const known = CLASSES[character.toLowerCase()];
    if (known !== undefined) return character === character.toLowerCase() ? known : ALL & ~known;
    return character === 'n' ? bit(10) : character === 't' ? bit(9) : sameLetter(character);
  }

  function characterClass(): bigint {
    const isNegated = source[at] === '^';
    if (isNegated) at += 1;
    let set = 0n;
    while (at < source.length && source[at] !== ']') set |= member();
    at += 1;
    return isNegated ? ALL & ~set : set;
  }

  function member(): bigint {
    const range = /^([^\\\]])-([^\\\]])/.exec(source.slice(at));
    if (range) {
      at += 3;
      const [, low = '', high = ''] = range;
      return setOf((one) =>
        [one.toLowerCase(), one.toUpperCase()].some((x) => x >= low && x <= high),
      );
    }
    const character = source[at] ?? '';
    at += 1;
    return character === '\\' ? escaped() : sameLetter(character);
  }

  function group(): Shape {
    const [head = ''] = /^\?(?:<?[=!]|:|<\w+>)/.exec(source.slice(at)) ?? [];
    at += head.length;
    const inside = choice();
    at += 1;
    return /[=!]$/.test(head) ? { kind: 'nothing', inside } : inside;
  }

  return choice();
}

/** The characters anything in it may take. */
function charactersOf(shape: Shape): bigint {
  if (shape.kind === 'set') return shape.set;
  if (shape.kind === 'repeat') return charactersOf(shape.of);
  const parts =
    shape.kind === 'sequence' ? shape.items : shape.kind === 'choice' ? shape.branches : [];
  return parts.reduce((set, one) => set | charactersOf(one), 0n);
}

/**
 * What makes a search take more than its share: something without end inside something without end, and two of them
 * side by side that take the same characters.
 */
export function ambiguitiesOf(source: string): readonly string[] {
  const found = new Set<string>();

  /** `open`: what without end may still go on where this begins. Gives what may still go on behind it. */
  function walk(shape: Shape, open: readonly bigint[], isInside: boolean): readonly bigint[] {
    if (shape.kind === 'set') return [];
    if (shape.kind === 'choice') return shape.branches.flatMap((one) => walk(one, open, isInside));
    if (shape.kind === 'sequence')
      return shape.items.reduce((before, one) => walk(one, before, isInside), open);
    if (shape.kind === 'repeat') return walkRepeat(shape, open, isInside);
    if (shape.inside) walk(shape.inside, [], false);
    return open;
  }

  function walkRepeat(
    shape: Extract<Shape, { kind: 'repeat' }>,
    open: readonly bigint[],
    isInside: boolean,
  ): readonly bigint[] {
    const isEndless = shape.max === Infinity;
    const set = charactersOf(shape);
    if (isEndless && isInside) found.add('nested');
    if (isEndless && open.some((one) => (one & set) !== 0n)) found.add('adjacent');
    const within = walk(shape.of, isEndless ? [] : open, isEndless || isInside);
    const behind = isEndless ? [set] : within;
    return shape.min === 0 ? [...open, ...behind] : behind;
  }

  walk(shapeOf(source), [], false);
  return [...found];
}
