import type { Bundle } from '../../content/catalog/model/catalog.ts';
import { openCatalog } from '../../content/catalog/open-catalog.ts';
import { readCatalog } from '../../content/catalog/read-catalog.ts';
import { type Payload, readPayload } from '../../content/release/payload/payload.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { formatReference, parseReference, type Reference } from '../../oci/reference.ts';
import type { ImageChecker } from '../check/image-checker.ts';
import type { FoundImage } from '../node/find-image.ts';
import { manifestImages } from './manifest-images.ts';
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

/** Bundles of a catalog as it stands in the mirror, and the images they bring. */
async function catalogImages(
  ctx: Context,
  reference: Reference,
  { repository: source, descriptor: root }: FoundImage,
  packages: readonly string[],
): Promise<WantedImage[]> {
  const open = await openCatalog(ctx, { source, root, reference, isLayout: false });
  const { catalog } = await readCatalog(ctx, open);
  refuseUnknown(packages, [...catalog.packages.keys()], reference);
  const chosen = [...catalog.packages.values()].filter(
    ({ name }) => packages.length === 0 || packages.includes(name),
  );
  return chosen.flatMap(({ bundles }) => [...bundles.values()].flatMap(bundleImages));
}

function bundleImages({ name, package: owner, image, relatedImages }: Bundle): WantedImage[] {
  const packages = [owner];
  const bundle = image ? [wantedImage('bundle', image.trim(), `bundle ${name}`, { packages })] : [];
  const related = relatedImages
    .filter((each) => each.image !== image)
    .map((each) => wantedImage('related', each.image.trim(), `operand of ${name}`, { packages }));
  return [...bundle, ...related];
}

function refuseUnknown(
  wanted: readonly string[],
  known: readonly string[],
  catalog: Reference,
): void {
  const missing = wanted.find((name) => !known.includes(name));
  if (missing === undefined) return;
  const near = nearest(missing, known);
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot find package "${missing}" in ${formatReference(catalog)}`,
    { hint: near ? `Did you mean "${near}"?` : `It has ${known.join(', ')}` },
  );
}

/** The release image under the name the installer bakes in, and every component of its payload. */
async function releaseImages(
  ctx: Context,
  reference: Reference,
  found: FoundImage,
): Promise<WantedImage[]> {
  const payload = await readPayload(ctx, found.repository, found.descriptor);
  const { version } = payload;
  const { registry, repository } = reference;
  const release = wantedImage(
    'release',
    // Whatever was asked for, machines name their release by digest.
    { registry, repository, digest: found.descriptor.digest },
    `release ${version}`,
    { release: version },
  );
  return [release, ...componentImages(payload)];
}

function componentImages({ version, components }: Payload): WantedImage[] {
  return components.map(({ name, image }) =>
    wantedImage('component', image, `component ${name} of release ${version}`, {
      component: name,
      release: version,
    }),
  );
}
