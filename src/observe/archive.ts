import { asBuffer, type ByteReader, byteReader } from './byte-reader.ts';
import { type ArchiveLimits, DEFAULT_LIMITS, refuseArchive } from './limits.ts';

/**
 * Reads a tar archive as a stream. Nothing is ever unpacked to disk, so a path that climbs out or a
 * link has nothing to aim at; such entries are still skipped and reported, because their names are lies.
 *
 *   512-byte header, content padded to 512, …, two blocks of zeros
 */
export interface ArchiveEntry {
  /** Clean relative path: no `..`, no leading slash. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modified: Date;
  /** To be consumed before the next entry is asked for; what is left over is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

export interface TarOptions {
  readonly name: string;
  readonly limits?: ArchiveLimits;
  /** An entry that was not read, or the end of the archive that was not there. */
  readonly onProblem: (path: string, reason: string) => void;
}

const BLOCK = 512;
/** Long names and extended headers are kept in memory; real ones are a few hundred bytes. */
const MAX_META_BYTES = 64 * 1024;
const REGULAR = new Set(['0', '\0', '7']);
const LINKS: Readonly<Record<string, string>> = { 1: 'a hard link', 2: 'a symbolic link' };
const IGNORED = new Set(['5', 'g', 'V']);

interface Header {
  readonly path: string;
  readonly type: string;
  readonly size: number;
  readonly modified: Date;
}

export async function* readTar(
  chunks: AsyncIterable<Uint8Array>,
  options: TarOptions,
): AsyncGenerator<ArchiveEntry> {
  const reader = byteReader(chunks);
  const limits = options.limits ?? DEFAULT_LIMITS;
  let entries = 0;
  let bytes = 0;

  for await (const header of headers(reader, options)) {
    entries += 1;
    bytes += header.size;
    if (entries > limits.maxEntries) {
      throw refuseArchive(options.name, `it holds more than ${limits.maxEntries} entries`);
    }
    if (bytes > limits.maxBytes) {
      throw refuseArchive(options.name, `it holds more than ${limits.maxBytes} bytes`);
    }
    yield* readEntry(reader, header, options, limits);
  }
}

async function* readEntry(
  reader: ByteReader,
  header: Header,
  options: TarOptions,
  limits: ArchiveLimits,
): AsyncGenerator<ArchiveEntry> {
  const body = countedBody(reader, header.size);
  const problem = IGNORED.has(header.type) ? undefined : problemOf(header, limits);
  if (problem) options.onProblem(displayPath(header.path), problem);
  else if (!IGNORED.has(header.type)) {
    const { size: sizeBytes, modified } = header;
    yield { path: cleanPath(header.path), sizeBytes, modified, content: body.content };
  }
  if (!(await body.finish())) options.onProblem(displayPath(header.path), 'the archive ends in it');
}

function problemOf(header: Header, limits: ArchiveLimits): string | undefined {
  if (Buffer.byteLength(header.path) > limits.maxPathBytes) return 'its path is too long';
  if (/\p{Cc}/u.test(header.path)) return 'its path holds a control character';
  if (header.path.startsWith('/')) return 'its path is absolute';
  if (header.path.split(/[\\/]/).includes('..')) return 'its path climbs out of the archive';
  if (LINKS[header.type]) return `it is ${LINKS[header.type]}`;
  if (!REGULAR.has(header.type)) return `it is not a regular file (type "${header.type}")`;
  return undefined;
}

const cleanPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

