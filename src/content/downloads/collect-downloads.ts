import { basename, dirname, resolve } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { by } from '../../core/order.ts';
import { mapBounded } from '../../core/pool.ts';
import { failureOf } from '../collecting.ts';
import {
  type Collection,
  type ContentImage,
  EMPTY_COLLECTION,
  mergeCollections,
} from '../content-image.ts';
import type { ImageSet } from '../image-set/image-set.ts';
import { filesArtifact, requireFewFiles } from './artifact.ts';
import {
  AT_ONCE,
  type DownloadDeps,
  type DownloadWorld,
  fetchAll,
  type Made,
} from './download-world.ts';
import { findTool } from './known-tools.ts';
import { localFiles } from './local-files.ts';
import { repositoryFiles } from './package-repository.ts';
import { fromReleases, makeBootImages, openOnce } from './release-downloads.ts';
import { readSum } from './sums.ts';

type Downloads = ImageSet['atoll'];

/** One artifact to be: its place, and how its files are got. */
interface Wanted {
  readonly subject: string;
  readonly make: () => Promise<readonly Made[]>;
}

/** What the section `atoll` asks for, each thing as an OCI artifact. `releases` says for which releases. */
export async function collectDownloads(
  ctx: Context,
  set: Pick<ImageSet, 'atoll' | 'file'>,
  releases: readonly ContentImage[],
  deps: DownloadDeps,
): Promise<Collection> {
  const open = openOnce(ctx, deps);
  const payloads = releases.filter(({ kind }) => kind === 'release');
  const world = { ctx, deps, folder: dirname(resolve(set.file)), payloads, open };
  const wanted = [
    ...set.atoll.files.map((file) => ({
      subject: `file ${file.name}`,
      make: () => makeFiles(world, file),
    })),
    ...set.atoll.tools.map((tool) => ({
      subject: `tool ${tool.name}`,
      make: () => makeTool(world, tool),
    })),
    ...set.atoll.bootImages.map((boot) => ({
      subject: `boot images ${boot.formats.join(', ')}`,
      make: () => makeBootImages(world, boot),
    })),
    ...set.atoll.repositories.map((each) => ({
      subject: `repository ${each.name}`,
      make: () => makeRepository(world, each),
    })),
  ];
  const parts: Collection[] = [];
  // One after the other: each of them downloads several files at once.
  for (const each of wanted) parts.push(await collectOne(ctx, each));
  return mergeCollections(parts);
}

async function collectOne(ctx: Context, { subject, make }: Wanted): Promise<Collection> {
  try {
    return { ...EMPTY_COLLECTION, images: (await make()).map(imageOf) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    return { ...EMPTY_COLLECTION, failures: [failureOf(subject, error)] };
  }
}

function imageOf({ repository, tag, reason, files }: Made): ContentImage {
  const { digest, source } = filesArtifact(files.toSorted(by(({ path }) => path)));
  return {
    kind: 'file',
    source: { registry: 'localhost', repository, tag },
    digest,
    from: source,
    targetRepository: repository,
    targetTag: tag,
    reason,
    sigstore: 'none',
  };
}

async function makeFiles(
  world: DownloadWorld,
  wanted: Downloads['files'][number],
): Promise<Made[]> {
  const { name, url, path, sha256, sums, targetRepo, targetTag } = wanted;
  const place = { repository: targetRepo ?? `files/${name}`, tag: targetTag ?? 'latest' };
  if (url === undefined) {
    const files = await localFiles(world.ctx, resolve(world.folder, path ?? ''));
    return [{ ...place, reason: `listed as ${path}`, files }];
  }
  const file = basename(new URL(url).pathname);
  const sum = sums ? await readSum(world.ctx, world.deps.web, sums, file) : undefined;
  const own = sha256 ? { sha256, by: 'the image set' } : undefined;
  const files = await fetchAll(world, [{ path: file, url, sum: own ?? sum }]);
  return [{ ...place, reason: `from ${url}`, files }];
}

async function makeTool(
  world: DownloadWorld,
  { name, version, architectures }: Downloads['tools'][number],
): Promise<Made[]> {
  if (name === 'oc' || name === 'openshift-install')
    return await fromReleases(world, name, architectures);
  if (version === undefined)
    throw new AtollError('INPUT_INVALID', `Cannot get ${name}: which version?`, {
      hint: 'Add "version"',
    });
  const wanted = await mapBounded(world.ctx, AT_ONCE, architectures, (machine) =>
    findTool(world.ctx, world.deps.web, { name, version, machine }),
  );
  const files = await fetchAll(world, wanted);
  return [{ repository: `files/${name}`, tag: version, reason: `${name} ${version}`, files }];
}

async function makeRepository(
  world: DownloadWorld,
  wanted: Downloads['repositories'][number],
): Promise<Made[]> {
  const listed = await repositoryFiles(world.ctx, world.deps.web, wanted);
  requireFewFiles(listed.length);
  const files = await fetchAll(world, listed);
  const { name, url, type, targetRepo, targetTag } = wanted;
  const place = { repository: targetRepo ?? `files/${name}`, tag: targetTag ?? 'latest' };
  return [{ ...place, reason: `${type} repository ${url}`, files }];
}
