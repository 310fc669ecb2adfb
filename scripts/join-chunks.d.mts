import type { Metafile } from 'esbuild';

export function readBefore(metafile: Metafile, entries: readonly string[]): Set<string>;
export function chunksWith(metafile: Metafile, library: string): Set<string>;
export function joinChunks(
  files: ReadonlyMap<string, string>,
  groups: Readonly<Record<string, Iterable<string>>>,
  late?: ReadonlySet<string>,
): Map<string, string>;
