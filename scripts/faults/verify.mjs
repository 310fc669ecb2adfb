// The independent reader: skopeo pulls every image, and sha256 is computed over every blob that is kept.
import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { filesBelow, skopeo } from './world.mjs';

/** What is lost (cannot be pulled) and wrong (is not what its name says) in a mirror. */
export async function verify(world, mirror, images) {
  const problems = [];
  for (const [name, digest] of images) {
    problems.push(...(await pull(world, `${mirror.host}/${name}:v1`, digest)));
  }
  return [...problems, ...(await wrongBlobs(join(mirror.folder, 'data')))];
}

export async function pull(world, name, digest) {
  const folder = join(world.folder, 'pulled');
  const pulled = await skopeo(world, 'src', `docker://${name}`, `dir:${folder}`);
  const found = await digestOf(join(folder, 'manifest.json')).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
  if (pulled.status !== 0) return [{ kind: 'lost', what: name, words: pulled.words }];
  return found === digest ? [] : [{ kind: 'wrong', what: `${name} is another image` }];
}

/** Blobs of a store that are not what their names say. */
export async function wrongBlobs(store) {
  const wrong = [];
  for (const file of await filesBelow(join(store, 'blobs/sha256'))) {
    const digest = await digestOf(file).catch(() => undefined);
    if (digest !== undefined && digest !== `sha256:${basename(file)}`) {
      wrong.push({ kind: 'wrong', what: file });
    }
  }
  return wrong;
}

async function digestOf(file) {
  return `sha256:${createHash('sha256')
    .update(await readFile(file))
    .digest('hex')}`;
}
