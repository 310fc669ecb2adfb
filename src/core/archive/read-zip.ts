import { crc32, createInflateRaw } from 'node:zlib';
import { messageOf } from '../errors.ts';
import { ArchiveError, cut, damaged } from './archive-error.ts';
import { type ByteSource, streamSource } from './byte-source.ts';
import type { TarEntry, TarOptions } from './read-tar.ts';
import { createUnfoldMeter, type UnfoldLimits, type UnfoldMeter } from './unfold-meter.ts';

/** One file of a zip archive, in the words of tar. */
export type ZipEntry = Pick<TarEntry, 'path' | 'type' | 'flag' | 'modified' | 'content'>;

const LOCAL = 0x04034b50;
const DIRECTORY = 0x02014b50;
const END = 0x06054b50;
const DESCRIPTOR = 0x08074b50;
const ZIP64_SIZES = 1;
const OUTSIDE = 0xffffffff;
const PIECE = 16 * 1024;

/** A zip begins with its first file, an empty one with its end. */
export function isZip(head: Uint8Array): boolean {
  const magic = Buffer.from(head.subarray(0, 4));
  return magic.length === 4 && [LOCAL, END].includes(magic.readUInt32LE());
}

/**
 * Reads a zip archive from its beginning, entry by entry, and keeps none of it.
 *
 *   (local header, name, extra field, content, perhaps sizes and CRC again)…, directory
 *
 * Each content is compared with its CRC. What is wrong is an `ArchiveError`, after all that came before.
 */
export async function* readZip(
  chunks: AsyncIterable<Uint8Array>,
  limits: TarOptions & UnfoldLimits,
): AsyncGenerator<ZipEntry> {
  const source = withUnread(streamSource(chunks));
  const meter = createUnfoldMeter(limits);
  try {
    for (let entries = 1; ; entries += 1) {
      const header = await nextHeader(source);
      if (!header) return;
      if (entries > (limits.maxEntries ?? Infinity))
        throw new ArchiveError('refused', `it holds more than ${limits.maxEntries} entries`);
      const { path, modified } = header;
      const type = path.endsWith('/') ? 'directory' : 'file';
      const { chunks: content, finish } = finishable(contentOf(source, header, meter));
      yield { path, type, flag: '0', modified, content };
      await finish();
    }
  } finally {
    await source.close();
  }
}

/** A content that may be left before its end, and a way to get there and to hear what was wrong. */
function finishable(content: AsyncGenerator<Buffer>) {
  let failure: unknown;
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      for (let next = await content.next(); !next.done; next = await content.next())
        yield next.value;
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  async function finish(): Promise<void> {
    if (failure) throw failure;
    for await (const _ of content);
  }
  return { chunks: chunks(), finish };
}

interface ZipHeader {
  readonly path: string;
  readonly modified: Date;
  readonly method: number;
  /** Sizes and CRC come after the content. */
  readonly isOpen: boolean;
  readonly is64: boolean;
  readonly crc: number;
  readonly packed: number;
  readonly unpacked: number;
}

async function nextHeader(source: UnreadSource): Promise<ZipHeader | undefined> {
  const magic = (await exactly(source, 4)).readUInt32LE();
  if (magic === DIRECTORY || magic === END) return undefined;
  if (magic !== LOCAL) throw damaged('no file where one should be');
  const fixed = await exactly(source, 26);
  const name = await exactly(source, fixed.readUInt16LE(22));
  const extra = await exactly(source, fixed.readUInt16LE(24));
  const flags = fixed.readUInt16LE(2);
  const path = name.toString(flags & 0x800 ? 'utf8' : 'latin1');
  if (flags & 1) throw new ArchiveError('damaged', 'it is encrypted', path);
  return {
    path,
    modified: dosTime(fixed.readUInt16LE(8), fixed.readUInt16LE(6)),
    method: fixed.readUInt16LE(4),
    isOpen: (flags & 8) !== 0,
    crc: fixed.readUInt32LE(10),
    ...sizesOf(fixed, extra),
  };
}

/** Sizes that do not fit their field stand in an extra one. */
function sizesOf(fixed: Buffer, extra: Buffer): Pick<ZipHeader, 'is64' | 'packed' | 'unpacked'> {
  const [packed, unpacked] = [fixed.readUInt32LE(14), fixed.readUInt32LE(18)];
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    const isSizes = extra.readUInt16LE(at) === ZIP64_SIZES;
    if (!isSizes || extra.readUInt16LE(at + 2) < 16 || at + 20 > extra.length) continue;
    const large = (place: number) => Number(extra.readBigUInt64LE(at + place));
    return {
      is64: true,
      unpacked: unpacked === OUTSIDE ? large(4) : unpacked,
      packed: packed === OUTSIDE ? large(12) : packed,
    };
  }
  return { is64: false, packed, unpacked };
}

