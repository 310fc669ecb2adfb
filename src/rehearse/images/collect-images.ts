import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { parseReference } from '../../oci/reference.ts';
import type { ImageChecker } from '../check/image-checker.ts';
import type { FoundImage } from '../node/find-image.ts';
import { catalogImages } from './catalog-images.ts';
import { manifestImages } from './manifest-images.ts';
import { releaseImages } from './release-images.ts';
import { reportImages } from './report-images.ts';
import { distinctImages, type WantedImage, wantedImage } from './wanted-image.ts';

/** What names the images of a cluster. */
export interface ImageInputs {
  readonly releases: readonly string[];
  readonly catalogs: readonly string[];
  /** Only these packages of the catalogs; all when empty. */
  readonly packages: readonly string[];
  readonly images: readonly string[];
  /** Files of cluster objects. */
  readonly manifests: readonly string[];
  /** `report.json` or `mirrored.json`. */
  readonly reports: readonly string[];
}

/** A list that could not be read, so that what it would have named was not rehearsed. */
export interface Unread {
  readonly subject: string;
  readonly message: string;
}

export interface CollectedImages {
  readonly images: readonly WantedImage[];
  readonly unread: readonly Unread[];
}

type Reader = (found: FoundImage) => Promise<WantedImage[]>;

/** Every image the cluster will pull. What lies in the mirror is read from there, as a node would. */
export async function collectImages(
  ctx: Context,
  inputs: ImageInputs,
  checker: ImageChecker,
): Promise<CollectedImages> {
  const unread: Unread[] = [];
  const listed = [
    ...(await Promise.all(inputs.reports.map(reportImages))).flat(),
    ...(await Promise.all(inputs.manifests.map(manifestImages))).flat(),
    ...inputs.images.map((name) => wantedImage('additional', name, 'named on the command line')),
  ];
  const read = async (image: WantedImage, reader: Reader) => {
    const inner = await readInner(ctx, image, reader, checker).catch((error: unknown) => {
      ctx.signal.throwIfAborted();
      if (error instanceof AtollError && error.code === 'INPUT_INVALID') throw error;
      unread.push({ subject: image.name, message: messageOf(error) });
      return undefined;
    });
    return inner ?? [image];
  };

  const images: WantedImage[] = [];
  for (const name of inputs.releases) {
    const reference = parseReference(name);
    const image = wantedImage('release', reference, 'release of the install');
    images.push(...(await read(image, (found) => releaseImages(ctx, reference, found))));
  }
  const catalogs = inputs.catalogs.map((name) => wantedImage('catalog', name, 'operator catalog'));
  for (const image of distinctImages([...catalogs, ...catalogsOf(listed, inputs)])) {
    const { reference } = image;
    const inner = await read(image, (found) =>
      catalogImages(ctx, reference, found, inputs.packages),
    );
    images.push(image, ...inner);
  }
  return { images: distinctImages([...images, ...listed]), unread };
}

/** Catalogs among the objects of the cluster are read; a report already lists what they hold. */
function catalogsOf(listed: readonly WantedImage[], { reports }: ImageInputs): WantedImage[] {
  return reports.length > 0 ? [] : listed.filter(({ kind }) => kind === 'catalog');
}

async function readInner(
  ctx: Context,
  image: WantedImage,
  reader: Reader,
  checker: ImageChecker,
): Promise<WantedImage[]> {
  const { found, holes } = await checker.find(ctx, image);
  if (found) return await reader(found);
  const why = holes.map(({ evidence }) => evidence).join('; ');
  throw new AtollError('IMAGE_UNKNOWN', why || 'nodes would not find it');
}
