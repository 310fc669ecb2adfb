import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { makeFolder } from '../../core/files.ts';
import { withLock } from '../../core/lock.ts';
import { freeSpace } from '../../store/disk/free-space.ts';
import type { BundleContent, BundleIndex } from '../bundle/bundle-index.ts';
import type { Signer } from '../bundle/bundle-signature.ts';
import { BundleWriter } from '../bundle/bundle-writer.ts';
import type { CopyReport, ImageResult } from '../copy/job.ts';
import { parseDestination } from '../destination.ts';
import { blobRepositories } from './blob-repositories.ts';
import { type CollectedContent, type Collecting, collectPlaced } from './collect-content.ts';
import { copyContent } from './copy-content.ts';
import { type DryRun, dryRun } from './dry-run.ts';
import { recordOf } from './image-record.ts';
import type { PreviousImage } from './inventory.ts';
import { pacedBy } from './paced-source.ts';
import { failuresOf, type MirrorReport } from './report.ts';
import type { RunOptions } from './run.ts';
import { type ImageLayer, saveDeltas, withDeltas } from './save-deltas.ts';
import type { WorkingDir } from './working-dir.ts';
import { reportOf, writeReports } from './write-report.ts';

/** What filling a bundle needs, whatever goes into it. */
export interface FillOptions extends RunOptions {
  readonly folder: string;
  /** Where the report goes; none is written without it. */
  readonly workingDir?: WorkingDir | undefined;
  readonly signer?: Signer | undefined;
}

export interface SaveOptions extends FillOptions, Omit<Collecting, 'destination'> {
  readonly chunkBytes: number;
  /** What the mirror has already, by digest, with a repository that holds it where known. */
  readonly have?: ReadonlyMap<string, string | undefined> | undefined;
  /** Ids of the bundles that `have` comes from. */
  readonly since?: readonly string[] | undefined;
  /** Images the mirror has: new layers are carried as the difference to theirs. */
  readonly previous?: readonly PreviousImage[] | undefined;
  /** Folders of earlier bundles: older layers are read there where they can be. */
  readonly earlier?: readonly string[] | undefined;
  /** Bytes a second that the way across carries: what is faster whole is carried whole. */
  readonly linkBytesPerSecond?: number | undefined;
  /** Adds to a finished bundle, which is refused otherwise. */
  readonly grow?: boolean | undefined;
}

export interface SaveResult {
  readonly report: MirrorReport;
  /** None where nothing of what was asked for could be saved. */
  readonly bundle?: BundleIndex | undefined;
  readonly folder: string;
  readonly reportFile?: string | undefined;
  readonly errorsFile?: string | undefined;
}

/** Only names that differ after loading matter here; any registry would do. */
const ANYWHERE = parseDestination('mirror.invalid');

/** Upstream to bundle. What fails is told and left out; the rest is a bundle that says what it lacks. */
export function saveBundle(ctx: Context, options: SaveOptions): Promise<SaveResult> {
  const { folder, chunkBytes, have, since, grow } = options;
  const open = () =>
    (grow ? BundleWriter.openOrGrow : BundleWriter.open)(folder, { chunkBytes, have, since });
  const collect = () => collectPlaced(ctx, { ...options, destination: ANYWHERE });
  const paced = pacedBy(options.maxBytesPerSecond);
  return fillBundle(ctx, options, open, collect, ({ placed, sourceOf }, writer) =>
    saveDeltas(ctx, { placed, sourceOf: (each) => paced(sourceOf(each)) }, writer, {
      oldSource: (reference) => paced(options.registries.source(reference)),
      have: have ?? new Map(),
      previous: options.previous ?? [],
      earlier: options.earlier ?? [],
      folder: options.workingDir?.file('partial', 'delta') ?? join(folder, 'bundle.delta'),
      linkBytesPerSecond: options.linkBytesPerSecond,
    }),
  );
}

/** What is put into the bundle before the images are copied. */
type BeforeCopy = (
  content: CollectedContent,
  writer: BundleWriter,
) => Promise<readonly ImageLayer[]>;

/** Copies images into a bundle and finishes it. A run that fails leaves what is there for the next. */
export async function fillBundle(
  ctx: Context,
  options: FillOptions,
  open: () => Promise<BundleWriter>,
  collect: () => Promise<CollectedContent>,
  before: BeforeCopy = async () => [],
): Promise<SaveResult> {
  const { folder } = options;
  await makeFolder(folder);
  return await withLock(ctx, join(folder, 'bundle.lock'), { waitMs: 1000 }, async () => {
    const writer = await open();
    try {
      const content = await collect();
      return await fill(ctx, writer, content, await before(content, writer), options);
    } catch (error) {
      await writer.close();
      throw error;
    }
  });
}

async function fill(
  ctx: Context,
  writer: BundleWriter,
  content: CollectedContent,
  deltas: readonly ImageLayer[],
  options: FillOptions,
): Promise<SaveResult> {
  const { folder, workingDir, signer } = options;
  const targetFor = () => ({ target: writer, tags: [], to: folder });
  const copy = await copyContent(ctx, content, { ...options, targetFor, title: 'Saving images' });
  const repositories = blobRepositories(content.placed, copy, writer.manifests);
  const report = withDeltas(reportOf({ flow: 'save', folder }, content, copy), deltas);
  let files: Pick<SaveResult, 'reportFile' | 'errorsFile'> = {};
  const tell = async () => {
    if (workingDir) files = await writeReports(ctx, workingDir, report);
  };
  const bundled = bundleContent(content, copy, report);
  if (bundled.missing && bundled.images.length === 0 && !writer.isGrowing) {
    await writer.close();
    await tell();
    return { report, folder, ...files };
  }
  const bundle = await writer.finish(ctx, bundled, { signer, repositories, tell });
  return { report, bundle, folder, ...files };
}

/** What a save would write, and whether there is room for it. */
export async function planSave(
  ctx: Context,
  options: SaveOptions & { readonly workingDir: WorkingDir },
): Promise<DryRun> {
  const { folder, workingDir, have } = options;
  const content = await collectPlaced(ctx, { ...options, destination: ANYWHERE });
  const plan = await dryRun(ctx, content, { workingDir, isThere: async () => false, have });
  const freeBytes = await freeSpace(folder);
  return { ...plan, here: { path: folder, neededBytes: plan.missingBytes, freeBytes } };
}

function bundleContent(
  { placed, signatures }: CollectedContent,
  copy: CopyReport,
  report: MirrorReport,
): BundleContent {
  const images = placed.flatMap((each, index) => {
    const { outcome, root } = copy.images[index] as ImageResult;
    if (outcome === 'failed' || !root) return [];
    const { digest, mediaType, size } = root;
    return [{ ...recordOf(each, digest), digest, mediaType, size }];
  });
  const missing = failuresOf(report).map(({ subject, message }) => ({ subject, message }));
  return {
    images,
    ...(missing.length > 0 ? { missing } : {}),
    signatures: signatures.map(({ digest, bytes, release }) => ({
      digest,
      version: release.version,
      tag: release.tag,
      base64: Buffer.from(bytes).toString('base64'),
    })),
  };
}
