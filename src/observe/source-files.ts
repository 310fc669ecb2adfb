import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { asBuffer } from '../core/archive/byte-source.ts';
import { isZip } from '../core/archive/read-zip.ts';
import { isTar } from '../core/archive/tar-header.ts';
import { createUnfoldMeter } from '../core/archive/unfold-meter.ts';
import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import { unreadable } from '../core/files.ts';
import {
  type ArchiveFormat,
  type ArchiveOptions,
  archiveFiles,
  PACKED_FORMS,
  type PackedForm,
  unzipped,
} from './archive.ts';
import { type ArchiveLimits, DEFAULT_LIMITS, refuseArchive } from './limits.ts';

/** One file to look at, wherever it lies. Its content must be consumed before the next is asked for. */
export interface SourceFile {
  /** For people: `bundle.tar.gz!bootstrap/journals/crio.log`. */
  readonly name: string;
  /** Path inside the bundle or directory; for a single file its own path. */
  readonly path: string;
  readonly modified: Date;
  readonly content: AsyncIterable<Buffer>;
}

/** Something that was there and could not be looked at, or only in part. */
export interface UnreadEvidence {
  readonly path: string;
  readonly reason: string;
}

export interface SourceOptions {
  readonly limits?: ArchiveLimits;
  readonly onUnread: (unread: UnreadEvidence) => void;
}

/** Content that has no path, such as standard input. It is read again where no cause was found. */
export interface UnnamedContent {
  /** What findings call it. */
  readonly name: string;
  readonly modified: Date;
  open(): AsyncIterable<Uint8Array>;
}

/** What evidence is read from: mostly a path. */
export type EvidenceInput = string | UnnamedContent;

const READ_BYTES = 1024 * 1024;

/**
 * All files under these paths: directories are walked in order of names, archives are read as streams,
 * compressed files are opened. Links are never followed and nothing is unpacked.
 */
export async function* sourceFiles(
  ctx: Context,
  inputs: readonly EvidenceInput[],
  options: SourceOptions,
): AsyncGenerator<SourceFile> {
  for (const input of inputs) {
    if (typeof input !== 'string') {
      yield* openContent(input.open(), { ...input, path: input.name }, options);
      continue;
    }
    const path = input;
    const info = await stat(path).catch((cause) => {
      throw unreadable(path, cause);
    });
    if (info.isDirectory()) yield* walk(ctx, path, path, options);
    else if (!info.isFile()) throw noFile(path);
    else yield* openFile(ctx, path, path, info.mtime, options);
  }
}

async function* walk(
  ctx: Context,
  root: string,
  directory: string,
  options: SourceOptions,
): AsyncGenerator<SourceFile> {
  const names = (await readdir(directory)).toSorted();
  for (const name of names) {
    ctx.signal.throwIfAborted();
    const path = join(directory, name);
    const info = await lstat(path);
    if (info.isDirectory()) yield* walk(ctx, root, path, options);
    else if (info.isFile()) yield* openFile(ctx, path, relative(root, path), info.mtime, options);
    else if (info.isSymbolicLink()) options.onUnread({ path, reason: 'a link, not followed' });
    else options.onUnread({ path, reason: 'a pipe, socket or device, not read' });
  }
}

