import { createHash } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText, SECRET_MODE, writeFileAtomic } from '../../core/files.ts';
import { parseJson } from '../../core/shape.ts';
import type { Digest } from '../../oci/digest.ts';

// A backup is a folder:
//
//   <backup>/                   0700
//   ├── content/                a store: each blob once, whatever number of snapshots needs it
//   └── snapshots/<id>.json     0600: records, blobs and files of one moment; its first line is the
//                               digest of the second

/** A backup that somebody altered must not write elsewhere. */
const inside = z
  .string()
  .refine((path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..'), 'not in the folder');

const snapshot = z.object({
  version: z.literal(1),
  id: z.string(),
  createdAt: z.string(),
  /** Key and value of each record, in the order in which they are put back. */
  records: z.array(z.tuple([z.string(), z.unknown()])),
  blobs: z.array(z.object({ digest: z.string(), size: z.number() })),
  /** Path in the registry's folder, mode and content (base64). */
  files: z.array(z.object({ path: inside, mode: z.number(), content: z.string() })),
});

export type BackupSnapshot = z.output<typeof snapshot>;
export type BackupFile = BackupSnapshot['files'][number];

export interface BackupBlob {
  readonly digest: Digest;
  readonly size: number;
}

export const contentPath = (backup: string): string => join(backup, 'content');
const folderOf = (backup: string) => join(backup, 'snapshots');
const pathOf = (backup: string, id: string) => join(folderOf(backup), `${id}.json`);
const digestOfText = (text: string) => createHash('sha256').update(text).digest('hex');

/** Sorts as time does. */
export const newSnapshotId = (ctx: Context): string =>
  ctx.now().toISOString().replaceAll(':', '-').replace('.', '-');

export async function writeSnapshot(backup: string, content: BackupSnapshot): Promise<void> {
  const text = JSON.stringify(content);
  await writeFileAtomic(pathOf(backup, content.id), `${digestOfText(text)}\n${text}\n`, {
    mode: SECRET_MODE,
  });
}

export async function readSnapshot(backup: string, id: string): Promise<BackupSnapshot> {
  const path = pathOf(backup, id);
  const [digest = '', text = ''] = (await readText(path)).split('\n');
  const parsed = snapshot.safeParse(digest === digestOfText(text) ? parseJson(text) : undefined);
  if (parsed.success) return parsed.data;
  throw new AtollError('CONTENT_MISMATCH', `Cannot use the snapshot "${path}": it is damaged`, {
    hint: 'Take another one, with --snapshot',
    details: { path },
  });
}

/** Oldest first. */
export async function listSnapshots(backup: string): Promise<readonly string[]> {
  const names = await readdir(folderOf(backup)).catch(() => []);
  return names
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -'.json'.length))
    .toSorted();
}

export async function removeSnapshot(backup: string, id: string): Promise<void> {
  await rm(pathOf(backup, id), { force: true });
}

/** The one that is named, or the last. */
export async function chooseSnapshot(
  backup: string,
  id: string | undefined,
): Promise<BackupSnapshot> {
  const all = await listSnapshots(backup);
  const chosen = id ?? all.at(-1);
  if (chosen !== undefined && all.includes(chosen)) return await readSnapshot(backup, chosen);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find the snapshot "${chosen ?? ''}" in "${backup}"`,
    {
      hint:
        all.length > 0 ? `There are: ${all.join(', ')}` : 'Make one with "atoll registry backup"',
    },
  );
}
