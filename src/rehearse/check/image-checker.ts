import type { KeyObject } from 'node:crypto';
import { chooseImage } from '../../content/layers/choose-image.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { isDigest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { isIndexType } from '../../oci/media-types.ts';
import { formatPlatform } from '../../oci/platform.ts';
import { formatReference, type Reference } from '../../oci/reference.ts';
import type { PullEndpoint } from '../../oci/registries/match.ts';
import type { WantedImage } from '../images/wanted-image.ts';
import { type FailedEndpoint, type FoundImage, findImage } from '../node/find-image.ts';
import type { RehearsalNode } from '../node/open-node.ts';
import type { BlobChecks } from './blob-checks.ts';
import { refusedHole } from './classify.ts';
import { checkConfigs } from './configs.ts';
import {
  damaged,
  type Lookup,
  missingLayer,
  missingManifest,
  missingPlatform,
  unreadable,
} from './content-holes.ts';
import { type Hole, seenWith } from './hole.ts';
import { doorOf } from './login-holes.ts';
import { type PullRoute, routeOf } from './lookup.ts';
import { strayOnBootstrap } from './rule-holes.ts';
import { checkSignatures } from './signatures.ts';

/** What a rehearsal learned about one image. */
export interface ImageCheck {
  readonly image: WantedImage;
  readonly route: PullRoute;
  readonly found: FoundImage | undefined;
  /** Config and layers that a node pulls, of all platforms of the nodes. */
  readonly blobs: readonly Descriptor[];
  readonly holes: readonly Hole[];
}

export interface CheckerOptions {
  readonly blobs: BlobChecks;
  /** Holes on the way to a registry, or with one login there (`doorOf`), which stop all its images. */
  readonly hostHoles: ReadonlyMap<string, readonly Hole[]>;
  readonly allowUpstream: boolean;
  readonly imageSet: string;
  readonly sigstoreKey: KeyObject | undefined;
  readonly unchecked: (what: string) => void;
}

/** Pulls images as a node does, without keeping anything: rules, manifest, config, layers, signature. */
export class ImageChecker {
  readonly #node: RehearsalNode;
  readonly #options: CheckerOptions;

  constructor(node: RehearsalNode, options: CheckerOptions) {
    this.#node = node;
    this.#options = options;
  }

