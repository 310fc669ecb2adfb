/** What a program means by words of its own. */
export type Meanings = readonly (readonly [words: RegExp, means: string])[];

/** What is meant by the first of the words that were said. */
export const meant = (said: string | undefined, meanings: Meanings): string | undefined =>
  said === undefined ? undefined : meanings.find(([words]) => words.test(said))?.[1];
