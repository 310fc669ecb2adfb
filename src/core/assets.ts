import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';

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

/** Text that the build makes and puts beside the program: notices, bill of materials. */
export function readBuilt(name: string): string | undefined {
  const inlined = globalThis.ATOLL_ASSETS;
  if (inlined) return inlined[name] ?? unpacked(inlined[`${name}.br`]);
  const built = [join('..', name), join('..', '..', 'dist', name)];
  const path = built.map((one) => join(import.meta.dirname, one)).find((one) => existsSync(one));
  return path === undefined ? undefined : readFileSync(path, 'utf8');
}

/** Of a megabyte of data that few commands read, a fifth is in the file. */
const unpacked = (packed: string | undefined): string | undefined =>
  packed === undefined
    ? undefined
    : brotliDecompressSync(Buffer.from(packed, 'base64')).toString('utf8');

/** Names of the assets below a folder, sorted. `folder` ends in `/`. */
export function listAssets(folder: string): string[] {
  const inlined = globalThis.ATOLL_ASSETS;
  if (inlined) {
    return Object.keys(inlined)
      .filter((name) => name.startsWith(folder))
      .toSorted();
  }
  const root = join(import.meta.dirname, '..', '..', 'assets');
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .toSorted();
}
