import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { ArchiveError, cut, damaged } from './archive-error.ts';
import { type ByteSource, exactly, streamSource } from './byte-source.ts';
import { LzmaDecoder, Window } from './lzma.ts';
import { createUnfoldMeter, type UnfoldLimits, type UnfoldMeter } from './unfold-meter.ts';

const MAGIC = Buffer.from('fd377a585a00', 'hex');
const FOOTER_MAGIC = 'YZ';
const LZMA2 = 0x21;
/** Twice what `xz -9` makes. More would be memory that a file asks for and we have no use for. */
const MAX_WINDOW = 128 * 1024 * 1024;
const MAX_INDEX_RECORDS = 1_000_000;

export const isXz = (head: Uint8Array): boolean => MAGIC.equals(head.subarray(0, MAGIC.length));

/**
 * Decompresses all streams of an xz file as one.
 *
 *   header, (block header, chunks of LZMA2, padding, check)…, index, footer
 *
 * All checksums and sizes are compared. A block is given out as it is decoded: a wrong check is found at its end.
 */
export async function* unxz(
  chunks: AsyncIterable<Uint8Array>,
  limits?: UnfoldLimits,
): AsyncGenerator<Buffer> {
  const source = streamSource(chunks);
  const meter = createUnfoldMeter(limits);
  try {
    for (let head = await source.read(12); head.length > 0; head = await nextStream(source)) {
      const flags = streamFlags(head);
      const records: BlockRecord[] = [];
      for (;;) {
        const size = (await exactly(source, 1))[0] ?? 0;
        if (size === 0) break;
        yield* readBlock(source, size, { checkType: flags[1] ?? 0, meter, records });
      }
      await readIndex(source, records, flags);
    }
  } finally {
    await source.close();
  }
}

/** The header of a further stream, with the zeros that may pad it stepped over. */
async function nextStream(source: ByteSource): Promise<Buffer> {
  for (;;) {
    const start = await source.read(4);
    if (start.length === 0) return start;
    if (start.length < 4) throw damaged('bytes behind the end');
    if (start.readUInt32LE() !== 0) return Buffer.concat([start, await source.read(8)]);
  }
}

function streamFlags(head: Buffer): Buffer {
  if (head.length < 12) throw cut();
  const flags = head.subarray(6, 8);
  if (!isXz(head) || crc32(flags) !== head.readUInt32LE(8)) throw damaged('no xz header');
  if (flags[0] !== 0 || (flags[1] ?? 0) > 15) throw damaged('unknown flags');
  return flags;
}

interface BlockRecord {
  readonly unpadded: number;
  readonly unpacked: number;
}

interface BlockOptions {
  readonly checkType: number;
  readonly meter: UnfoldMeter;
  readonly records: BlockRecord[];
}

async function* readBlock(
  source: ByteSource,
  size: number,
  { checkType, meter, records }: BlockOptions,
): AsyncGenerator<Buffer> {
  const start = source.position - 1;
  const header = blockHeader(Buffer.concat([Buffer.of(size), await exactly(source, size * 4 + 3)]));
  const check = createCheck(checkType);
  const from = source.position;
  let unpacked = 0;
  let counted = start;
  for await (const part of lzma2(source, header.window)) {
    meter.input(source.position - counted);
    counted = source.position;
    unpacked += part.length;
    meter.output(part.length);
    check.update(part);
    yield part;
  }
  const packed = source.position - from;
  await padding(source, packed);
  const found = await exactly(source, checkSize(checkType));
  if (!check.digest().equals(found)) throw damaged('the checksum of a block is wrong');
  if ((header.packed ?? packed) !== packed || (header.unpacked ?? unpacked) !== unpacked)
    throw damaged('a block is not as long as it says');
  if (records.length >= MAX_INDEX_RECORDS)
    throw new ArchiveError('refused', 'it has too many blocks');
  records.push({ unpadded: from - start + packed + found.length, unpacked });
}

/** Checks are as long as their type says, those we do not know among them. */
const checkSize = (type: number): number =>
  [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64][type] ?? 0;

interface BlockHeader {
  readonly window: number;
  readonly packed?: number | undefined;
  readonly unpacked?: number | undefined;
}

function blockHeader(bytes: Buffer): BlockHeader {
  const body = bytes.subarray(0, -4);
  if (crc32(body) !== bytes.readUInt32LE(body.length)) throw damaged('a block header is wrong');
  const flags = body[1] ?? 0;
  const read = numbersIn(body, 2);
  const packed = flags & 0x40 ? read() : undefined;
  const unpacked = flags & 0x80 ? read() : undefined;
  const [filter, length, dictionary] = [read(), read(), read()];
  if ((flags & 0x3f) !== 0 || filter !== LZMA2 || length !== 1)
    throw damaged('packed with a filter that is not for text');
  return { window: windowSize(dictionary), packed, unpacked };
}

function windowSize(dictionary: number): number {
  if (dictionary > 40) throw damaged('impossible properties');
  const size = (2 | (dictionary & 1)) * 2 ** ((dictionary >> 1) + 11);
  if (size > MAX_WINDOW)
    throw damaged(`it wants a window of ${size} bytes, at most ${MAX_WINDOW} are given`);
  return size;
}

/** Numbers of seven bits per byte, the lowest first. */
function numbersIn(bytes: Buffer, start: number): () => number {
  let at = start;
  return () => {
    let value = 0;
    for (let place = 0; place < 7; place += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw damaged('a number that ends early');
      at += 1;
      value += (byte & 0x7f) * 2 ** (7 * place);
      if (byte < 0x80) return value;
    }
    throw damaged('an impossible number');
  };
}

