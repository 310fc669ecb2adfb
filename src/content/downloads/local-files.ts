import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { unreadable } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import { type CarriedFile, requireFewFiles } from './artifact.ts';
import { AT_ONCE } from './download-world.ts';
import { localFile } from './fetch-file.ts';

/** A file, or all files of a folder in an order that depends on nothing but their names. */
export async function localFiles(ctx: Context, path: string): Promise<CarriedFile[]> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (found.isFile()) return [await localFile(ctx, path, basename(path), path)];
  const files = await filesBelow(ctx, path);
  if (files.length === 0)
    throw new AtollError('INPUT_INVALID', `Cannot carry "${path}": it holds no files`);
  requireFewFiles(files.length);
  return await mapBounded(ctx, AT_ONCE, files.toSorted(), (file) =>
    localFile(ctx, file, relative(path, file), file),
  );
}

/** A link to a file of the same folder is that file once more; what is neither is named, and stays behind. */
async function filesBelow(ctx: Context, folder: string): Promise<string[]> {
  const root = await realpath(folder);
  const files: string[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() || (entry.isSymbolicLink() && (await leadsToFileIn(root, path))))
      files.push(path);
    else if (!entry.isDirectory()) warnOf(ctx, path);
  }
  return files;
}

async function leadsToFileIn(root: string, link: string): Promise<boolean> {
  const target = await realpath(link).catch(() => undefined);
  if (!target?.startsWith(root + sep)) return false;
  return (await stat(target)).isFile();
}

function warnOf(ctx: Context, path: string): void {
  ctx.emit({
    type: 'warning.raised',
    message: `"${path}" is not carried: it is no file, and no link to one in the same folder`,
    hint: 'Put the file itself there, or name it as an entry of its own',
  });
}
