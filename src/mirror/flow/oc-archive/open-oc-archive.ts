import { splitBlocked } from '../../../content/blocked.ts';
import type { ContentImage } from '../../../content/content-image.ts';
import type { ImageSet } from '../../../content/image-set/image-set.ts';
import { parseImageSet } from '../../../content/image-set/parse-image-set.ts';
import type { Context } from '../../../core/context.ts';
import { messageOf } from '../../../core/errors.ts';
import { parseDigest } from '../../../oci/digest.ts';
import { isIndexType } from '../../../oci/media-types.ts';
import { OcArchive } from '../../bundle/oc-archive/oc-archive.ts';
import { FROM_FOLDER } from '../../image-rules.ts';
import type { BundleContents } from '../bundle-contents.ts';
import { placeImages } from '../placed-image.ts';
import type { KnownSignature } from '../working-dir.ts';
import type { NamedImage } from './archive-catalogs.ts';
import { expectedImages } from './archive-expected.ts';
import { contentOf, isAttachment } from './archive-images.ts';
import { archiveOrigins } from './archive-origins.ts';

const SIGNATURE = /(?:^|\/)working-dir\/signatures\/[^/]+-sha256-(?<hex>[0-9a-f]{64})$/;
const CONFIGURATION = /(?:^|\/)isc_[^/]+$/;

/** Archives of oc-mirror v2 as a bundle. Images of earlier archives are left to those. */
export async function openOcArchive(
  ctx: Context,
  archives: readonly string[],
): Promise<BundleContents> {
  const archive = await OcArchive.open(ctx, archives);
  const all = [...archive.images()].filter((image) => !isAttachment(image));
  const here = all.filter(({ digest }) => archive.has(digest));
  const set = await configurationIn(ctx, archive);
  const named = { archive, all, here, set };
  const found = await archiveOrigins(ctx, named);
  const images = here
    .filter((image) => !found.isReplaced(image))
    .map(async (image) => ({
      ...contentOf(image, found.origins, found.places.get(image)),
      ...(isSparse(set) ? await presentPlatforms(ctx, archive, image) : {}),
    }));
  const content = await Promise.all(images);
  const { kept: expected } = splitBlocked(expectedImages(named, found), set?.blockedImages ?? []);
  tellOfOthers(ctx, all.length - here.length);
  tellOfUnknown(ctx, content);
  return {
    placed: (destination) => placeImages(content, destination),
    expected: (destination) => placeImages(expected, destination),
    signatures: await signaturesIn(ctx, archive),
    base: new Map(),
    missing: [],
    deltas: [],
    openDelta: () => {
      throw new Error('Archives of oc-mirror carry no deltas');
    },
    sourceOf: ({ image }) => archive.repository(image.targetRepository ?? ''),
    // Archives of oc-mirror carry no checksums: what is wrong in them shows when it is read.
    damaged: async () => [],
    close: async () => undefined,
  };
}

/** Whether the configuration asked for some platforms only; else an index has to be whole. */
function isSparse(set: ImageSet | undefined): boolean {
  const { platform, operators = [], additionalImages = [] } = set ?? {};
  return [platform, ...operators, ...additionalImages].some(
    (each) => each?.platforms !== undefined,
  );
}

/** An index of which only some parts were carried is copied with those. */
async function presentPlatforms(
  ctx: Context,
  archive: OcArchive,
  { repository, digest }: NamedImage,
): Promise<Pick<ContentImage, 'platforms'>> {
  const source = archive.repository(repository);
  const root = await source.resolve(ctx, digest);
  if (!root || !isIndexType(root.mediaType)) return {};
  const { children } = await source.manifest(ctx, root);
  const present = children.filter((child) => archive.has(child.digest));
  if (present.length === children.length || present.length === 0) return {};
  return { platforms: present.flatMap(({ platform }) => platform ?? []) };
}

/** The newest configuration in the archives: it knows names that oc-mirror shortened. */
async function configurationIn(ctx: Context, archive: OcArchive): Promise<ImageSet | undefined> {
  const newest = archive.files(CONFIGURATION).toSorted(([a], [b]) => (a < b ? 1 : -1))[0];
  if (!newest) {
    ctx.emit({
      type: 'warning.raised',
      message:
        'The archives hold no configuration, which oc-mirror writes last: one may be missing',
      hint: 'Compare with the side that wrote them',
    });
    return undefined;
  }
  const [path, file] = newest;
  try {
    return parseImageSet((await file.bytes(ctx)).toString('utf8'), path);
  } catch (error) {
    const message = `The configuration in the archive cannot be read: ${messageOf(error)}`;
    ctx.emit({ type: 'warning.raised', subject: path, message });
    return undefined;
  }
}

async function signaturesIn(ctx: Context, archive: OcArchive): Promise<KnownSignature[]> {
  const files = archive.files(SIGNATURE).map(async ([path, file]) => ({
    digest: parseDigest(`sha256:${SIGNATURE.exec(path)?.groups?.hex}`),
    bytes: await file.bytes(ctx),
  }));
  return await Promise.all(files);
}

function tellOfOthers(ctx: Context, count: number): void {
  if (count === 0) return;
  const message = `${count} names in the archives belong to images of earlier archives: they are left as they are`;
  ctx.emit({ type: 'note.added', message });
}

function tellOfUnknown(ctx: Context, images: readonly ContentImage[]): void {
  const unknown = images.filter(
    ({ kind, source }) => source.registry === FROM_FOLDER && kind !== 'graph',
  );
  if (unknown.length === 0) return;
  const names = unknown.map(({ targetRepository }) => targetRepository);
  ctx.emit({
    type: 'warning.raised',
    message: `oc-mirror did not keep the registry of ${unknown.length} images: ${[...new Set(names)].slice(0, 5).join(', ')}`,
    hint: 'They are loaded, but cluster-resources has no rule for them: apply those that oc-mirror wrote',
  });
}
