import type { OtherEnd } from '../other-end.ts';

/**
 * What an error says by itself, in words that every program of this field shares ("connection refused", "permission
 * denied"), whatever program it is and whether or not the catalogue knows the failure.
 */
export interface PlainReading {
  readonly id: string;
  readonly pattern: RegExp;
  readonly cause: (found: FoundWords) => string;
  readonly remedy: string;
  /** Its words are said of ordinary things, too: only a line that tells of a failure by other words is read so. */
  readonly isVague?: boolean;
  /** Only of a line about a public registry or download site: whoever has no internet does not want to reach it. */
  readonly isOfInternet?: boolean;
  /** Only of a line behind one like this. */
  readonly after?: RegExp;
  /** Only of lines that this program said, by where they come from: its words are those of others, too. */
  readonly from?: RegExp;
  /** It tells that something fails, and hardly why: where another error says more, that one speaks. */
  readonly isGeneral?: boolean;
}

/** What is made of one line. */
export interface Reading {
  readonly id: string;
  readonly cause: string;
  readonly remedy: string;
}

/** The parts of a line that a reading can put into its sentence. */
export interface FoundWords {
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** Who did not answer, or answered so, where the line tells. */
  readonly end: OtherEnd | undefined;
}

/** `the other end` where the line does not tell. */
export const at = ({ end }: FoundWords): string => end?.text ?? 'the other end';

/** The first of the groups that is there, without what only delimits it. */
export function word({ groups }: FoundWords, ...names: readonly string[]): string | undefined {
  const found = names.map((name) => groups[name]).find((one) => one !== undefined && one !== '');
  const bare = found?.trim().replace(/[.,;:]+$/, '');
  if (bare !== undefined && QUOTES_ITS_HEAD.test(bare)) return bare;
  return bare?.replace(/^["'`‘]+(.*?)["'`’]*$/, '$1') || undefined;
}
/** `"5": must be less`, where the quotes are of the first word and not around all of it. */
const QUOTES_ITS_HEAD = /^(["'`])(?:[^"'`]*[^\s"'`(=])?\1[^\w"'`]/;

/** ` NAME` or nothing, to follow a word. */
export const named = (name: string | undefined): string => (name === undefined ? '' : ` ${name}`);

/** ` (WHY)` or nothing. */
export const because = (why: string | undefined): string =>
  why === undefined ? '' : ` (${atAGlance(why, 100, 300)})`;

/** As much of a text as can be read at a glance: programs say first what they did, and last why it failed. */
export const atAGlance = (said: string, head: number, longest: number): string =>
  said.length > longest
    ? `${said.slice(0, head).trimEnd()} … ${said.slice(head - longest).trimStart()}`
    : said;
