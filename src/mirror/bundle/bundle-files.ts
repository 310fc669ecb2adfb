import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { unwritable, writeFileAtomic } from '../../core/files.ts';
import {
  type BundleIndex,
  INDEX_FILE,
  PREVIOUS_FILE,
  SIGNATURE_FILE,
  STATE_FILE,
} from './bundle-index.ts';
import { sizeOfFile } from './chunk-files.ts';
import { COMPANION_FILES, companionsOf } from './companions.ts';

interface WrittenIndex {
  readonly index: BundleIndex;
  /** The index as it is signed. */
  readonly text: string;
  readonly signature?: string | undefined;
}

/** What says that a bundle is whole goes before anything in it changes. */
export function unfinish(folder: string): Promise<void> {
  return removeFiles(folder, [INDEX_FILE, SIGNATURE_FILE, ...COMPANION_FILES]);
}

/** The index comes last: with it the folder is a bundle. */
export async function writeIndexFiles(folder: string, written: WrittenIndex): Promise<void> {
  const { index, text, signature } = written;
  if (signature !== undefined) await writeFileAtomic(join(folder, SIGNATURE_FILE), signature);
  for (const [file, content] of companionsOf(index, text, signature))
    await writeFileAtomic(join(folder, file), content);
  await writeFileAtomic(join(folder, INDEX_FILE), text);
}

/** What a run that was killed would have needed to go on. */
export function forgetRun(folder: string): Promise<void> {
  return removeFiles(folder, [STATE_FILE, PREVIOUS_FILE]);
}

async function removeFiles(folder: string, files: readonly string[]): Promise<void> {
  try {
    for (const file of files) await rm(join(folder, file), { force: true });
  } catch (error) {
    throw unwritable(folder, error);
  }
}

/**
 * With a state file a run was under way: its report may not be written. One that grows was
 * finished before, and stays so until its index goes.
 */
export async function isFinished(folder: string): Promise<boolean> {
  const [index, state, previous] = await Promise.all(
    [INDEX_FILE, STATE_FILE, PREVIOUS_FILE].map((file) => sizeOfFile(join(folder, file))),
  );
  return index !== undefined && (state === undefined || previous !== undefined);
}