/** Two seconds of resolution and no zone. */
const dosTime = (date: number, time: number): Date =>
  new Date(
    Date.UTC(
      1980 + (date >> 9),
      ((date >> 5) & 15) - 1,
      date & 31,
      time >> 11,
      (time >> 5) & 63,
      (time & 31) * 2,
    ),
  );

/** The content, compared with what the archive says of it once it was read to its end. */
async function* contentOf(
  source: UnreadSource,
  header: ZipHeader,
  meter: UnfoldMeter,
): AsyncGenerator<Buffer> {
  const { path } = header;
  let [crc, unpacked] = [0, 0];
  const start = source.position;
  let counted = start;
  try {
    for await (const part of unfolded(source, header)) {
      meter.input(source.position - counted);
      counted = source.position;
      meter.output(part.length);
      crc = crc32(part, crc);
      unpacked += part.length;
      yield part;
    }
    const packed = source.position - start;
    const said = header.isOpen ? await descriptor(source, header) : header;
    if (said.crc !== crc) throw damaged('its checksum is wrong');
    if (said.packed !== packed || said.unpacked !== unpacked) throw damaged('its size is wrong');
  } catch (error) {
    throw error instanceof ArchiveError ? new ArchiveError(error.kind, error.message, path) : error;
  }
}

function unfolded(source: UnreadSource, header: ZipHeader): AsyncGenerator<Buffer> {
  const { method, isOpen, packed } = header;
  if (method === 8) return inflated(source, isOpen ? Infinity : packed);
  if (method === 0 && !isOpen) return stored(source, packed);
  throw damaged(method === 0 ? 'nothing says where it ends' : `packed by method ${method}`);
}

async function* stored(source: UnreadSource, size: number): AsyncGenerator<Buffer> {
  for (let left = size; left > 0; ) {
    const part = await source.next(left);
    if (!part) throw cut();
    left -= part.length;
    yield part;
  }
}

/** Deflate knows where it ends: what was read beyond goes back. */
async function* inflated(source: UnreadSource, size: number): AsyncGenerator<Buffer> {
  const inflater = createInflateRaw();
  let [ready, isOver]: [Buffer[], boolean] = [[], false];
  let failure: Error | undefined;
  let wake = () => {};
  inflater.on('data', (data: Buffer) => ready.push(data));
  inflater.on('end', () => {
    isOver = true;
    wake();
  });
  inflater.on('error', (error) => {
    failure = error;
    wake();
  });
  const start = source.position;
  try {
    while (!isOver) {
      const left = size - (source.position - start);
      // Without its end it is caught by its size or its checksum.
      if (left === 0) return;
      const piece = await source.next(Math.min(PIECE, left));
      if (!piece) throw cut();
      await new Promise<void>((resolve) => {
        wake = resolve;
        inflater.write(piece, () => setImmediate(resolve));
      });
      if (failure) throw damaged(messageOf(failure));
      const unused = source.position - start - inflater.bytesWritten;
      if (unused > 0) {
        source.unread(piece.subarray(piece.length - unused));
        isOver = true;
      }
      yield* ready;
      ready = [];
    }
  } finally {
    inflater.destroy();
  }
}

/** CRC and sizes behind the content, most often with a mark before them. */
async function descriptor(
  source: UnreadSource,
  { is64 }: ZipHeader,
): Promise<Pick<ZipHeader, 'crc' | 'packed' | 'unpacked'>> {
  const first = await exactly(source, 4);
  const crc = first.readUInt32LE() === DESCRIPTOR ? await exactly(source, 4) : first;
  const sizes = await exactly(source, is64 ? 16 : 8);
  const [packed, unpacked] = is64
    ? [Number(sizes.readBigUInt64LE(0)), Number(sizes.readBigUInt64LE(8))]
    : [sizes.readUInt32LE(0), sizes.readUInt32LE(4)];
  return { crc: crc.readUInt32LE(), packed, unpacked };
}

interface UnreadSource extends Pick<ByteSource, 'position' | 'next' | 'close'> {
  /** Gives bytes back that were read last. */
  unread(bytes: Buffer): void;
}

function withUnread(source: ByteSource): UnreadSource {
  let back: Buffer = Buffer.alloc(0);
  return {
    get position() {
      return source.position - back.length;
    },
    async next(length) {
      if (back.length === 0) return source.next(length);
      const part = back.subarray(0, length);
      back = back.subarray(part.length);
      return part;
    },
    unread: (bytes) => {
      back = Buffer.concat([bytes, back]);
    },
    close: () => source.close(),
  };
}

async function exactly(source: UnreadSource, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let left = length; left > 0; ) {
    const part = await source.next(left);
    if (!part) throw cut();
    left -= part.length;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
