const ESCAPE = '\x1b';
/**
 * What terminals, editors, chats and word processors put into text: colours, also where the escape character was lost
 * or spelled out, spaces that do not break, quotes that curl, and what web pages write for some characters. Rules are written in plain characters.
 */
const MARKS = [ESCAPE, '\xa0', '^[[', '#033[', '\\u001b[', '[0m', '&quot;', '&#3', ']('].map(
  (mark) => Buffer.from(mark),
);
/** Curled quotes, dashes, dots and odd spaces begin with these bytes in UTF-8. */
const PUNCTUATION = Buffer.from([0xe2, 0x80]);
/** The mark at the start of a text, which is an invisible space everywhere else. */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const COLOUR = new RegExp(String.raw`(?:${ESCAPE}|\^\[|#033|\\u001b)\[[0-9;]*[mK]`, 'g');
/** Without the escape character it could be anything: a line of colours ends them. */
const BARE_COLOUR = /\[[0-9]{0,2}(?:;[0-9]{1,3})*m(?![0-9\]])/g;
const BARE_END = /\[0?m(?![0-9\]])/;
const SPACE = /[\xa0\u2000-\u200a\u202f]/g;
const UNSEEN = /[\u200b\u2060\ufeff]/g;
const SINGLE = /[\u2018\u2019\u201a\u201b]/g;
const DOUBLE = /[\u201c-\u201f]/g;
const DASH = /[\u2010-\u2015]/g;
/** A name that a ticket made a link of. */
const LINK = /\[([^[\]\s]+)\]\((?:https?|file|mailto):[^)\s]*\)/g;
const ENTITY = /&(?:quot|#34|#39|lt|gt|amp);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&#34;': '"',
  '&#39;': "'",
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
};

/** The same lines in plain characters; the same bytes where they are plain already. */
export function plainLines(block: Buffer): Buffer {
  const marks = [...MARKS, PUNCTUATION, BYTE_ORDER_MARK];
  if (!marks.some((mark) => block.includes(mark))) return block;
  return Buffer.from(block.toString('utf8').split('\n').map(plainLine).join('\n'));
}

/** Text without terminal colours. */
export const withoutColours = (text: string): string =>
  text.includes(ESCAPE) ? text.replace(COLOUR, '') : text;

export function plainLine(line: string): string {
  // Where a line has straight quotes, curled ones are part of what it quotes.
  const quote = line.includes('"') ? '\\"' : '"';
  const uncoloured = line.replace(COLOUR, '');
  return (BARE_END.test(uncoloured) ? uncoloured.replace(BARE_COLOUR, '') : uncoloured)
    .replace(SPACE, ' ')
    .replace(UNSEEN, '')
    .replace(SINGLE, "'")
    .replace(DOUBLE, quote)
    .replace(DASH, '-')
    .replace(LINK, '$1')
    .replace(ENTITY, (one) => ENTITIES[one] ?? one)
    .replaceAll('\u2026', '...');
}
