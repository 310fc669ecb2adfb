import { readFileSync } from 'node:fs';
import { join } from 'node:path';

declare global {
  /** The bundle script puts the files of `assets/` here, because one file has no folder beside it. */
  var ATOLL_ASSETS: Readonly<Record<string, string>> | undefined;
}

/** Text that ships with atoll: keys, catalogues, templates. `name` is its path under `assets/`. */
export function readAsset(name: string): string {
  const inlined = globalThis.ATOLL_ASSETS;
  if (inlined) {
    const text = inlined[name];
    if (text === undefined) throw new Error(`The bundle lacks the asset "${name}"`);
    return text;
  }
  return readFileSync(join(import.meta.dirname, '..', '..', 'assets', name), 'utf8');
}
