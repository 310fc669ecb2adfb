import type { Metafile } from 'esbuild';

export function readBefore(metafile: Metafile, entries: readonly string[]): Set<string>;
export function joinChunks(
  files: ReadonlyMap<string, string>,
  groups: Readonly<Record<string, Iterable<string>>>,
): Map<string, string>;
