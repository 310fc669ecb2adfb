import * as z from 'zod';
import { packageViews } from '../../content/catalog/catalog-views.ts';
import { type CatalogPlace, openCatalog } from '../../content/catalog/open-catalog.ts';
import { readCatalog } from '../../content/catalog/read-catalog.ts';
import { type ResolvedCatalog, resolveCatalog } from '../../content/catalog/resolve-catalog.ts';
import { selectionView } from '../../content/catalog/selection-view.ts';
import { parseImageSet } from '../../content/image-set/parse-image-set.ts';
import type { GraphSource } from '../../content/release/graph/graph-source.ts';
import { riskWarnings, selectReleases } from '../../content/release/graph/select-releases.ts';
import { compareVersions } from '../../content/release/graph/update-path.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { mapBounded } from '../../core/pool.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { parseReference, tagOrDigestOf } from '../../oci/reference.ts';
import { walk } from '../../oci/walk.ts';
import type { Registries } from '../../remote/registries.ts';
import type {
  ChannelOffer,
  ComposedChoice,
  ComposedText,
  PackageOffer,
  PathOffer,
  WeightOffer,
} from '../model/choice.ts';
import { imageSetText } from './image-set-text.ts';

const AT_ONCE = 8;

const word = z.string().max(500);
const channel = z.strictObject({
  name: word,
  minVersion: word.exactOptional(),
  maxVersion: word.exactOptional(),
  shortestPath: z.boolean(),
});
const operators = z.strictObject({
  catalog: word,
  packages: z.array(z.strictObject({ name: word, channel: word })).max(500),
});
const choiceSchema = z.strictObject({
  channels: z.array(channel).max(20),
  operators: z.array(operators).max(20),
  additionalImages: z.array(word).max(2000),
  graph: z.boolean(),
}) satisfies z.ZodType<ComposedChoice>;

export interface ComposerOptions {
  readonly registries: Registries;
  readonly graph: GraphSource;
  /** The one file that it writes. */
  readonly file: string;
}

/** What there is to choose from, and the file that a choice becomes. */
export class Composer {
  readonly file: string;
  readonly #registries: Registries;
  readonly #graph: GraphSource;

  constructor({ registries, graph, file }: ComposerOptions) {
    this.#registries = registries;
    this.#graph = graph;
    this.file = file;
  }

  async channel(ctx: Context, name: string): Promise<ChannelOffer> {
    const { nodes } = await this.#graphOf(ctx, name);
    return { versions: nodes.map(({ version }) => version).toSorted(compareVersions) };
  }

  /** The releases a channel of the image set would mirror, and the way from one to the next. */
  async path(ctx: Context, chosen: unknown): Promise<PathOffer> {
    const wanted = channel.parse(chosen);
    const { yaml } = imageSetText({ ...NOTHING, channels: [wanted] });
    const [settled] = parseImageSet(yaml, 'imageset.yaml').platform?.channels ?? [];
    if (!settled) return { releases: [], steps: [], warnings: [] };
    const { releases, path, warnings } = selectReleases(
      await this.#graphOf(ctx, wanted.name),
      settled,
    );
    return {
      releases: releases.map(({ node }) => node.version),
      steps: path.map(({ from, to, risks }) => ({ from, to, risks: risks.length })),
      warnings: [...warnings, ...riskWarnings(path)],
    };
  }

