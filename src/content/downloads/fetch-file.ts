import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { sha256OfFile } from '../../core/file-sum.ts';
import { unreadable, unwritable } from '../../core/files.ts';
import { retry } from '../../core/retry.ts';
import { writeAll } from '../../core/write-all.ts';
import type { Web } from '../../http/web.ts';
import type { Digest } from '../../oci/digest.ts';
import type { CarriedFile } from './artifact.ts';

/** What a file has to be, and who says so. */
export interface KnownSum {
  readonly sha256: string;
  readonly by: string;
}

export interface Fetching {
  readonly web: Web;
  /** Where downloads are kept: what is there and right is not fetched again. */
  readonly folder: string;
}

export interface WantedFile {
  readonly path: string;
  readonly url: string;
  readonly sum: KnownSum | undefined;
}

/** A file by its URL, on this machine. A download that was cut goes on where it was. */
export async function fetchFile(
  ctx: Context,
  { web, folder }: Fetching,
  { path, url, sum }: WantedFile,
): Promise<CarriedFile> {
  if (url.startsWith('file:')) {
    const local = await localFile(ctx, fileURLToPath(url), path, url);
    if (sum && local.digest !== `sha256:${sum.sha256}`) throw otherBytes(url, sum, local.digest);
    return sum ? { ...local, verifiedBy: sum.by } : local;
  }
  const name = createHash('sha256').update(url).digest('hex').slice(0, 24);
  const file = join(folder, `${name}-${basename(new URL(url).pathname)}`);
  const verifiedBy = sum?.by ?? 'TLS alone';
  const known = sum && (await localFile(ctx, file, path, url).catch(() => undefined));
  if (known && known.digest === `sha256:${sum.sha256}`) return { ...known, verifiedBy };
  await mkdir(folder, { recursive: true });
  const partial = `${file}.partial`;
  const found = await downloaded(ctx, web, url, partial, path, sum);
  if (sum && found.digest !== `sha256:${sum.sha256}`) {
    await rm(partial, { force: true });
    throw otherBytes(url, sum, found.digest);
  }
  await rename(partial, file);
  return { ...found, file, verifiedBy };
}

/** Goes on where an earlier run was cut only if a sum tells whether the two halves belong together. */
async function downloaded(
  ctx: Context,
  web: Web,
  url: string,
  partial: string,
  path: string,
  sum: KnownSum | undefined,
): Promise<CarriedFile> {
  const before = await stat(partial).catch(() => undefined);
  if (!sum) await rm(partial, { force: true });
  await download(ctx, web, url, partial);
  const found = await localFile(ctx, partial, path, url);
  if (!sum || !before || found.digest === `sha256:${sum.sha256}`) return found;
  await rm(partial, { force: true });
  await download(ctx, web, url, partial);
  return await localFile(ctx, partial, path, url);
}

async function download(ctx: Context, web: Web, url: string, path: string): Promise<void> {
  await retry(ctx, { operation: `fetch ${basename(path)}` }, async () => {
    const file = await openOrMake(path);
    try {
      const { size } = await file.stat();
      let at = size;
      const begin = (offset: number) => {
        at = offset;
      };
      const sink = async (chunk: Uint8Array) => {
        await writeAll(file, [chunk], at);
        at += chunk.length;
      };
      if (!(await web.download(ctx, url, { offset: size, begin, sink }))) throw missing(url);
      await file.truncate(at);
      await file.sync();
    } catch (error) {
      throw unwritable(path, error);
    } finally {
      await file.close();
    }
  });
}

/** Never cut: what is there is gone on with. */
async function openOrMake(path: string): Promise<FileHandle> {
  await (await open(path, 'a')).close();
  return await open(path, 'r+');
}

/** Digest and size of a file that is here. */
export async function localFile(
  ctx: Context,
  file: string,
  path: string,
  origin: string,
): Promise<CarriedFile> {
  try {
    const digest = `sha256:${await sha256OfFile(file, ctx.signal)}` as Digest;
    const { size } = await stat(file);
    return { path, file, digest, size, origin, verifiedBy: 'this machine' };
  } catch (error) {
    ctx.signal.throwIfAborted();
    throw unreadable(file, error);
  }
}

function otherBytes(url: string, { sha256, by }: KnownSum, found: string): AtollError {
  return new AtollError(
    'CONTENT_MISMATCH',
    `Cannot take ${url}: found ${found}, but ${by} says sha256:${sha256}`,
    {
      hint: 'Nothing of it was kept. If the file was replaced upstream on purpose, correct the sum',
    },
  );
}

export function missing(url: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot fetch ${url}: there is nothing`, {
    hint: 'Check the address and the version',
  });
}
