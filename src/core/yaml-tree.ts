import { type Document, isCollection, isMap, isScalar, type Node, type ParsedNode } from 'yaml';

/** Deeper than any file that people write; readers recurse, so depth has to be bounded. */
const MAX_DEPTH = 500;
/** `- - - x`: a level for every two characters. */
const COMPACT = new RegExp(`^[ \\t]*(?:[-?][ \\t]+){${MAX_DEPTH}}`, 'm');

export const TOO_DEEP = `it is nested more than ${MAX_DEPTH} levels deep`;

/**
 * Whether a text is nested so deeply that parsing it would exhaust the stack, which cannot always be caught.
 * Brackets in texts count too, but only until the next key at the start of a line.
 */
export function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth = Math.max(0, depth - 1);
    else if (char === '\n' && /\w/.test(text[at + 1] ?? '')) depth = 0;
    if (depth > MAX_DEPTH) return true;
  }
  return COMPACT.test(text);
}

/** Keys that are in their mapping a second time. The library compares each key with all others. */
export function repeatedKeys(document: Document.Parsed): Node[] {
  const repeated: Node[] = [];
  const waiting: (ParsedNode | null)[] = [document.contents];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isMap(node)) repeated.push(...repeatsIn(node.items));
    if (!isCollection(node)) continue;
    for (const item of node.items) {
      waiting.push(...('key' in item ? [item.key, item.value] : [item]));
    }
  }
  return repeated.toSorted((a, b) => (a.range?.[0] ?? 0) - (b.range?.[0] ?? 0));
}

function repeatsIn(items: readonly { readonly key: ParsedNode }[]): Node[] {
  const seen = new Set<unknown>();
  return items.flatMap(({ key }) => {
    if (!isScalar(key) || key.value === '<<') return [];
    if (seen.has(key.value)) return [key];
    seen.add(key.value);
    return [];
  });
}
