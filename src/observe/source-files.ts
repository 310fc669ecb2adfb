import { createReadStream } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { asBuffer } from '../core/archive/byte-source.ts';
import { isGzip } from '../core/archive/gunzip.ts';
import { isTar } from '../core/archive/tar-header.ts';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { unreadable } from '../core/files.ts';
import { archiveFiles, unzipped } from './archive.ts';
import type { ArchiveLimits } from './limits.ts';

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

const READ_BYTES = 1024 * 1024;

/**
 * All files under these paths: directories are walked in order of names, archives are read as streams,
 * compressed files are opened. Links are never followed and nothing is unpacked.
 */
export async function* sourceFiles(
  ctx: Context,
  paths: readonly string[],
  options: SourceOptions,
): AsyncGenerator<SourceFile> {
  for (const path of paths) {
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
    yield* open({ name, path, modified, content: stream }, options, { gzip: 1, tar: 1 });
  } finally {
    stream.destroy();
  }
}

/** How deep things may still be folded into each other: `.tar.gz` with `.gz` files inside is real. */
interface Depth {
  readonly gzip: number;
  readonly tar: number;
}

/** Looks at the first bytes and unfolds what is compressed or archived. */
async function* open(
  file: SourceFile,
  options: SourceOptions,
  depth: Depth,
): AsyncGenerator<SourceFile> {
  const { head, content } = await peek(file.content);
  if (isGzip(head) && depth.gzip > 0) {
    const plain = unzipped(content, {
      name: file.name,
      limits: options.limits,
      onProblem: (_path, reason) => options.onUnread({ path: file.name, reason }),
    });
    const path = file.path.replace(/\.gz$/, '');
    yield* open({ ...file, path, content: plain }, options, { ...depth, gzip: depth.gzip - 1 });
  } else if (isTar(head)) {
    if (depth.tar > 0) yield* openTar({ ...file, content }, options);
    else options.onUnread({ path: file.name, reason: 'an archive inside an archive, not opened' });
  } else if (compressionOf(head)) {
    const reason = `compressed with ${compressionOf(head)}, which cannot be read here`;
    options.onUnread({ path: file.name, reason });
  } else yield { ...file, content };
}

async function* openTar(file: SourceFile, options: SourceOptions): AsyncGenerator<SourceFile> {
  const entries = archiveFiles(file.content, {
    name: file.name,
    limits: options.limits,
    onProblem: (path, reason) => options.onUnread({ path: `${file.name}!${path}`, reason }),
  });
  for await (const { path, modified, content } of entries) {
    yield* open({ name: `${file.name}!${path}`, path, modified, content }, options, {
      gzip: 1,
      tar: 0,
    });
  }
}

function compressionOf(head: Buffer): string | undefined {
  const magic = head.subarray(0, 6).toString('hex');
  if (magic.startsWith('1f8b')) return 'gzip more than once';
  if (magic.startsWith('28b52ffd')) return 'zstd';
  if (magic.startsWith('fd377a585a00')) return 'xz';
  if (magic.startsWith('425a68')) return 'bzip2';
  if (magic.startsWith('504b0304')) return 'zip';
  return undefined;
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