  route(image: WantedImage): PullRoute {
    return routeOf(this.#node, image, this.#options.allowUpstream);
  }

  /** The first endpoint that has the image, and why those before it did not do. */
  async find(ctx: Context, image: WantedImage): Promise<Pick<ImageCheck, 'found' | 'holes'>> {
    const route = this.route(image);
    const closed = route.endpoints.flatMap(({ reference }) => this.#hostHoles(reference));
    const open = this.#openOf(route.endpoints);
    const { found, failures } = await findImage(ctx, this.#node.registries, open);
    const seen = closed.map((hole) => seenWith(hole, image));
    const missed = failures.flatMap((failure) => this.#failed(image, route, failure, found));
    const holes = [...seen, ...missed].map((hole) => (found ? asWarning(hole) : hole));
    const bootstrap = found ? await this.#bootstrap(ctx, image, route, found) : [];
    return { found, holes: [...route.holes, ...holes, ...bootstrap] };
  }

  /** The bootstrap machine must find it, too, by its own rules. */
  async #bootstrap(ctx: Context, image: WantedImage, route: PullRoute, found: FoundImage) {
    const { bootstrap = [] } = route;
    const isFound = ({ reference }: PullEndpoint) =>
      formatReference(reference) === formatReference(found.endpoint.reference);
    if (bootstrap.length === 0 || bootstrap.some(isFound)) return [];
    const search = await findImage(ctx, this.#node.registries, this.#openOf(bootstrap));
    if (search.found) return [];
    const asked = bootstrap.map(({ reference }) => reference);
    return [strayOnBootstrap(image, asked, found.endpoint.reference)];
  }

  #openOf(endpoints: readonly PullEndpoint[]): PullEndpoint[] {
    return endpoints.filter(({ reference }) => this.#hostHoles(reference).length === 0);
  }

  async check(ctx: Context, image: WantedImage): Promise<ImageCheck> {
    const route = this.route(image);
    const { found, holes } = await this.find(ctx, image);
    if (!found) return { image, route, found, blobs: [], holes };
    const lookup = this.#lookup(image, route, found.endpoint.reference);
    const instances = await this.#instances(ctx, lookup, found);
    const blobs = instances.manifests.flatMap(({ children }) => children);
    const content = await this.#content(ctx, lookup, found, instances.manifests);
    return { image, route, found, blobs, holes: [...holes, ...instances.holes, ...content] };
  }

  #hostHoles(reference: Reference): readonly Hole[] {
    const { hostHoles } = this.#options;
    const door = doorOf(this.#node.config, reference);
    return [reference.registry, door]
      .flatMap((key) => hostHoles.get(key) ?? [])
      .filter(({ severity }) => severity === 'hole');
  }

  #lookup(image: WantedImage, route: PullRoute, target: Lookup['target']): Lookup {
    return { image, target, rule: route.shown, imageSet: this.#options.imageSet };
  }

  /** An endpoint without the image is no fault where a later one has it. */
  #failed(
    image: WantedImage,
    route: PullRoute,
    { reference, error }: FailedEndpoint,
    found: FoundImage | undefined,
  ): Hole[] {
    const lookup = this.#lookup(image, route, reference);
    if (error === undefined) return found ? [] : [missingManifest(lookup)];
    return [this.#trouble(lookup, error)];
  }

  #trouble(lookup: Lookup, error: unknown): Hole {
    const code = error instanceof AtollError ? error.code : undefined;
    if (code === 'CONTENT_MISMATCH') return damaged(lookup, 'manifest', messageOf(error));
    if (code === 'MANIFEST_INVALID' || code === 'MANIFEST_UNSUPPORTED')
      return unreadable(lookup, messageOf(error));
    return seenWith(refusedHole(this.#node.config, lookup.target, error), lookup.image);
  }

  /** The images that nodes run: the one that was found, or of an index those for their platforms. */
  async #instances(ctx: Context, lookup: Lookup, { repository, descriptor }: FoundImage) {
    const manifests: RawManifest[] = [];
    const holes: Hole[] = [];
    const platforms = isIndexType(descriptor.mediaType)
      ? this.#node.config.platforms
      : this.#node.config.platforms.slice(0, 1);
    for (const platform of platforms) {
      try {
        manifests.push(await chooseImage(ctx, repository, descriptor, platform));
      } catch (error) {
        ctx.signal.throwIfAborted();
        holes.push(this.#noInstance(lookup, platform, error));
      }
    }
    return { manifests, holes };
  }

  #noInstance(lookup: Lookup, platform: Platform, error: unknown): Hole {
    if (!(error instanceof AtollError)) return this.#trouble(lookup, error);
    const { code, details } = error;
    const absent = code === 'IMAGE_UNKNOWN' || code === 'CONTENT_MISSING';
    // A status means that the registry said so; without one the index has no such child.
    if (absent && details.status === undefined)
      return missingPlatform(lookup, formatPlatform(platform), error.message);
    if (!absent) return this.#trouble(lookup, error);
    const child = String(details.reference ?? '');
    return missingManifest(lookup, isDigest(child) ? child : undefined);
  }

  async #content(
    ctx: Context,
    lookup: Lookup,
    found: FoundImage,
    manifests: readonly RawManifest[],
  ): Promise<Hole[]> {
    const { repository } = found;
    const blobs = manifests.flatMap(({ children }) => children);
    const layers = await Promise.all(blobs.map((blob) => this.#blob(ctx, lookup, found, blob)));
    const holes = layers.filter((hole) => hole !== undefined);
    const { platforms } = this.#node.config;
    const configs =
      holes.length > 0 ? [] : await checkConfigs(ctx, lookup, repository, manifests, platforms);
    const signatures = await checkSignatures(
      ctx,
      lookup,
      repository,
      manifests.map(({ descriptor }) => descriptor),
      {
        policy: this.#node.config.policy,
        key: this.#options.sigstoreKey,
        unchecked: this.#options.unchecked,
      },
    );
    return [...holes, ...configs, ...signatures];
  }

  async #blob(
    ctx: Context,
    lookup: Lookup,
    { repository }: FoundImage,
    blob: Descriptor,
  ): Promise<Hole | undefined> {
    const result = await this.#options.blobs.check(ctx, repository, blob);
    switch (result.state) {
      case 'good':
        return undefined;
      case 'missing':
        return missingLayer(lookup, blob.digest);
      case 'damaged':
        return damaged(lookup, 'layer', result.words);
      case 'refused':
        return this.#trouble(lookup, result.error);
    }
  }
}

function asWarning(hole: Hole): Hole {
  return { ...hole, severity: 'warning' };
}
