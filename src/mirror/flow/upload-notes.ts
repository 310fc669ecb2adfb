import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { decodeLine, encodeLine } from '../../core/checked-line.ts';
import { systemCodeOf } from '../../core/errors.ts';
import { SECRET_DIRECTORY_MODE, SECRET_MODE } from '../../core/files.ts';
import type { UploadMemory } from '../../oci/bulk.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { digestOf } from '../../oci/digest.ts';
import type { Repository } from '../../remote/registries.ts';

/**
 * Notes where each upload stands at the registry, one small file for each that is under way. A run
 * that was killed goes on there, if the registry still knows the upload.
 */
export class UploadNotes {
  readonly #folder: string;
  readonly #earlier: ReadonlyMap<string, string>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#earlier = readNotes(folder);
  }

  memoryOf({ registry, repository }: Repository, blob: Descriptor): UploadMemory {
    const name = digestOf(`${registry}/${repository}@${blob.digest}`).slice('sha256:'.length);
    const path = join(this.#folder, name);
    let noted = this.#earlier.get(name);
    return {
      location: noted,
      // A few dozen bytes into the page cache; waiting for it would cost more than writing it.
      remember(location) {
        if (location === noted) return;
        noted = location;
        if (location === undefined) rmSync(path, { force: true });
        else write(path, encodeLine({ location }));
      },
    };
  }

  clear(): void {
    if (existsSync(this.#folder)) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Most runs upload nothing: the folder comes with the first note. */
function write(path: string, line: string): void {
  try {
    writeFileSync(path, line, { mode: SECRET_MODE });
  } catch (error) {
    if (systemCodeOf(error) !== 'ENOENT') throw error;
    mkdirSync(dirname(path), { recursive: true, mode: SECRET_DIRECTORY_MODE });
    writeFileSync(path, line, { mode: SECRET_MODE });
  }
}

/** One that is torn or altered is none: it could lead anywhere. */
function readNote(name: string, path: string): [string, string][] {
  const location = decodeLine(readFileSync(path, 'utf8').trimEnd())?.location;
  return typeof location === 'string' ? [[name, location]] : [];
}

function readNotes(folder: string): ReadonlyMap<string, string> {
  try {
    const names = readdirSync(folder).filter((name) => /^[0-9a-f]{64}$/.test(name));
    return new Map(names.flatMap((name) => readNote(name, join(folder, name))));
  } catch {
    return new Map();
  }
}
