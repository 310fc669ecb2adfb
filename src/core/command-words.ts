const PART = /\\(.)|'([^']*)'|"((?:[^"\\]|\\.)*)"|([^\s\\'"]+)|(\s+)/gsy;

/** The words of a command line as a shell would read them, or undefined where a quote has no end. Nothing is expanded. */
export function commandWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let end = 0;
  for (const [whole, escaped, single, double, plain] of line.matchAll(PART)) {
    end += whole.length;
    const text = escaped ?? single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? plain;
    if (text !== undefined) word = (word ?? '') + text;
    else if (word !== undefined) {
      words.push(word);
      word = undefined;
    }
  }
  if (end !== line.length) return undefined;
  return word === undefined ? words : [...words, word];
}
