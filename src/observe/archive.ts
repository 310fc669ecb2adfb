import { ArchiveError } from '../core/archive/archive-error.ts';
import { bunzip2, isBzip2 } from '../core/archive/bunzip2.ts';
import { streamSource } from '../core/archive/byte-source.ts';
import { gunzip, isGzip } from '../core/archive/gunzip.ts';
import { readTar } from '../core/archive/read-tar.ts';
import { readZip, type ZipEntry } from '../core/archive/read-zip.ts';
import type { UnfoldLimits } from '../core/archive/unfold-meter.ts';
import { isXz, unxz } from '../core/archive/unxz.ts';
import { isZstd, unzstd } from '../core/archive/unzstd.ts';
import { type ArchiveLimits, DEFAULT_LIMITS, refuseArchive } from './limits.ts';

export interface ArchiveEntry {
  /** Clean relative path: no `..`, no leading slash. */
  readonly path: string;
  readonly modified: Date;
  /** To be consumed before the next entry is asked for; what is left over is skipped. */
  readonly content: AsyncIterable<Buffer>;
}

export type ArchiveFormat = 'tar' | 'zip';

export interface ArchiveOptions {
  readonly name: string;
  readonly limits?: ArchiveLimits | undefined;
  /** An entry that was not read, or the end of the archive that was not there. */
  readonly onProblem: (path: string, reason: string) => void;
}

/**
 * The regular files of an archive. Nothing is ever unpacked to disk, so a path that climbs out or a
 * link has nothing to aim at; such entries are still skipped and reported, because their names are lies.
 */
export async function* archiveFiles(
  chunks: AsyncIterable<Uint8Array>,
  options: ArchiveOptions,
  format: ArchiveFormat = 'tar',
): AsyncGenerator<ArchiveEntry> {
  const limits = options.limits ?? DEFAULT_LIMITS;
  const entries =
    format === 'zip' ? readZip(chunks, limits) : readTar(streamSource(chunks), limits);
  yield* reporting(options, async function* () {
    for await (const entry of entries) {
      const problem = problemOf(entry, limits);
      if (problem) options.onProblem(displayPath(entry.path), problem);
      else if (entry.type === 'file') yield fileOf(entry);
    }
  });
}

/** A way a single stream is packed. */
export interface PackedForm {
  readonly is: (head: Uint8Array) => boolean;
  readonly suffix: RegExp;
  readonly unpack: (
    chunks: AsyncIterable<Uint8Array>,
    limits?: UnfoldLimits,
  ) => AsyncGenerator<Buffer>;
}

export const PACKED_FORMS: readonly PackedForm[] = [
  { is: isGzip, suffix: /\.gz$/, unpack: gunzip },
  { is: isXz, suffix: /\.xz$/, unpack: unxz },
  { is: isBzip2, suffix: /\.bz2$/, unpack: bunzip2 },
  { is: isZstd, suffix: /\.zstd?$/, unpack: unzstd },
];

/** Decompresses as a stream. Damaged input yields all that can be had and is reported. */
export async function* unzipped(
  chunks: AsyncIterable<Uint8Array>,
  options: ArchiveOptions,
  { unpack }: PackedForm,
): AsyncGenerator<Buffer> {
  yield* reporting(options, () => unpack(chunks, options.limits ?? DEFAULT_LIMITS));
}

/** What came before a damage is worth having; what goes beyond the limits is refused. */
async function* reporting<T>(
  { name, onProblem }: ArchiveOptions,
  work: () => AsyncGenerator<T>,
): AsyncGenerator<T> {
  try {
    yield* work();
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.kind === 'refused') throw refuseArchive(name, error.message);
    onProblem(displayPath(error.entry), reasonOf(error));
  }
}

function reasonOf({ kind, entry, message }: ArchiveError): string {
  if (kind === 'cut' && entry !== '') return 'the archive ends in it';
  return kind === 'damaged' ? `${message}; the rest was not read` : message;
}

/** A cut content ends here; the archive itself tells of it when the next entry is asked for. */
function fileOf({ path, modified, content }: ZipEntry): ArchiveEntry {
  async function* whole(): AsyncGenerator<Buffer> {
    try {
      yield* content;
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
    }
  }
  return { path: cleanPath(path), modified, content: whole() };
}

function problemOf(entry: ZipEntry, { maxPathBytes }: ArchiveLimits): string | undefined {
  const { path, type, flag } = entry;
  if (type === 'directory') return undefined;
  if (Buffer.byteLength(path) > maxPathBytes) return 'its path is too long';
  if (/\p{Cc}/u.test(path)) return 'its path holds a control character';
  if (path.startsWith('/')) return 'its path is absolute';
  if (path.split(/[\\/]/).includes('..')) return 'its path climbs out of the archive';
  if (type === 'hardlink') return 'it is a hard link';
  if (type === 'symlink') return 'it is a symbolic link';
  return type === 'file' ? undefined : `it is not a regular file (type "${flag}")`;
}

const cleanPath = (path: string): string =>
  path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');

const displayPath = (path: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: names in hostile archives may hold them.
  path.slice(0, 200).replace(/[\x00-\x1f\x7f]/g, '?');
