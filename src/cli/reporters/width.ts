import { stripVTControlCharacters } from 'node:util';

// East Asian wide and fullwidth blocks, and emoji: two columns each.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns a text takes on a terminal. Escape sequences take none. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const character of stripVTControlCharacters(text)) width += WIDE.test(character) ? 2 : 1;
  return width;
}

/** The text if it fits, else its beginning and an ellipsis. For text without escape sequences. */
export function clip(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const character of text) {
    width += displayWidth(character);
    if (width > columns - 1) break;
    kept += character;
  }
  return columns < 1 ? '' : `${kept}…`;
}

/** The text, clipped or filled with spaces to exactly this many columns. */
export function padded(text: string, columns: number): string {
  const clipped = clip(text, columns);
  return clipped + ' '.repeat(Math.max(0, columns - displayWidth(clipped)));
}
