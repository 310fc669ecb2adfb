import { mirrorErrors } from './mirrors-also-failed.ts';
import { otherEndOf } from './other-end.ts';
import { partiesOf } from './party.ts';
import { quoteLine, unlessSecret } from './quote-line.ts';

/**
 * What a rule says of a line, in the line's own names: `{group|otherwise}` is what the pattern found there, of several
 * groups (`{one|other|otherwise}`) the first that is there; `{registry}` and `{end}` are whom the line talks to, with a
 * capital letter at the head of a sentence.
 */
const PLACE = /\{(?<inside>[^{}]+)\}/g;

type Words = Readonly<Record<string, string | undefined>>;
type WordOf = (text: string) => string | undefined;

const MAX_WORD = 160;

/** What every rule can name, whatever its pattern finds. */
const OF_LINE: Readonly<Record<string, { readonly find: WordOf; readonly otherwise: string }>> = {
  registry: { find: registryIn, otherwise: 'the registry' },
  end: { find: (text) => otherEndOf(text)?.text, otherwise: 'the other end' },
};

/** Only a line that lists mirrors shows that one was asked; any other names a registry, whatever it is there for. */
function registryIn(text: string): string | undefined {
  const mirrors = [...new Set(mirrorErrors(text).map(({ mirror }) => mirror.split('/')[0]))];
  if (mirrors.length > 0)
    return `${mirrors.length > 1 ? 'one of the mirrors' : 'the mirror'} ${mirrors.join(', ')}`;
  const name = otherEndOf(text)?.name;
  if (name === undefined) return undefined;
  const isPublic = partiesOf(`Get "https://${name}/v2/"`).includes('source');
  return `the ${isPublic ? 'public ' : ''}registry ${name}`;
}

/** The places of a text that nothing can fill. */
export function unknownPlaces(text: string, groups: ReadonlySet<string>): readonly string[] {
  return [...text.matchAll(PLACE)]
    .map(([whole]) => whole)
    .filter((place) => {
      const { names, otherwise } = partsOf(place.slice(1, -1));
      if (otherwise === undefined) return !names.every((name) => isOfLine(lowered(name)));
      return !names.every((name) => groups.has(name));
    });
}

/** A group of this name would never be shown. */
export const isOfLine = (name: string): boolean => Object.hasOwn(OF_LINE, name);

function partsOf(inside: string) {
  const names = inside.split('|');
  const otherwise = names.length > 1 ? names.pop() : undefined;
  return { names, otherwise };
}

/** The text of a rule for a line as rules see it, and the one before it; without them, as the catalogue shows it. */
export function causeText(text: string, groups: Words = {}, line = '', lead = ''): string {
  if (!text.includes('{')) return text;
  const lines = [line, lead];
  const filled = text.replace(PLACE, (_, inside: string) => {
    const { names, otherwise } = partsOf(inside);
    const [name = ''] = names;
    const ofLine = otherwise === undefined ? OF_LINE[lowered(name)] : undefined;
    const shown = () => names.map((one) => shortened(unlessSecret(groups[one], line)));
    if (!ofLine) return shown().find(isThere) ?? otherwise ?? '';
    const word = shortened(lines.map(ofLine.find).find(isThere)) ?? ofLine.otherwise;
    return name === lowered(name) ? word : raised(word);
  });
  return withoutGaps(filled);
}

/** A place that stayed empty leaves no brackets, spaces or colon behind. */
const withoutGaps = (text: string): string =>
  text
    .replace(/ ?\(\)/g, '')
    .replace(/ {2,}/g, ' ')
    .replace(/ (?=[.,;:](?:\s|$))/g, '')
    .replace(/[\s:]+$/, '');

const isThere = (word: string | undefined): boolean => word !== undefined;

/** As it may be shown, and no longer than a sentence can hold. */
function shortened(word: string | undefined): string | undefined {
  // Its last point would stand before that of the sentence.
  const shown = word === undefined ? '' : quoteLine(word).replace(/[.,;:\s]+$/, '');
  if (shown === '') return undefined;
  return shown.length > MAX_WORD ? `${shown.slice(0, MAX_WORD)}…` : shown;
}

const lowered = (name: string): string => name.slice(0, 1).toLowerCase() + name.slice(1);
/** A sentence may begin with a host, which keeps its letters. */
const raised = (word: string): string =>
  word.replace(/^(?:the|one of) /, (first) => first.slice(0, 1).toUpperCase() + first.slice(1));
