import { ArchiveError } from './archive-error.ts';
import { asBuffer } from './byte-source.ts';

export const TAR_BLOCK = 512;

export type TarType =
  | 'file'
  | 'hardlink'
  | 'symlink'
  | 'character-device'
  | 'block-device'
  | 'directory'
  | 'fifo'
  /** Says something about the entry after it: GNU's long name, its long link, pax. */
  | 'long-path'
  | 'long-link'
  | 'pax'
  /** Says something about the archive. */
  | 'label'
  | 'unknown';

export interface TarHeader {
  /** As it is written: it may be absolute or climb out. */
  readonly path: string;
  readonly type: TarType;
  readonly size: number;
  readonly mode: number;
  readonly modified: Date;
  /** Of links: where they lead. */
  readonly target: string;
  /** The letter of the type, for types that are unknown here. */
  readonly flag: string;
}

const TYPES: Readonly<Record<string, TarType>> = {
  '\0': 'file',
  0: 'file',
  1: 'hardlink',
  2: 'symlink',
  3: 'character-device',
  4: 'block-device',
  5: 'directory',
  6: 'fifo',
  7: 'file',
  L: 'long-path',
  K: 'long-link',
  x: 'pax',
  g: 'label',
  V: 'label',
};

/** Some programs write a size for these, but nobody writes content. */
const WITHOUT_CONTENT = new Set<TarType>([
  'hardlink',
  'symlink',
  'character-device',
  'block-device',
  'directory',
  'fifo',
]);

/** Whether these first 512 bytes are the header of a tar archive. */
export function isTar(head: Uint8Array): boolean {
  const block = asBuffer(head).subarray(0, TAR_BLOCK);
  return block.length === TAR_BLOCK && block[0] !== 0 && checksumFits(block);
}

/** Undefined for the block of zeros that ends an archive. */
export function parseTarHeader(block: Buffer, at: number): TarHeader | undefined {
  if (!checksumFits(block)) {
    if (block.every((byte) => byte === 0)) return undefined;
    throw new ArchiveError('damaged', `the header at byte ${at} is damaged`);
  }
  const path = pathIn(block);
  const flag = String.fromCharCode(block[156] ?? 0);
  const size = numberField(block, 124, 12);
  if (!isSize(size)) throw absurdSize(path);
  return {
    path,
    type: TYPES[flag] ?? 'unknown',
    size,
    mode: (numberField(block, 100, 8) || 0) & 0o7777,
    modified: dateOf(numberField(block, 136, 12)),
    target: textField(block, 157, 100),
    flag,
  };
}

/** What extended headers say about the entry that follows them. */
export interface TarExtension {
  readonly path?: string;
  readonly size?: number;
  readonly target?: string;
}

/** The header of an entry with what extended ones said before it. */
export function extendedHeader(header: TarHeader, extension: TarExtension): TarHeader {
  const whole = { ...header, ...extension };
  // Old programs tell a folder from a file by the slash alone.
  const isFolder = whole.type === 'file' && whole.path.endsWith('/');
  const type = isFolder ? 'directory' : whole.type;
  return { ...whole, type, size: WITHOUT_CONTENT.has(type) ? 0 : whole.size };
}

export function extensionIn(type: TarType, bytes: Buffer): TarExtension {
  if (type === 'long-path') return { path: untilNul(bytes) };
  return type === 'long-link' ? { target: untilNul(bytes) } : paxExtension(bytes);
}

function paxExtension(bytes: Buffer): TarExtension {
  const { path, size, linkpath } = Object.fromEntries(paxRecords(bytes));
  if (size !== undefined && !(/^\d+$/.test(size) && isSize(Number(size)))) {
    throw absurdSize(path ?? '');
  }
  return {
    ...(path ? { path } : {}),
    ...(linkpath ? { target: linkpath } : {}),
    ...(size === undefined ? {} : { size: Number(size) }),
  };
}

/** Records of the form `LENGTH KEY=VALUE\n`, where the length counts all of it. */
function* paxRecords(bytes: Buffer): Generator<[key: string, value: string]> {
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(' ', at);
    const digits = bytes.toString('latin1', at, Math.max(at, space));
    const end = at + Number(digits);
    const equals = bytes.indexOf('=', space);
    const isWhole = /^\d{1,9}$/.test(digits) && equals > 0 && equals < end && end <= bytes.length;
    if (!isWhole) throw new ArchiveError('damaged', 'an extended header is damaged');
    yield [bytes.toString('utf8', space + 1, equals), bytes.toString('utf8', equals + 1, end - 1)];
    at = end;
  }
}

function absurdSize(path: string): ArchiveError {
  return new ArchiveError('refused', 'an entry has a size that cannot be', path);
}

const isSize = (size: number): boolean => Number.isSafeInteger(size) && size >= 0;

function pathIn(block: Buffer): string {
  const name = textField(block, 0, 100);
  // GNU's own format keeps other things where POSIX has the front of a long path.
  const isPosix = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isPosix ? textField(block, 345, 155) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** The beginning of time for what is none. */
function dateOf(seconds: number): Date {
  const at = new Date(Math.max(0, seconds) * 1000);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

function checksumFits(block: Buffer): boolean {
  let sum = 8 * 32;
  for (let at = 0; at < TAR_BLOCK; at += 1) sum += at >= 148 && at < 156 ? 0 : (block[at] ?? 0);
  return numberField(block, 148, 8) === sum;
}

function untilNul(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.toString('utf8', 0, end < 0 ? bytes.length : end);
}

const textField = (block: Buffer, start: number, length: number): string =>
  untilNul(block.subarray(start, start + length));

/** Octal text, or a number of base 256 when the first bit is set; NaN for anything else. */
function numberField(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0;
  if (first & 0x80) return base256(block.subarray(start, start + length));
  const text = textField(block, start, length).trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : Number.NaN;
}

function base256(field: Buffer): number {
  const first = field[0] ?? 0;
  // The second bit is the sign.
  if (first & 0x40) return Number.NaN;
  return field.subarray(1).reduce((value, byte) => value * 256 + byte, first & 0x3f);
}
