/** Text that is HTML already, so that nothing is escaped twice and nothing is forgotten. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Part = string | number | Html | undefined | readonly Part[];

/** A template whose values are escaped, unless they are `Html`. Lists are joined, undefined is nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  const parts = strings.map((text, index) => text + partText(values[index]));
  return new Html(parts.join(''));
}

function partText(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(partText).join('');
  return escapeHtml(String(part));
}

/** Safe in text and in quoted attributes. */
function escapeHtml(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: HTML allows none of them.
      .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '\ufffd')
      .replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`)
  );
}