/** A pipe that nobody writes to would hold everything up, and most logs are looked at twice. */
function noFile(path: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read "${path}": found a pipe, socket or device`, {
    hint: 'Save it to a file first',
    details: { path },
  });
}

async function* openFile(
  ctx: Context,
  name: string,
  path: string,
  modified: Date,
  options: SourceOptions,
): AsyncGenerator<SourceFile> {
  const stream = createReadStream(name, { highWaterMark: READ_BYTES, signal: ctx.signal });
  try {
    yield* openContent(stream, { name, path, modified }, options);
  } finally {
    stream.destroy();
  }
}

async function* openContent(
  chunks: AsyncIterable<Uint8Array>,
  file: Omit<SourceFile, 'content'>,
  options: SourceOptions,
): AsyncGenerator<SourceFile> {
  const total = createUnfoldMeter(options.limits ?? DEFAULT_LIMITS);
  const content = counted(chunks, total.input, file.name);
  yield* open({ ...file, content }, options, {
    packed: MAX_PACKED,
    archives: MAX_ARCHIVES,
    unfolded: (inner) => counted(inner, total.output, file.name),
  });
}

async function* counted(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number) => void,
  name: string,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    try {
      count(chunk.length);
    } catch (error) {
      throw refuseArchive(name, messageOf(error));
    }
    yield asBuffer(chunk);
  }
}

/** How often a stream may be packed before it is an archive or text: `.gz` that was packed again is real. */
const MAX_PACKED = 2;
/** How deep archives may lie in each other: a must-gather in a zip in an attachment is real. */
const MAX_ARCHIVES = 3;

/** How deep things may still be folded into each other. */
interface Depth {
  readonly packed: number;
  readonly archives: number;
  /** Counts all that a file unfolds to: each layer alone may be modest, and all of them a bomb. */
  readonly unfolded: (content: AsyncIterable<Buffer>) => AsyncGenerator<Buffer>;
}

/** Looks at the first bytes and unfolds what is compressed or archived. */
async function* open(
  file: SourceFile,
  options: SourceOptions,
  depth: Depth,
): AsyncGenerator<SourceFile> {
  const { head, content } = await peek(file.content);
  const compression = PACKED_FORMS.find(({ is }) => is(head));
  const archive = isTar(head) ? 'tar' : isZip(head) ? 'zip' : undefined;
  const tooDeep = (found: string) =>
    options.onUnread({ path: file.name, reason: `${found}, not opened` });
  if (compression) {
    if (depth.packed > 0) yield* openPacked({ ...file, content }, compression, options, depth);
    else tooDeep(`compressed more than ${MAX_PACKED} times`);
  } else if (archive) {
    if (depth.archives > 0) yield* openArchive({ ...file, content }, archive, options, depth);
    else tooDeep(`an archive inside ${MAX_ARCHIVES} archives`);
  } else yield { ...file, content };
}

async function* openPacked(
  file: SourceFile,
  compression: PackedForm,
  options: SourceOptions,
  depth: Depth,
): AsyncGenerator<SourceFile> {
  const about: ArchiveOptions = {
    name: file.name,
    limits: options.limits,
    onProblem: (_path, reason) => options.onUnread({ path: file.name, reason }),
  };
  const content = depth.unfolded(unzipped(file.content, about, compression));
  const path = file.path.replace(compression.suffix, '');
  yield* open({ ...file, path, content }, options, { ...depth, packed: depth.packed - 1 });
}

async function* openArchive(
  file: SourceFile,
  format: ArchiveFormat,
  options: SourceOptions,
  depth: Depth,
): AsyncGenerator<SourceFile> {
  const about: ArchiveOptions = {
    name: file.name,
    limits: options.limits,
    onProblem: (path, reason) => options.onUnread({ path: `${file.name}!${path}`, reason }),
  };
  const inside = { ...depth, packed: MAX_PACKED, archives: depth.archives - 1 };
  for await (const entry of archiveFiles(file.content, about, format)) {
    const content = format === 'zip' ? depth.unfolded(entry.content) : entry.content;
    yield* open({ ...entry, name: `${file.name}!${entry.path}`, content }, options, inside);
  }
}

/** The first bytes, at least 512 where there are so many, and the whole content again. */
export async function peek(
  chunks: AsyncIterable<Uint8Array>,
): Promise<{ head: Buffer; content: AsyncGenerator<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 512) {
    const next = await iterator.next();
    if (next.done) break;
    head = head.length === 0 ? asBuffer(next.value) : Buffer.concat([head, next.value]);
  }
  async function* content(): AsyncGenerator<Buffer> {
    if (head.length > 0) yield head;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield asBuffer(next.value);
    }
  }
  return { head, content: content() };
}
