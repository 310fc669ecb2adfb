import type { PublicKey } from 'openpgp';
import type { CollectFailure, ContentImage } from '../../content/content-image.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import { keysUnderRule } from '../bundle/bundle-signature.ts';
import { findOcArchives } from '../bundle/oc-archive/oc-archive.ts';
import type { Rebuild } from '../delta/rebuild-job.ts';
import { Rebuilder } from '../delta/rebuilder.ts';
import { type Destination, repositoryAt } from '../destination.ts';
import type { MirroredImage } from '../image-rules.ts';
import { type BundleContents, openBundle } from './bundle-contents.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { type MirrorResult, mirrorImages } from './mirror-images.ts';
import { openOcArchive } from './oc-archive/open-oc-archive.ts';
import { type MirrorRunOptions, presentIn, type RunContent } from './run.ts';

export interface LoadOptions extends MirrorRunOptions {
  readonly folder: string;
  readonly destination: Destination;
  /** With keys the bundle has to be signed by one of them. */
  readonly keys?: readonly PublicKey[] | undefined;
  /** Does the compressing of rebuilt layers elsewhere, several at once. */
  readonly rebuild?: Rebuild | undefined;
}

/** Bundle to mirror. Nothing but the bundle and the mirror is asked. */
export function loadBundle(ctx: Context, options: LoadOptions): Promise<MirrorResult> {
  return withBundle(ctx, options, (bundle) =>
    loadImages(ctx, bundle, bundle.placed(options.destination), {
      ...options,
      title: 'Loading images',
    }),
  );
}

export interface LoadRun extends MirrorRunOptions {
  readonly folder: string;
  readonly destination: Destination | undefined;
  readonly title: string;
  readonly rebuild?: Rebuild | undefined;
}

/** Copies images of an open bundle, and names what is damaged in it. */
export async function loadImages(
  ctx: Context,
  bundle: BundleContents,
  placed: RunContent['placed'],
  run: LoadRun,
): Promise<MirrorResult> {
  const base = baseAt(run.destination, bundle.base);
  const rebuilder = new Rebuilder(ctx, {
    folder: run.workingDir.file('partial', 'rebuilt'),
    deltas: bundle.deltas,
    openDelta: bundle.openDelta,
    rebuild: run.rebuild,
    oldLayers: (target, repository) =>
      run.registries.repository(target.registry, placeOf(run.destination, repository, target)),
  });
  const failures = [...(await missingFromMirror(ctx, bundle, run)), ...neverSaved(bundle)];
  const { sourceOf, ...content } = contentOf(bundle, placed, failures);
  const rebuilding = (image: MirroredImage) => rebuilder.before(sourceOf(image), image.target);
  const delivered = (blob: Descriptor) => rebuilder.delivered(blob);
  const result = await mirrorImages(
    ctx,
    { ...content, sourceOf: rebuilding },
    { ...run, flow: 'load', base, delivered },
  );
  if (result.report.failed === 0) await rebuilder.clear();
  if (result.report.images.some(({ error }) => error?.code === 'BUNDLE_DAMAGED'))
    await tellDamaged(ctx, bundle);
  return result;
}

/** Where the mirror has an older layer: as the bundle says, else beside the image that needs it. */
function placeOf(
  destination: Destination | undefined,
  repository: string | undefined,
  target: Reference,
): string {
  if (repository === undefined) return target.repository;
  return destination ? repositoryAt(destination, repository) : repository;
}

/** All that has to be fetched again from the other side, in one go. */
async function tellDamaged(ctx: Context, bundle: BundleContents): Promise<void> {
  const damaged = await bundle.damaged(ctx);
  if (damaged.length === 0) return;
  const shown = damaged.map(({ file, found }) => `${file} (${found})`).join(', ');
  ctx.emit({
    type: 'warning.raised',
    message: `Damaged in the bundle: ${shown}`,
    hint: 'Copy these again from the side that saved them; every other chunk is whole',
  });
}

/** What a load would put into the mirror. */
export function planLoad(ctx: Context, options: LoadOptions): Promise<DryRun> {
  const { destination, registries, workingDir } = options;
  return withBundle(ctx, options, (bundle) =>
    dryRun(ctx, contentOf(bundle, bundle.placed(destination), neverSaved(bundle)), {
      workingDir,
      isThere: presentIn(ctx, registries),
      have: bundle.base,
      resources: options,
    }),
  );
}

function contentOf(
  bundle: BundleContents,
  placed: RunContent['placed'],
  failures: RunContent['failures'] = [],
): RunContent {
  const sourceOf: RunContent['sourceOf'] = (image) => bundle.sourceOf(image);
  return { placed, sourceOf, signatures: bundle.signatures, failures };
}

const LOOKS_AT_ONCE = 8;

/** What the bundle leaves to earlier ones, and the mirror does not have either. */
async function missingFromMirror(
  ctx: Context,
  bundle: BundleContents,
  { destination, registries }: Pick<LoadRun, 'destination' | 'registries'>,
): Promise<CollectFailure[]> {
  const expected = destination ? bundle.expected(destination) : [];
  const looks = await mapBounded(ctx, LOOKS_AT_ONCE, expected, async ({ image, target }) => {
    const repository = registries.repository(target.registry, target.repository);
    const name = image.digest ?? target.tag;
    const found = name === undefined ? undefined : await repository.can.read?.resolve(ctx, name);
    return found ? [] : [absent(image, formatReference(target))];
  });
  return looks.flat();
}

function absent({ source }: ContentImage, target: string): CollectFailure {
  return {
    subject: formatReference(source),
    code: 'BUNDLE_BASE_MISSING',
    message: `Neither the archives nor the mirror has it: there is no ${target}`,
    hint: 'Load the archives that were written before these, or save all of it again',
  };
}

/** What a partial bundle lacks is missing in the mirror, too, however well the rest arrives. */
const neverSaved = ({ missing }: BundleContents): CollectFailure[] =>
  missing.map(({ subject, message }) => ({
    subject,
    code: 'BUNDLE_PARTIAL',
    message: `The bundle is partial, this could not be saved: ${message}`,
    hint: 'Run the same "atoll mirror save" again on the other side, and carry what it adds',
  }));

/** Opens the bundle for as long as `work` takes. */
export async function withBundle<T>(
  ctx: Context,
  { folder, keys = [] }: Pick<LoadOptions, 'folder' | 'keys'>,
  work: (bundle: BundleContents) => Promise<T>,
): Promise<T> {
  const bundle = await openAny(ctx, folder, await keysUnderRule(keys));
  try {
    return await work(bundle);
  } finally {
    await bundle.close();
  }
}

/** A bundle of atoll, or archives of oc-mirror v2. */
async function openAny(
  ctx: Context,
  folder: string,
  keys: readonly PublicKey[],
): Promise<BundleContents> {
  const archives = await findOcArchives(folder);
  if (archives.length === 0) return await openBundle(ctx, folder, keys);
  if (keys.length === 0) return await openOcArchive(ctx, archives);
  throw new AtollError('SIGNATURE_INVALID', `Cannot trust the archives in "${folder}"`, {
    hint: 'oc-mirror does not sign: load them without --verify-key, or save with atoll and --sign-key',
  });
}

/** The base of a delta, in the names of this mirror. */
function baseAt(destination: Destination | undefined, base: BundleContents['base']) {
  if (!destination) return base;
  return new Map(
    [...base].map(([digest, repository]) => [
      digest,
      repository === undefined ? undefined : repositoryAt(destination, repository),
    ]),
  );
}