/** Chunks, each at most 64 KiB packed and 2 MiB unpacked, until a zero. */
async function* lzma2(source: ByteSource, size: number): AsyncGenerator<Buffer> {
  const window = new Window(size);
  const decoder = new LzmaDecoder(window);
  let [isBegun, hasProperties] = [false, false];
  for (;;) {
    const [control = 0] = await exactly(source, 1);
    if (control === 0) return;
    if (control === 1 || control >= 0xe0) {
      window.reset();
      decoder.restart();
      [isBegun, hasProperties] = [true, false];
    }
    hasProperties ||= control >= 0xc0;
    const isPacked = control >= 0x80;
    if (!isBegun || (isPacked && !hasProperties) || (!isPacked && control > 2))
      throw damaged('a chunk without its beginning');
    const length = isPacked
      ? await packedChunk(source, control, decoder)
      : await plainChunk(source, window, decoder);
    yield Buffer.from(window.bytes.subarray(window.at - length, window.at));
    // Decoding takes long and waits for nothing: signals are heard only in between.
    await turn();
  }
}

async function packedChunk(
  source: ByteSource,
  control: number,
  decoder: LzmaDecoder,
): Promise<number> {
  const sizes = await exactly(source, 4);
  const length = ((control & 0x1f) << 16) + sizes.readUInt16BE(0) + 1;
  if (control >= 0xc0) decoder.setProperties((await exactly(source, 1))[0] ?? 0);
  if (control >= 0xa0) decoder.resetState();
  decoder.decode(await exactly(source, sizes.readUInt16BE(2) + 1), length);
  return length;
}

async function plainChunk(
  source: ByteSource,
  window: Window,
  decoder: LzmaDecoder,
): Promise<number> {
  const bytes = await exactly(source, (await exactly(source, 2)).readUInt16BE(0) + 1);
  window.append(bytes);
  decoder.skip(bytes.length);
  return bytes.length;
}

/** The index repeats the sizes of all blocks, so it is known before it is read. */
async function readIndex(
  source: ByteSource,
  records: readonly BlockRecord[],
  flags: Buffer,
): Promise<void> {
  const body = [
    records.length,
    ...records.flatMap(({ unpadded, unpacked }) => [unpadded, unpacked]),
  ];
  const plain = Buffer.from([0, ...body.flatMap(numberBytes)]);
  const index = Buffer.concat([plain], plain.length + paddingOf(plain.length));
  const footer = Buffer.alloc(6);
  footer.writeUInt32LE(index.length / 4);
  flags.copy(footer, 4);
  const expected = Buffer.concat([
    index.subarray(1),
    checksum(index),
    checksum(footer),
    footer,
    Buffer.from(FOOTER_MAGIC),
  ]);
  if (!expected.equals(await exactly(source, expected.length)))
    throw damaged('its index does not tell what it holds');
}

function numberBytes(value: number): number[] {
  if (value < 0x80) return [value];
  return [(value % 0x80) + 0x80, ...numberBytes(Math.floor(value / 0x80))];
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(bytes));
  return sum;
}

const paddingOf = (length: number): number => (4 - (length % 4)) % 4;

async function padding(source: ByteSource, length: number): Promise<void> {
  const zeros = await exactly(source, paddingOf(length));
  if (zeros.some((byte) => byte !== 0)) throw damaged('its padding is not empty');
}

interface Check {
  update(bytes: Buffer): void;
  digest(): Buffer;
}

/** Types are as in the header: none, CRC-32, CRC-64, SHA-256. */
function createCheck(type: number): Check {
  if (type === 0) return { update: () => undefined, digest: () => Buffer.alloc(0) };
  if (type === 1) return crc32Check();
  if (type === 4) return crc64Check();
  if (type !== 10) throw damaged(`a check of the unknown type ${type}`);
  const hash = createHash('sha256');
  return { update: (bytes) => void hash.update(bytes), digest: () => hash.digest() };
}

function crc32Check(): Check {
  let sum = 0;
  return {
    update: (bytes) => {
      sum = crc32(bytes, sum);
    },
    digest: () => {
      const found = Buffer.alloc(4);
      found.writeUInt32LE(sum);
      return found;
    },
  };
}

/** CRC-64 of ECMA-182, the lowest bit first, in two halves. */
function crc64Check(): Check {
  let [high, low] = [0xffffffff, 0xffffffff];
  return {
    update: (bytes) => {
      for (let at = 0; at < bytes.length; at += 1) {
        const index = (low ^ (bytes[at] ?? 0)) & 0xff;
        low = ((low >>> 8) | (high << 24)) ^ (CRC64_LOW[index] ?? 0);
        high = (high >>> 8) ^ (CRC64_HIGH[index] ?? 0);
      }
    },
    digest: () => {
      const found = Buffer.alloc(8);
      found.writeUInt32LE(~low >>> 0, 0);
      found.writeUInt32LE(~high >>> 0, 4);
      return found;
    },
  };
}

const CRC64 = Array.from({ length: 256 }, (_, byte) => {
  let crc = BigInt(byte);
  for (let bit = 0; bit < 8; bit += 1) crc = (crc >> 1n) ^ (crc & 1n ? 0xc96c5795d7870f42n : 0n);
  return crc;
});
const CRC64_LOW = Uint32Array.from(CRC64, (crc) => Number(crc & 0xffffffffn));
const CRC64_HIGH = Uint32Array.from(CRC64, (crc) => Number(crc >> 32n));
