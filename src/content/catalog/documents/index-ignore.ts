import { type LinearPattern, linearPattern } from '../../../core/linear-pattern.ts';
import { byText } from '../../../core/order.ts';

/** Whether a path below the catalog's folder is left out. */
export type Ignore = (path: string) => boolean;

export const INDEX_IGNORE = '.indexignore';

interface Rule {
  readonly pattern: LinearPattern;
  readonly negated: boolean;
  readonly onlyFolders: boolean;
}

/** What the `.indexignore` files of a catalog say, by the folder they are in; gitignore's rules. */
export function indexIgnore(files: ReadonlyMap<string, string>): Ignore {
  const rules = [...files]
    .toSorted(([a], [b]) => a.length - b.length || byText(a, b))
    .flatMap(([folder, text]) => parseRules(folder, text));
  return (path) => {
    const parts = path.split('/');
    // A folder that is left out takes all it holds with it, whatever later rules say.
    return parts.some((_, index) =>
      isIgnored(rules, parts.slice(0, index + 1).join('/'), index < parts.length - 1),
    );
  };
}

function isIgnored(rules: readonly Rule[], path: string, isFolder: boolean): boolean {
  const last = rules.findLast(
    ({ pattern, onlyFolders }) => (isFolder || !onlyFolders) && pattern.test(path),
  );
  return last !== undefined && !last.negated;
}

function parseRules(folder: string, text: string): Rule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.replace(/(?<!\\)\s+$/, '');
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    const negated = trimmed.startsWith('!');
    const body = negated ? trimmed.slice(1) : trimmed;
    const onlyFolders = body.endsWith('/');
    const bare = body.replace(/^\\(?=[#!])/, '').replace(/\/+$/, '');
    return bare === '' ? [] : [{ pattern: patternOf(folder, bare), negated, onlyFolders }];
  });
}

/** A slash anywhere but at the end ties the pattern to the folder of its file. */
function patternOf(folder: string, glob: string): LinearPattern {
  const anchored = glob.includes('/');
  const source = glob
    .replace(/^\//, '')
    .replace(/(?:\*\*\/)+/g, '**/')
    .split('/')
    .map((part) => (part === '**' ? '**' : partPattern(part)));
  const body = source
    .join('/')
    .replace(/^\*\*\//, '(?:.*/)?')
    .replaceAll('/**/', '/(?:.*/)?')
    .replace(/\/\*\*$/, '/.*');
  const prefix = folder === '' ? '' : `${escaped(folder)}/`;
  return linearPattern(`^${prefix}${anchored ? '' : '(?:.*/)?'}${body}$`);
}

function partPattern(part: string): string {
  const pieces = part.match(/\*+|\?|\[(?:!|\^)?[^\]]+\]|\\.|[^*?[\\]+|[[\\]/g) ?? [];
  return pieces.map(piecePattern).join('');
}

function piecePattern(piece: string): string {
  if (piece.startsWith('*')) return '[^/]*';
  if (piece === '?') return '[^/]';
  if (piece.length > 2 && piece.startsWith('[')) return piece.replace(/^\[[!^]/, '[^');
  return escaped(piece.length === 2 && piece.startsWith('\\') ? piece.slice(1) : piece);
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
