import { chooseImage } from '../../content/layers/choose-image.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { parseReference, type Reference } from '../../oci/reference.ts';
import { endpointRules, pullEndpoints } from '../../oci/registries/match.ts';
import { type FailedEndpoint, type FoundImage, findImage } from '../../rehearse/node/find-image.ts';
import type { Repository } from '../../remote/registries.ts';
import { diskFullText, pullErrorText } from './container-error.ts';
import type { ImageStorage } from './image-storage.ts';
import type { NodeNetwork } from './node-network.ts';

const PLATFORM: Platform = { os: 'linux', architecture: 'amd64' };

/** An image that is now on the node: where it came from, and what it cost. */
export interface PulledImage {
  readonly image: string;
  /** `host/repository` that served it. */
  readonly endpoint: string;
  readonly digest: string;
  readonly bytes: number;
}

/** Pulls images as a node does: mirrors in order, the source last, every layer verified. */
export class NodePuller {
  readonly #network: NodeNetwork;
  readonly #storage: ImageStorage;
  readonly #pulled = new Map<string, PulledImage>();

  constructor(network: NodeNetwork, storage: ImageStorage) {
    this.#network = network;
    this.#storage = storage;
  }

  get pulled(): readonly PulledImage[] {
    return [...this.#pulled.values()];
  }

  /** Pulls one image; the error has the words a container runtime would print. */
  async pull(ctx: Context, image: string): Promise<PulledImage> {
    const known = this.#pulled.get(image);
    if (known) return known;
    const { repository, descriptor } = await this.find(ctx, image);
    const manifest = await chooseImage(ctx, repository, descriptor, PLATFORM);
    let bytes = 0;
    for (const blob of manifest.children) {
      if (await this.#storage.has(blob)) continue;
      await this.#store(ctx, repository, blob);
      bytes += blob.size;
    }
    const endpoint = `${repository.registry}/${repository.repository}`;
    const pulled = { image, endpoint, digest: descriptor.digest, bytes };
    this.#pulled.set(image, pulled);
    return pulled;
  }

  /** The first endpoint that has the manifest. */
  async find(ctx: Context, image: string): Promise<FoundImage> {
    const reference = parseReference(image);
    const { endpoints, blockedEndpoints } = pullEndpoints(this.#network.conf, reference);
    const { found, failures } = await findImage(ctx, this.#network.registries, endpoints);
    if (found) return found;
    const blocked = blockedEndpoints.length > 0 ? [this.#blocked(reference)] : [];
    throw new AtollError('IMAGE_UNKNOWN', pullErrorText(reference, [...failures, ...blocked]), {
      details: { image },
    });
  }

  #blocked(reference: Reference): FailedEndpoint {
    const name = `${reference.registry}/${reference.repository}`;
    const { blocked } = endpointRules(this.#network.conf, name);
    const error = new AtollError(
      blocked ? 'REGISTRY_BLOCKED' : 'REGISTRY_UNAVAILABLE',
      `Cannot use ${name}`,
    );
    return { reference, mirror: false, error };
  }

  async #store(ctx: Context, repository: Repository, blob: Descriptor): Promise<void> {
    try {
      await this.#storage.put(ctx, blob, repository.blob(ctx, blob));
    } catch (error) {
      const full = error instanceof AtollError && error.code === 'DISK_FULL';
      throw full ? new AtollError('DISK_FULL', diskFullText(blob.digest)) : error;
    }
  }
}
