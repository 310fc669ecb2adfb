import { splitBlocked } from '../../content/blocked.ts';
import { collectAdditionalImages } from '../../content/collect-additional.ts';
import type { CollectDeps } from '../../content/collecting.ts';
import { type Collection, mergeCollections } from '../../content/content-image.ts';
import { type ImageSet, isEmptyImageSet } from '../../content/image-set/image-set.ts';
import type { Context } from '../../core/context.ts';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { formatReference } from '../../oci/reference.ts';
import type { Registries } from '../../remote/registries.ts';
import { type Destination, targetOf } from '../destination.ts';
import { readCatalogTemplates } from './catalog-template.ts';
import { pacedWeb } from './paced-source.ts';
import { placeImages } from './placed-image.ts';
import { type RunContent, upstreamOf } from './run.ts';

export interface Collecting {
  readonly imageSet: ImageSet;
  readonly collect: CollectDeps;
  readonly destination: Destination;
  readonly registries: Registries;
  /** Most that files which are downloaded take. */
  readonly maxBytesPerSecond?: number | undefined;
  /** Told of what could not be found, before a byte moves: it may refuse to go on. */
  readonly unfound?: ((failures: Collection['failures']) => void) | undefined;
}

export interface CollectedContent extends RunContent {
  readonly signatures: Collection['signatures'];
}

/** Everything the image set asks for, each image with its name in the mirror. */
export async function collectPlaced(
  ctx: Context,
  { imageSet, collect, destination, registries, unfound, maxBytesPerSecond }: Collecting,
): Promise<CollectedContent> {
  const templateOf = await readCatalogTemplates(imageSet);
  const deps = { ...collect, web: pacedWeb(collect.web, maxBytesPerSecond) };
  const content = await collectContent(ctx, imageSet, deps, destination);
  if (content.failures.length > 0) unfound?.(content.failures);
  const placed = placeImages(content.images, destination).map((each) => {
    const catalogTemplate = templateOf(each.image);
    return catalogTemplate ? { ...each, catalogTemplate } : each;
  });
  const { signatures, failures } = content;
  return { placed, sourceOf: upstreamOf(registries), signatures, failures };
}

/** Everything an image set asks for, without what it blocks. Warnings and blocks are told. */
export async function collectContent(
  ctx: Context,
  set: ImageSet,
  deps: CollectDeps,
  destination?: Destination,
): Promise<Collection> {
  if (set.purpose === 'delete') {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot mirror by "${set.file}": it says what to delete`,
      {
        hint: 'Write an ImageSetConfiguration, or run "atoll mirror delete" with this file',
      },
    );
  }
  if (isEmptyImageSet(set)) {
    throw new AtollError('INPUT_INVALID', `Cannot mirror from "${set.file}": it asks for nothing`, {
      hint: 'Add platform, operators, additionalImages, helm or atoll',
    });
  }
  for (const { message, hint, line } of set.warnings)
    warn(ctx, `${set.file}:${line}`, message, hint);
  const collected = await collectAll(ctx, set, deps);
  for (const { subject, message, hint } of collected.warnings) warn(ctx, subject, message, hint);
  const nameOf =
    destination &&
    ((image: Parameters<typeof targetOf>[1]) => formatReference(targetOf(destination, image)));
  const { kept, blocked } = splitBlocked(collected.images, set.blockedImages, nameOf);
  for (const { image, by } of blocked) {
    ctx.emit({
      type: 'note.added',
      message: `Left out ${formatReference(image.source)}: blocked by "${by}"`,
    });
  }
  return { ...collected, images: kept };
}

/** Each kind of content is much code: it is loaded for the image sets that ask for it. */
async function collectAll(ctx: Context, set: ImageSet, deps: CollectDeps): Promise<Collection> {
  const { platform, operators, helm, atoll } = set;
  const parts: Collection[] = [];
  if (platform) {
    const { collectReleases } = await import('../../content/release/collect-releases.ts');
    parts.push(await collectReleases(ctx, set, deps));
  }
  const releases = mergeCollections(parts);
  refuseUntrusted(releases);
  if (operators.length > 0) {
    const { collectOperators } = await import('../../content/catalog/collect-operators.ts');
    parts.push(await collectOperators(ctx, set, deps));
  }
  parts.push(await collectAdditionalImages(ctx, set, deps));
  if (Object.values(helm).some(({ length }) => length > 0)) {
    const { collectHelm } = await import('../../content/helm/collect-helm.ts');
    parts.push(await collectHelm(ctx, set, deps));
  }
  if (Object.values(atoll).some(({ length }) => length > 0)) {
    const { collectDownloads } = await import('../../content/downloads/collect-downloads.ts');
    parts.push(await collectDownloads(ctx, set, releases.images, deps));
  }
  return mergeCollections(parts);
}

const UNTRUSTED: ReadonlySet<ErrorCode> = new Set(['SIGNATURE_INVALID', 'SIGNATURE_MISSING']);

/** A release that cannot be trusted ends the run before anything is copied; `--ignore-release-signature` lets it pass. */
function refuseUntrusted({ failures }: Collection): void {
  const untrusted = failures.filter(({ code }) => code && UNTRUSTED.has(code));
  const [first] = untrusted;
  if (!first) return;
  const shown = untrusted.map(({ subject, message }) => `${subject}: ${message}`).join('\n  ');
  throw new AtollError(
    untrusted.find(({ code }) => code === 'SIGNATURE_INVALID')?.code ?? 'SIGNATURE_MISSING',
    `Cannot trust what was found, so nothing was copied\n  ${shown}`,
    {
      hint: first.hint,
    },
  );
}

function warn(ctx: Context, subject: string, message: string, hint: string | undefined): void {
  ctx.emit({
    type: 'warning.raised',
    subject,
    message: `${subject}: ${message}`,
    ...(hint ? { hint } : {}),
  });
}
