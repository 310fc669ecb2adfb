import { RE2JS } from 're2js';

/** Finds a pattern in a text, in time that follows their lengths alone. */
export interface LinearPattern {
  test(text: string): boolean;
}

/**
 * A pattern that somebody else wrote, in the syntax of RE2 and Go: without look-around and
 * back-references, so that no text and no pattern can keep us busy for ever. Throws `SyntaxError`.
 */
export function linearPattern(pattern: string): LinearPattern {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    throw new SyntaxError(`"${pattern}" is not a regular expression of RE2`, { cause });
  }
}
