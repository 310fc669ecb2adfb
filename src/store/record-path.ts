import { AtollError } from '../core/errors.ts';

// How a record's key becomes a path, and back:
//
//   tags/4.18/x86_64     records/tags/4.18/x86_64.json
//   a name of 250 bytes  records/<first 200>+/+<rest>.json
//
// Bytes that file systems or people stumble over are written %XX. A part ending in `.json` has
// its dot escaped, so that a folder never looks like a record; nothing starts with a dot, so
// `.` and `..` cannot be made and temporary files can be told apart.

export const RECORD_SUFFIX = '.json';
export const CONTINUED = '+';

const PIECES = /.{1,200}/g;
const UNSAFE = /[^A-Za-z0-9._-]/gu;
const LONE_SURROGATE = /\p{Surrogate}/u;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** The path of a record below `records/`. Throws for a key that cannot be one. */
export function recordPath(key: string): string {
  return `${directoryPath(key)}${RECORD_SUFFIX}`;
}

/** The path of the folder that holds the records below this key. */
export function directoryPath(key: string): string {
  return key
    .split('/')
    .map((part) => piecesOf(encodePart(part, key)).join('/'))
    .join('/');
}

/** The part of a key that a file or folder name stands for. */
export function decodePart(name: string): string {
  if (!name.includes('%')) return name;
  const bytes: number[] = [];
  for (let at = 0; at < name.length; at += 1) {
    if (name[at] === '%') {
      bytes.push(Number.parseInt(name.slice(at + 1, at + 3), 16));
      at += 2;
    } else bytes.push(name.charCodeAt(at));
  }
  return UTF8.decode(Uint8Array.from(bytes));
}

function encodePart(part: string, key: string): string {
  if (part === '' || LONE_SURROGATE.test(part)) {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot use "${key}" as a key: found an empty or broken part`,
      {
        hint: 'Write it as parts joined by "/", none of them empty',
      },
    );
  }
  return part
    .replace(UNSAFE, (character) => escapeBytes(character))
    .replace(/^\./, '%2E')
    .replace(/\.json$/, '%2Ejson');
}

function escapeBytes(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}

/** Long names become nested folders; each piece after the first starts with the mark as well. */
function piecesOf(name: string): string[] {
  const pieces = name.match(PIECES) ?? [];
  return pieces.map((piece, index) => {
    const start = index > 0 ? CONTINUED : '';
    return `${start}${piece}${index < pieces.length - 1 ? CONTINUED : ''}`;
  });
}
