import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { silentContext } from '../../src/core/context.ts';
import { tarEntries } from '../../src/mirror/bundle/oc-archive/tar-index.ts';
import type { DockerRegistry } from './docker-registry.ts';
import { UPSTREAM } from './upstream.ts';

const run = promisify(execFile);

/** Gives an image another tag and takes the old one away, in the files of the registry. */
export async function renameTag(
  registry: DockerRegistry,
  repository: string,
  from: string,
  to: string,
): Promise<void> {
  const tags = join(
    registry.root,
    'data/docker/registry/v2/repositories',
    repository,
    '_manifests/tags',
  );
  await cp(join(tags, from), join(tags, to), { recursive: true });
  await rm(join(tags, from), { recursive: true });
}

/** Two archives, one with GNU's and one with POSIX headers, blobs in both. */
export async function writeArchives(root: string, config: string, folder: string): Promise<void> {
  const data = join(root, 'data');
  const signatures = join(data, 'working-dir', 'signatures');
  await mkdir(signatures, { recursive: true });
  for (const name of await readdir(join(UPSTREAM, 'signatures'))) {
    const hex = name.replace('sha256=', '');
    if (!hex.startsWith('d32a')) continue;
    await cp(
      join(UPSTREAM, 'signatures', name, 'signature-1'),
      join(signatures, `4.18.1-x86_64-sha256-${hex}`),
    );
  }
  await cp(config, join(data, 'isc_2026-08-20T10:11:12Z'));
  const blobs = join('docker/registry/v2/blobs/sha256');
  const prefixes = (await readdir(join(data, blobs))).toSorted().map((name) => join(blobs, name));
  const half = Math.floor(prefixes.length / 2);
  const tar = (format: string, name: string, members: readonly string[]) =>
    run('tar', [`--format=${format}`, '-cf', join(folder, name), '-C', data, ...members]);
  await tar('gnu', 'mirror_000001.tar', [
    'docker/registry/v2/repositories',
    ...prefixes.slice(0, half),
  ]);
  const rest = prefixes.slice(half);
  await tar('posix', 'mirror_000002.tar', [
    'docker/registry/v2/repositories',
    ...rest,
    'working-dir',
    'isc_2026-08-20T10:11:12Z',
  ]);
}

/** Changes one byte of a blob, in the archive that holds it. */
export async function alterBlob(folder: string, digest: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const archive = join(folder, name);
    for await (const { path, offset } of tarEntries(silentContext(), archive)) {
      if (!path.includes(`${digest.slice('sha256:'.length)}/data`)) continue;
      const bytes = await readFile(archive);
      bytes[offset + 3] = (bytes[offset + 3] ?? 0) ^ 1;
      await writeFile(archive, bytes);
    }
  }
}

/** One archive with all that the registry holds, but for these blobs. */
export async function writeArchive(
  root: string,
  config: string,
  folder: string,
  without: readonly string[] = [],
): Promise<void> {
  const data = join(root, 'data');
  await mkdir(join(data, 'working-dir'), { recursive: true });
  const name = 'isc_2026-08-20T10:11:12Z';
  await cp(config, join(data, name));
  const excluded = without.map((digest) => `--exclude=*/${digest.slice('sha256:'.length)}/data`);
  const members = ['docker/registry/v2', 'working-dir', name];
  const archive = join(folder, 'mirror_000001.tar');
  await run('tar', [...excluded, '-cf', archive, '-C', data, ...members]);
}
