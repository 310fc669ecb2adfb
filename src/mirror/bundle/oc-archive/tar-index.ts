import { open } from 'node:fs/promises';
import { ArchiveError } from '../../../core/archive/archive-error.ts';
import { fileSource } from '../../../core/archive/byte-source.ts';
import { readTar, type TarEntry } from '../../../core/archive/read-tar.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';

/** Reads only the headers of a tar archive: which files are in it and where, without unpacking. */
export async function* tarEntries(ctx: Context, path: string): AsyncGenerator<TarEntry> {
  const file = await open(path, 'r');
  try {
    for await (const entry of readTar(await fileSource(file))) {
      ctx.signal.throwIfAborted();
      if (entry.type === 'file') yield entry;
    }
  } catch (error) {
    throw error instanceof ArchiveError ? damaged(path, error.message) : error;
  } finally {
    await file.close();
  }
}

function damaged(archive: string, found: string): AtollError {
  return new AtollError('BUNDLE_DAMAGED', `Cannot read the archive "${archive}": ${found}`, {
    hint: 'Copy this file again from the side that wrote it; the others can stay',
    details: { path: archive },
  });
}
