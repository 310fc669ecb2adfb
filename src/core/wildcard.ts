/** Whether the text fits a pattern in which `*` is any text. */
export function matchesPattern(pattern: string, text: string): boolean {
  return matches(pattern.split('*'), text);
}

/** Each piece after the one before, the first at the start and the last at the end: in one pass. */
function matches(pieces: readonly string[], text: string): boolean {
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - at >= last.length && text.endsWith(last);
}
