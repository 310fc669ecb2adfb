import { setImmediate as turn } from 'node:timers/promises';
import { Decompress } from 'fzstd';
import { messageOf } from '../errors.ts';
import { cut, damaged } from './archive-error.ts';
import { type ByteSource, exactly, streamSource } from './byte-source.ts';
import { createUnfoldMeter, type UnfoldLimits, type UnfoldMeter } from './unfold-meter.ts';
import { createXxh64 } from './xxh64.ts';

const MAGIC = 0xfd2fb528;
/** Frames a reader steps over: 0x184D2A50 to 0x184D2A5F. */
const SKIPPABLE_MAGIC = 0x184d2a5;
const MAX_BLOCK = 128 * 1024;
const RUN_LENGTH_BLOCK = 1;
const BLOCKS_A_TURN = 16;

export function isZstd(head: Uint8Array): boolean {
  if (head.length < 4) return false;
  const magic = Buffer.from(head.subarray(0, 4)).readUInt32LE();
  return magic === MAGIC || magic >>> 4 === SKIPPABLE_MAGIC;
}

/**
 * Decompresses all frames as one stream, block by block, and compares the checksums of those that have one. What is
 * wrong with it is an `ArchiveError`, after what came before.
 */
export async function* unzstd(
  chunks: AsyncIterable<Uint8Array>,
  limits?: UnfoldLimits,
): AsyncGenerator<Buffer> {
  const source = streamSource(chunks);
  const meter = createUnfoldMeter(limits);
  try {
    for (let head = await source.read(4); head.length > 0; head = await source.read(4)) {
      if (head.length < 4) throw cut();
      const magic = head.readUInt32LE();
      if (magic >>> 4 === SKIPPABLE_MAGIC) await skipFrame(source);
      else if (magic === MAGIC) yield* readFrame(source, head, meter);
      else throw damaged('no zstd frame');
    }
  } finally {
    await source.close();
  }
}

async function skipFrame(source: ByteSource): Promise<void> {
  const size = (await exactly(source, 4)).readUInt32LE();
  if ((await source.skip(size)) < size) throw cut();
}

async function* readFrame(
  source: ByteSource,
  magic: Buffer,
  meter: UnfoldMeter,
): AsyncGenerator<Buffer> {
  const ready: Buffer[] = [];
  // The decoder uses its buffers again.
  const decoder = new Decompress((data) => data.length > 0 && ready.push(Buffer.from(data)));
  const hash = createXxh64();
  function* decoded(bytes: Buffer, isLast: boolean): Generator<Buffer> {
    meter.input(bytes.length);
    push(decoder, bytes, isLast);
    for (const part of ready.splice(0)) {
      meter.output(part.length);
      hash.update(part);
      yield part;
    }
  }
  const header = await readHeader(source);
  yield* decoded(Buffer.concat([magic, header.bytes]), false);
  for (let count = 1; ; count += 1) {
    const block = await readBlock(source);
    const check = block.isLast && header.hasCheck ? await exactly(source, 4) : Buffer.alloc(0);
    yield* decoded(Buffer.concat([block.bytes, check]), block.isLast);
    if (check.length > 0 && check.readUInt32LE() !== Number(hash.digest() & 0xffffffffn))
      throw damaged('its checksum does not fit');
    if (block.isLast) return;
    if (count % BLOCKS_A_TURN === 0) await turn();
  }
}

/** How long the header is, its first byte says. */
async function readHeader(source: ByteSource) {
  const first = await exactly(source, 1);
  const flags = first[0] ?? 0;
  const isSingle = (flags >> 5) & 1;
  const sizeBytes = flags >> 6 === 0 ? isSingle : 1 << (flags >> 6);
  const dictionaryBytes = (flags & 3) === 3 ? 4 : flags & 3;
  const rest = await exactly(source, 1 - isSingle + dictionaryBytes + sizeBytes);
  return { bytes: Buffer.concat([first, rest]), hasCheck: (flags & 4) !== 0 };
}

async function readBlock(source: ByteSource) {
  const head = await exactly(source, 3);
  const fields = head.readUIntLE(0, 3);
  const size = fields >> 3;
  if (size > MAX_BLOCK) throw damaged('a block is too large');
  const length = ((fields >> 1) & 3) === RUN_LENGTH_BLOCK ? 1 : size;
  const bytes = Buffer.concat([head, await exactly(source, length)]);
  return { bytes, isLast: (fields & 1) === 1 };
}

function push(decoder: Decompress, bytes: Buffer, isLast: boolean): void {
  try {
    decoder.push(bytes, isLast);
  } catch (error) {
    throw damaged(messageOf(error));
  }
}
