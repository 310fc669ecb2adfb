import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AtollError } from '../../core/errors.ts';
import { readText, unreadable } from '../../core/files.ts';
import { readYaml } from '../../core/yaml.ts';
import { idOf, type KubeObject, keyOf, objectSchema, titleOf } from '../api/object.ts';

const MANIFEST = /\.(?:ya?ml|json)$/;

/** The objects in files and folders, each once. A folder counts with its own files only. */
export async function readObjects(paths: readonly string[]): Promise<KubeObject[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const found = new Map<string, { readonly object: KubeObject; readonly file: string }>();
  for (const file of files) {
    for (const object of objectsOf(await readText(file), file)) {
      const id = idOf(keyOf(object));
      const before = found.get(id);
      if (before && before.file !== file) throw twice(object, before.file, file);
      found.set(id, { object, file });
    }
  }
  return [...found.values()].map(({ object }) => object);
}

async function filesOf(path: string): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).filter((name) => MANIFEST.test(name));
    return names.toSorted().map((name) => join(path, name));
  } catch (error) {
    throw unreadable(path, error);
  }
}

function objectsOf(text: string, file: string): KubeObject[] {
  return readYaml(text, `"${file}"`).flatMap((document) => {
    const parsed = objectSchema.safeParse(document);
    if (parsed.success) return [parsed.data];
    const field = parsed.error.issues[0]?.path.join('.') || 'document';
    throw new AtollError('INPUT_INVALID', `Cannot apply "${file}": ${field} is missing or wrong`, {
      hint: 'Every document must be an object with apiVersion, kind and metadata.name',
      details: { path: file },
    });
  });
}

function twice(object: KubeObject, first: string, second: string): AtollError {
  return new AtollError(
    'INPUT_INVALID',
    `Cannot apply ${titleOf(keyOf(object))}: it is in "${first}" and in "${second}"`,
    { hint: 'Leave it in one of them' },
  );
}
