import type { ImageConfig } from '../../layers/image-config.ts';
import { normalPath } from '../../layers/layer-path.ts';

/*
 * A catalog image carries a cache that its server (opm) made from the catalog, and the command that
 * serves it insists on the two belonging together: with another catalog it would not start. The cache is in
 * opm's own format, so it is removed, and the command no longer names it: opm then makes one in a folder
 * of its own when it starts. The folder stays, empty and writable, for those who copy it out of the image.
 */

const CACHE_DIR = '--cache-dir';
const CACHE_FLAGS = [CACHE_DIR, '--cache-only', '--cache-enforce-integrity'];

/** Where the image keeps the cache, if its command says so; without leading slash. */
export function cacheFolder({ config }: ImageConfig): string | undefined {
  const words = [...(config?.Entrypoint ?? []), ...(config?.Cmd ?? [])];
  const at = words.findIndex((word) => word === CACHE_DIR || word.startsWith(`${CACHE_DIR}=`));
  if (at < 0) return undefined;
  const word = words[at] as string;
  const path = word === CACHE_DIR ? words[at + 1] : word.slice(CACHE_DIR.length + 1);
  return normalPath(path ?? '') || undefined;
}

/** The command without what it says about the cache. */
export function withoutCache(words: readonly string[]): string[] {
  return words.filter((word, at) => {
    if (words[at - 1] === CACHE_DIR) return false;
    return !CACHE_FLAGS.some((flag) => word === flag || word.startsWith(`${flag}=`));
  });
}