const displayPath = (path: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names in hostile archives may hold them.
  path.slice(0, 200).replace(/[\x00-\x1f\x7f]/g, '?');

/** The content of one entry, and a way to get to its end whatever the consumer did with it. */
function countedBody(reader: ByteReader, size: number) {
  let left = size;
  async function* content(): AsyncGenerator<Buffer> {
    while (left > 0) {
      let came = 0;
      for await (const part of reader.stream(Math.min(left, 1024 * 1024))) {
        came += part.length;
        left -= part.length;
        yield part;
      }
      if (came === 0) return;
    }
  }
  async function finish(): Promise<boolean> {
    for await (const part of reader.stream(left)) left -= part.length;
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    await reader.read(padding);
    return left === 0;
  }
  return { content: content(), finish };
}

/** The headers that stand for an entry, with long names and sizes from extended ones applied. */
async function* headers(reader: ByteReader, options: TarOptions): AsyncGenerator<Header> {
  let extended: Readonly<Record<string, string>> = {};
  for (;;) {
    const block = await reader.read(BLOCK);
    if (block.length < BLOCK) {
      options.onProblem('', 'the archive ends without its end marker');
      return;
    }
    if (block.every((byte) => byte === 0)) return;
    if (!checksumFits(block)) {
      options.onProblem('', 'a header of the archive is damaged; the rest was not read');
      return;
    }
    const header = parseHeader(block, options.name);
    if ('xLK'.includes(header.type)) {
      extended = { ...extended, ...(await readExtended(reader, header, options.name)) };
      continue;
    }
    yield applyExtended(header, extended, options.name);
    extended = {};
  }
}

function applyExtended(
  header: Header,
  extended: Readonly<Record<string, string>>,
  name: string,
): Header {
  const size = extended.size === undefined ? header.size : Number(extended.size);
  if (!Number.isSafeInteger(size) || size < 0) throw refuseArchive(name, 'an entry has no size');
  return { ...header, path: extended.path ?? header.path, size };
}

async function readExtended(
  reader: ByteReader,
  header: Header,
  name: string,
): Promise<Record<string, string>> {
  if (header.size > MAX_META_BYTES) {
    throw refuseArchive(name, `an extended header has ${header.size} bytes`);
  }
  const bytes = await reader.read(header.size);
  await reader.read((BLOCK - (header.size % BLOCK)) % BLOCK);
  if (header.type === 'L') return { path: untilNul(bytes) };
  return header.type === 'x' ? paxRecords(bytes) : {};
}

/** Records of the form `LENGTH KEY=VALUE\n`, where the length counts all of it. */
function paxRecords(bytes: Buffer): Record<string, string> {
  const records: Record<string, string> = {};
  for (let at = 0; at < bytes.length; ) {
    const length = Number.parseInt(bytes.subarray(at, at + 12).toString('latin1'), 10);
    if (!(length > 0)) break;
    const record = bytes.subarray(at, at + length).toString('utf8');
    const [, key, value] = /^\d+ (path|size)=([\s\S]*)\n$/.exec(record) ?? [];
    if (key !== undefined) records[key] = value ?? '';
    at += length;
  }
  return records;
}

/** Whether these first 512 bytes are the header of a tar archive. */
export function isTar(head: Uint8Array): boolean {
  const block = asBuffer(head).subarray(0, BLOCK);
  return block.length === BLOCK && block[0] !== 0 && checksumFits(block);
}

function parseHeader(block: Buffer, name: string): Header {
  const prefix =
    block.subarray(257, 262).toString('latin1') === 'ustar' ? field(block, 345, 155) : '';
  const path = field(block, 0, 100);
  const size = numberField(block, 124, 12);
  if (!Number.isSafeInteger(size) || size < 0) throw refuseArchive(name, 'an entry has no size');
  return {
    path: prefix ? `${prefix}/${path}` : path,
    type: String.fromCharCode(block[156] ?? 0),
    size,
    modified: dateOf(numberField(block, 136, 12)),
  };
}

/** The beginning of time for what is none. */
function dateOf(seconds: number): Date {
  const at = new Date(Math.max(0, seconds) * 1000);
  return Number.isNaN(at.getTime()) ? new Date(0) : at;
}

function checksumFits(block: Buffer): boolean {
  let sum = 8 * 32;
  for (let at = 0; at < BLOCK; at += 1) sum += at >= 148 && at < 156 ? 0 : (block[at] ?? 0);
  return numberField(block, 148, 8) === sum;
}

const untilNul = (bytes: Buffer): string => {
  const end = bytes.indexOf(0);
  return (end < 0 ? bytes : bytes.subarray(0, end)).toString('utf8');
};

const field = (block: Buffer, start: number, length: number): string =>
  untilNul(block.subarray(start, start + length));

/** Octal text, or base 256 when the first bit is set. */
function numberField(block: Buffer, start: number, length: number): number {
  const first = block[start] ?? 0;
  if (first === 0x80) return Number(block.readBigUInt64BE(start + length - 8));
  const text = field(block, start, length).trim();
  return text === '' ? 0 : Number.parseInt(text, 8);
}
