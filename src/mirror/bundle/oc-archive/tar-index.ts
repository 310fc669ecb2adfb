import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';

const BLOCK = 512;
/** Names and extended headers are short; more is no archive. */
const MAX_TEXT_BYTES = 1024 * 1024;

/** One file of a tar archive, and where its bytes are. */
export interface TarEntry {
  readonly path: string;
  readonly offset: number;
  readonly size: number;
}

/** Reads only the headers of a tar archive: what is in it and where, without unpacking. */
export async function* tarEntries(ctx: Context, path: string): AsyncGenerator<TarEntry> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    yield* entriesOf(ctx, file, path, size);
  } finally {
    await file.close();
  }
}

/** What an extended header says about the entry that follows it. */
interface Extended {
  readonly path?: string;
  readonly size?: number;
}

async function* entriesOf(
  ctx: Context,
  file: FileHandle,
  archive: string,
  end: number,
): AsyncGenerator<TarEntry> {
  let extended: Extended = {};
  for (let position = 0; position + BLOCK <= end; ) {
    ctx.signal.throwIfAborted();
    const block = await readAt(file, position, BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const header = parseHeader(archive, position, block);
    const size = extended.size ?? header.size;
    const offset = position + BLOCK;
    if (offset + size > end) throw damaged(archive, `it ends in the middle of ${header.path}`);
    position = offset + Math.ceil(size / BLOCK) * BLOCK;
    if (header.type === 'L' || header.type === 'x') {
      const text = await readText(file, archive, offset, size);
      extended = {
        ...extended,
        ...(header.type === 'L' ? { path: cString(text) } : parsePax(text)),
      };
      continue;
    }
    if (header.type === 'file') yield { path: extended.path ?? header.path, offset, size };
    extended = {};
  }
  throw damaged(archive, 'it has no end');
}

type EntryType = 'file' | 'L' | 'x' | 'other';

interface Header {
  readonly path: string;
  readonly size: number;
  readonly type: EntryType;
}

function parseHeader(archive: string, position: number, block: Buffer): Header {
  const stored = octal(block.subarray(148, 156));
  const sum = block.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  if (stored !== sum) throw damaged(archive, `the header at byte ${position} is not one`);
  const name = cString(block.subarray(0, 100).toString('utf8'));
  const isUstar = block.subarray(257, 262).toString('latin1') === 'ustar';
  const prefix = isUstar ? cString(block.subarray(345, 500).toString('utf8')) : '';
  return {
    path: prefix === '' ? name : `${prefix}/${name}`,
    size: sizeIn(block.subarray(124, 136)),
    type: typeOf(String.fromCharCode(block[156] ?? 0)),
  };
}

function typeOf(flag: string): EntryType {
  if (flag === '0' || flag === '\0' || flag === '7') return 'file';
  return flag === 'L' || flag === 'x' ? flag : 'other';
}

/** Sizes above 8 GiB are binary, marked by the highest bit. */
function sizeIn(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) === 0) return octal(field);
  return field.subarray(1).reduce((size, byte) => size * 256 + byte, 0);
}

function octal(field: Buffer): number {
  return Number.parseInt(cString(field.toString('latin1')).trim() || '0', 8);
}

function cString(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

/** `LENGTH KEY=VALUE` records, each ended by a newline that its length counts. */
function parsePax(text: string): Extended {
  const records = new Map<string, string>();
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.subarray(at, at + 20).toString('latin1'), 10);
    if (!(length > 0)) break;
    const record = bytes.subarray(at, at + length).toString('utf8');
    const [, key = '', value = ''] = /^\d+ ([^=]+)=([\s\S]*)\n$/.exec(record) ?? [];
    records.set(key, value);
    at += length;
  }
  const [path, size] = [records.get('path'), records.get('size')];
  return { ...(path ? { path } : {}), ...(size ? { size: Number(size) } : {}) };
}

async function readText(
  file: FileHandle,
  archive: string,
  offset: number,
  size: number,
): Promise<string> {
  if (size > MAX_TEXT_BYTES) throw damaged(archive, 'it has a name of more than a megabyte');
  return (await readAt(file, offset, size)).toString('utf8');
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  await file.read(buffer, 0, length, position);
  return buffer;
}

function damaged(archive: string, found: string): AtollError {
  return new AtollError('BUNDLE_DAMAGED', `Cannot read the archive "${archive}": ${found}`, {
    hint: 'Copy this file again from the side that wrote it; the others can stay',
    details: { path: archive },
  });
}
