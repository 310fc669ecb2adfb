import { join } from 'node:path';

/** A file of the working folder, for those who need no more of it than its place. */
export const workingFile = (dir: string, ...names: readonly string[]): string =>
  join(dir, 'working-dir', ...names);

/** Every image that is in the mirror, over all runs. */
export const memoryFile = (dir: string): string => workingFile(dir, 'mirrored.json');