  async packages(ctx: Context, catalog: string): Promise<readonly PackageOffer[]> {
    const open = await openCatalog(ctx, await this.#place(ctx, catalog));
    const read = await readCatalog(ctx, open);
    return packageViews(read.catalog).map(
      ({ name, defaultChannel, version, channels, deprecated }) => ({
        name,
        defaultChannel,
        version: version ?? '',
        channels,
        deprecated,
      }),
    );
  }

  /** What chosen operators bring along, and what it weighs. */
  async weigh(ctx: Context, chosen: unknown): Promise<WeightOffer> {
    const wanted = operators.parse(chosen);
    const { yaml } = imageSetText({ ...NOTHING, operators: [wanted] });
    const [settled] = parseImageSet(yaml, 'imageset.yaml').operators;
    if (!settled) throw new Error('An image set lost its operators');
    const place = await this.#place(ctx, wanted.catalog);
    const resolved = await resolveCatalog(ctx, place, { ...settled, dependencies: true });
    const view = selectionView(wanted.catalog, resolved);
    const weights = await this.#weightsOf(ctx, view.images);
    return {
      packages: view.packages.map(({ name, isDependency, bundles }) => ({
        name,
        isDependency,
        bundles: bundles.map((bundle) => ({ name: bundle.name, reasons: bundle.reasons })),
        bytes: bytesOf(imagesOf(wanted.catalog, resolved, name), weights),
      })),
      images: view.images.length,
      bytes: bytesOf(view.images, weights),
      unknown: view.images.filter((image) => !weights.has(image)).length,
      warnings: [...view.warnings, ...view.failures].map(({ message }) => message),
    };
  }

  text(choice: unknown): ComposedText {
    return imageSetText(choiceSchema.parse(choice));
  }

  /** Writes the file, unless mirroring would refuse it. */
  async save(ctx: Context, choice: unknown): Promise<{ readonly file: string }> {
    const { yaml, problems } = this.text(choice);
    if (problems.length > 0)
      throw new AtollError('INPUT_INVALID', `Cannot save this: ${problems.join('; ')}`);
    await writeFileAtomic(this.file, yaml);
    ctx.emit({ type: 'file.written', path: this.file });
    return { file: this.file };
  }

  #graphOf(ctx: Context, name: string) {
    const type = name.includes('okd') || name.includes('scos') ? 'okd' : 'ocp';
    return this.#graph.graph(ctx, { channel: name, architecture: 'amd64', type });
  }

  async #place(ctx: Context, catalog: string): Promise<CatalogPlace> {
    const reference = parseReference(catalog);
    const source = this.#registries.source(reference);
    const root = await source.resolve(ctx, tagOrDigestOf(reference));
    if (root) return { source, root, reference, isLayout: false };
    throw new AtollError('IMAGE_UNKNOWN', `Cannot find the catalog "${catalog}"`, {
      hint: 'Check its name and tag',
    });
  }

  /** Sizes come from manifests: no layer is read. Images of registries that do not answer are left out. */
  async #weightsOf(ctx: Context, images: readonly string[]): Promise<Weights> {
    const weights = new Map<string, readonly Descriptor[]>();
    await mapBounded(ctx, AT_ONCE, images, async (image) => {
      try {
        const reference = parseReference(image);
        const source = this.#registries.source(reference);
        const root = await source.resolve(ctx, tagOrDigestOf(reference));
        if (!root) throw new AtollError('IMAGE_UNKNOWN', `Cannot find ${image}`);
        const parts: Descriptor[] = [];
        for await (const { descriptor } of walk(ctx, source, root)) parts.push(descriptor);
        weights.set(image, parts);
      } catch (error) {
        if (!(error instanceof AtollError)) throw error;
      }
    });
    return weights;
  }
}

/** What each image is made of. */
type Weights = ReadonlyMap<string, readonly Descriptor[]>;

/** What is in several of them counts once. */
function bytesOf(images: readonly string[], weights: Weights): number {
  const sizes = new Map<string, number>();
  for (const { digest, size } of images.flatMap((image) => weights.get(image) ?? []))
    sizes.set(digest, size);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** The images of one package alone. */
function imagesOf(catalog: string, resolved: ResolvedCatalog, name: string): readonly string[] {
  const packages = resolved.selection.packages.filter((each) => each.name === name);
  return selectionView(catalog, { ...resolved, selection: { ...resolved.selection, packages } })
    .images;
}

const NOTHING: ComposedChoice = { channels: [], operators: [], additionalImages: [], graph: false };
