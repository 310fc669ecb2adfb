import { basename, join, resolve } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { readText } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import { formatReference } from '../../oci/reference.ts';
import type { ImageSet } from '../image-set/image-set.ts';
import { extractTools } from '../release/extract/extract-tools.ts';
import { toolOf } from '../release/extract/tools.ts';
import type { ComponentReach } from '../release/locate-component.ts';
import { type OpenRelease, openRelease } from '../release/open-release.ts';
import { type BootStream, bootFiles, parseStream, streamOf } from './boot-images.ts';
import {
  type DownloadDeps,
  type DownloadWorld,
  downloadsOf,
  fetchAll,
  type Made,
} from './download-world.ts';
import { localFile, missing } from './fetch-file.ts';

/** Out of the payload, so that the program is exactly that of the release. */
export async function fromReleases(
  world: DownloadWorld,
  name: string,
  architectures: readonly string[],
): Promise<Made[]> {
  requireReleases(world, name);
  return await mapBounded(world.ctx, 1, world.payloads, async (image) => {
    const release = await world.open(image);
    const { version, tag } = release.payload;
    const files = await mapBounded(world.ctx, 1, architectures, async (architecture) => {
      const to = join(downloadsOf(world.deps), tag, architecture);
      const [made] = await extractTools(world.ctx, release, {
        tools: [toolOf(name)],
        platform: { os: 'linux', architecture },
        to,
        reach: reachOf(world.deps),
      });
      if (!made) throw new Error(`${name} was not extracted`);
      const origin = `${formatReference(image.source)} ${made.from}`;
      const file = await localFile(
        world.ctx,
        made.path,
        `${architecture}/${basename(made.path)}`,
        origin,
      );
      return { ...file, verifiedBy: `the release image ${image.digest}` };
    });
    return { repository: `files/${name}`, tag, reason: `${name} of release ${version}`, files };
  });
}

function reachOf({ source }: DownloadDeps): ComponentReach {
  return { source, repository: (registry, repository) => source({ registry, repository }) };
}

function requireReleases({ payloads }: DownloadWorld, what: string): void {
  if (payloads.length > 0) return;
  throw new AtollError('INPUT_INVALID', `Cannot get ${what}: the image set asks for no release`, {
    hint: 'Add "platform", from whose releases it comes',
  });
}

export async function makeBootImages(
  world: DownloadWorld,
  wanted: ImageSet['atoll']['bootImages'][number],
): Promise<Made[]> {
  const streams = await streamsFor(world, wanted.stream);
  const made: Made[] = [];
  for (const { stream, by: origin } of streams)
    for (const machine of wanted.architectures) {
      const { release, architecture, files } = bootFiles(stream, machine, wanted.formats, origin);
      made.push({
        repository: 'files/rhcos',
        tag: `${release}-${architecture}`,
        reason: `boot images by ${origin}`,
        files: await fetchAll(world, files),
      });
    }
  // Several releases may boot from the same images.
  return [...new Map(made.map((each) => [each.tag, each])).values()];
}

async function streamsFor(
  world: DownloadWorld,
  place: string | undefined,
): Promise<{ stream: BootStream; by: string }[]> {
  if (place !== undefined) {
    const text = await readPlace(world, place);
    return [{ stream: parseStream(text, place), by: place }];
  }
  requireReleases(world, 'boot images');
  return await mapBounded(world.ctx, 1, world.payloads, async (image) => {
    const { payload } = await world.open(image);
    return { stream: streamOf(payload), by: `release ${payload.version}` };
  });
}

async function readPlace({ ctx, deps, folder }: DownloadWorld, place: string): Promise<string> {
  if (!/^(https?|file):\/\//.test(place)) return await readText(resolve(folder, place));
  const bytes = await deps.web.get(ctx, place);
  if (!bytes) throw missing(place);
  return Buffer.from(bytes).toString('utf8');
}

/** A release is read once, whatever asks for it. */
export function openOnce(ctx: Context, { source }: DownloadDeps): DownloadWorld['open'] {
  const opened = new Map<string, Promise<OpenRelease>>();
  return (image) => {
    const shown = formatReference(image.source);
    const tagOrDigest = image.digest ?? image.source.tag ?? '';
    const known =
      opened.get(tagOrDigest) ??
      openRelease(ctx, {
        reference: image.source,
        source: source(image.source),
        tagOrDigest,
        shown,
      });
    opened.set(tagOrDigest, known);
    return known;
  };
}
