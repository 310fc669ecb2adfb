import { ArchiveError } from './archive-error.ts';
import type { ByteSource } from './byte-source.ts';
import {
  extendedHeader,
  extensionIn,
  parseTarHeader,
  TAR_BLOCK,
  type TarExtension,
  type TarHeader,
} from './tar-header.ts';

/** One entry of a tar archive. Paths are as written: it is for the reader to refuse those that climb out. */
export interface TarEntry extends TarHeader {
  /** Where its content begins in the archive. */
  readonly offset: number;
  /** To be consumed before the next entry is asked for; what is left over is stepped over. */
  readonly content: AsyncIterable<Buffer>;
}

export interface TarOptions {
  readonly maxEntries?: number | undefined;
  /** Of all content. */
  readonly maxBytes?: number | undefined;
  /** Whether an archive may end without the zeros that mark its end, as some layers do. */
  readonly endless?: boolean | undefined;
  /** Reads on after the end: for a source that is verified once it was read to its last byte. */
  readonly drain?: boolean | undefined;
}

/** Long names and extended headers are kept in memory; real ones are a few hundred bytes. */
const MAX_META_BYTES = 1024 ** 2;

/**
 * Reads a tar archive (ustar, pax, GNU) entry by entry, and keeps none of it.
 *
 *   512-byte header, content padded to 512, …, two blocks of zeros
 *
 * What is wrong with it is an `ArchiveError`, after all that came before; the source is closed at the end.
 */
export async function* readTar(
  source: ByteSource,
  options: TarOptions = {},
): AsyncGenerator<TarEntry> {
  const within = limiter(options);
  try {
    for (;;) {
      const header = await nextHeader(source, options.endless ?? false);
      if (header === undefined) break;
      if (header.type === 'label') {
        await contentOf(source, header).finish();
        continue;
      }
      within(header);
      const { chunks, finish } = contentOf(source, header);
      yield { ...header, offset: source.position, content: chunks };
      await finish();
    }
    if (options.drain) await source.skip(Infinity);
  } finally {
    await source.close();
  }
}

/** The next header that stands for an entry, with what extended ones before it say. */
async function nextHeader(source: ByteSource, endless: boolean): Promise<TarHeader | undefined> {
  let extension: TarExtension = {};
  for (;;) {
    const block = await source.read(TAR_BLOCK);
    if (block.length === 0 && endless) return undefined;
    if (block.length < TAR_BLOCK) throw new ArchiveError('cut', 'it has no end');
    const header = parseTarHeader(block, source.position - TAR_BLOCK);
    if (header === undefined) return undefined;
    if (!isExtension(header)) return extendedHeader(header, extension);
    extension = { ...extension, ...(await readExtension(source, header)) };
  }
}

const isExtension = ({ type }: TarHeader): boolean =>
  type === 'long-path' || type === 'long-link' || type === 'pax';

async function readExtension(source: ByteSource, header: TarHeader): Promise<TarExtension> {
  const { type, size } = header;
  if (size > MAX_META_BYTES) {
    throw new ArchiveError('refused', `an extended header has ${size} bytes`);
  }
  const bytes = await source.read(size);
  if (bytes.length < size) throw cutIn(header);
  await source.skip(paddingOf(size));
  return extensionIn(type, bytes);
}

/** The content of one entry, and a way to get to its end whatever the consumer did with it. */
function contentOf(source: ByteSource, header: TarHeader) {
  let left = header.size;
  async function* chunks(): AsyncGenerator<Buffer> {
    while (left > 0) {
      const part = await source.next(left);
      if (part === undefined) throw cutIn(header);
      left -= part.length;
      yield part;
    }
  }
  async function finish(): Promise<void> {
    if ((await source.skip(left)) < left) throw cutIn(header);
    await source.skip(paddingOf(header.size));
  }
  return { chunks: chunks(), finish };
}

const paddingOf = (size: number): number => (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;

function cutIn({ path }: TarHeader): ArchiveError {
  return new ArchiveError('cut', `it ends in the middle of ${path}`, path);
}

function limiter({ maxEntries = Infinity, maxBytes = Infinity }: TarOptions) {
  let entries = 0;
  let bytes = 0;
  return ({ size, path }: TarHeader): void => {
    entries += 1;
    bytes += size;
    if (entries > maxEntries) {
      throw new ArchiveError('refused', `it holds more than ${maxEntries} entries`, path);
    }
    if (bytes > maxBytes) {
      throw new ArchiveError('refused', `it holds more than ${maxBytes} bytes`, path);
    }
  };
}
