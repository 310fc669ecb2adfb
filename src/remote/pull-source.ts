import type { Context } from '../core/context.ts';
import { AtollError, messageOf } from '../core/errors.ts';
import { metNobody } from '../http/network-error.ts';
import type { BlobDownload } from '../oci/bulk.ts';
import { type KnownTags, sourceAbilities } from '../oci/content.ts';
import type { Descriptor } from '../oci/descriptor.ts';
import { type Digest, isDigest } from '../oci/digest.ts';
import type { RawManifest } from '../oci/manifest.ts';
import { formatReference, type Reference } from '../oci/reference.ts';
import { signedDigest } from '../oci/referrers.ts';
import { type PullEndpoint, pullEndpoints } from '../oci/registries/match.ts';
import type { RegistriesConf } from '../oci/registries/model.ts';
import type { PullSource, Repository } from './registries.ts';

export interface PullWays {
  readonly conf: () => Promise<RegistriesConf>;
  readonly open: (endpoint: PullEndpoint) => Repository;
  /** Whether signatures beside the image are to be looked for; always where this is not said. */
  readonly hasAttachments?: (ctx: Context) => Promise<boolean>;
}

interface Attempt {
  readonly name: string;
  readonly error: unknown;
}

/**
 * Reads as a node does: mirrors in order, then the source. The first that has the manifest serves
 * everything else too.
 */
export class MirroredSource implements PullSource {
  readonly can = sourceAbilities(this);
  readonly #reference: Reference;
  readonly #ways: PullWays;
  #chosen: Repository | undefined;

  constructor(reference: Reference, ways: PullWays) {
    this.#reference = reference;
    this.#ways = ways;
  }

  get endpoint(): string | undefined {
    return this.#chosen && `${this.#chosen.registry}/${this.#chosen.repository}`;
  }

  async resolve(ctx: Context, tagOrDigest: string): Promise<Descriptor | undefined> {
    if (await this.#isPassedOver(ctx, tagOrDigest)) return undefined;
    return await this.#first(ctx, tagOrDigest, (place) => place.resolve(ctx, tagOrDigest));
  }

  async find(ctx: Context, tagOrDigest: string): Promise<RawManifest | undefined> {
    if (await this.#isPassedOver(ctx, tagOrDigest)) return undefined;
    return await this.#first(ctx, tagOrDigest, (place) => place.find(ctx, tagOrDigest));
  }

  async manifest(ctx: Context, descriptor: Descriptor): Promise<RawManifest> {
    if (this.#chosen) return await this.#chosen.manifest(ctx, descriptor);
    const read = (place: Repository) => place.manifest(ctx, descriptor).catch(asAbsent);
    const found = await this.#first(ctx, descriptor.digest, read);
    if (found) return found;
    throw this.#unknown(descriptor.digest);
  }

  async *blob(ctx: Context, descriptor: Descriptor, offset = 0): AsyncGenerator<Uint8Array> {
    yield* (await this.#serving(ctx, descriptor)).blob(ctx, descriptor, offset);
  }

  async openBlob(ctx: Context, blob: Descriptor, offset = 0): Promise<BlobDownload> {
    return await (await this.#serving(ctx, blob)).openBlob(ctx, blob, offset);
  }

  async referrers(ctx: Context, subject: Digest, tags?: KnownTags): Promise<readonly Descriptor[]> {
    if (!((await this.#ways.hasAttachments?.(ctx)) ?? true)) return [];
    const place = this.#chosen ?? (await this.#found(ctx, subject));
    return await place.referrers(ctx, subject, tags);
  }

  async *tags(ctx: Context): AsyncGenerator<string> {
    if (this.#chosen) yield* this.#chosen.tags(ctx);
    else yield* await this.#firstTags(ctx);
  }

  async #isPassedOver(ctx: Context, tagOrDigest: string): Promise<boolean> {
    if (signedDigest(tagOrDigest) === undefined) return false;
    return !((await this.#ways.hasAttachments?.(ctx)) ?? true);
  }

  /** The repository that serves blobs: the one the manifest came from, else the first that has the blob. */
  async #serving(ctx: Context, blob: Descriptor): Promise<Repository> {
    if (this.#chosen) return this.#chosen;
    const has = async (place: Repository) => ((await place.has(ctx, blob)) ? place : undefined);
    const place = await this.#first(ctx, blob.digest, has);
    if (place) return place;
    throw this.#unknown(blob.digest);
  }

  /** Where one endpoint alone can have it, whether it does shows in what is asked of it next. */
  async #found(ctx: Context, tagOrDigest: string): Promise<Repository> {
    const [only, second] = await this.#places(tagOrDigest);
    if (only && !second) return only;
    await this.resolve(ctx, tagOrDigest);
    if (this.#chosen) return this.#chosen;
    throw this.#unknown(tagOrDigest);
  }

  async #firstTags(ctx: Context): Promise<Iterable<string>> {
    const read = async (place: Repository) => {
      const tags: string[] = [];
      for await (const tag of place.tags(ctx)) tags.push(tag);
      return tags;
    };
    const tags = await this.#first(ctx, this.#reference.tag ?? 'latest', read);
    return tags ?? [];
  }

  /** Tries every endpoint in order; undefined when all of them said that there is no such thing. */
  async #first<T>(
    ctx: Context,
    tagOrDigest: string,
    read: (place: Repository) => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const attempts: Attempt[] = [];
    for (const place of await this.#places(tagOrDigest)) {
      try {
        const found = await read(place);
        if (found !== undefined) {
          this.#chosen = place;
          return found;
        }
        attempts.push({ name: nameOf(place), error: undefined });
      } catch (error) {
        if (ctx.signal.aborted) throw error;
        attempts.push({ name: nameOf(place), error });
      }
    }
    if (attempts.every(({ error }) => error === undefined)) return undefined;
    throw this.#failed(tagOrDigest, attempts);
  }

  async #places(tagOrDigest: string): Promise<Repository[]> {
    const wanted = this.#wanted(tagOrDigest);
    const { endpoints, blocked, blockedEndpoints } = pullEndpoints(await this.#ways.conf(), wanted);
    if (!blocked) return endpoints.map((endpoint) => this.#ways.open(endpoint));
    throw blockedError('read', wanted, blockedEndpoints);
  }

  /** By digest or by tag: mirrors may serve only one kind of pull. */
  #wanted(tagOrDigest: string): Reference {
    const { registry, repository } = this.#reference;
    return isDigest(tagOrDigest)
      ? { registry, repository, digest: tagOrDigest }
      : { registry, repository, tag: tagOrDigest };
  }

  #failed(tagOrDigest: string, attempts: readonly Attempt[]): unknown {
    const [only, second] = attempts;
    if (only && !second) return only.error;
    const tried = attempts.map(({ name, error }) => `${name}: ${wordsOf(error)}`).join('; ');
    const told = mostTelling(attempts);
    const cause = told instanceof AtollError ? told : undefined;
    const lacking = attempts.find(({ error }) => error === undefined);
    const hint = lacking
      ? `Put the image into ${lacking.name}, or see why the others fail`
      : cause?.hint;
    return new AtollError(
      cause?.code ?? 'REGISTRY_UNAVAILABLE',
      `Cannot read ${formatReference(this.#wanted(tagOrDigest))} from any of ${attempts.length} places: ${tried}`,
      { hint, details: cause?.details, cause: told },
    );
  }

  #unknown(tagOrDigest: string): AtollError {
    const name = formatReference(this.#wanted(tagOrDigest));
    return new AtollError('IMAGE_UNKNOWN', `Cannot read ${name}: no endpoint has it`, {
      hint: 'Check the spelling, and that the mirror holds this image',
      details: { registry: this.#reference.registry, repository: this.#reference.repository },
    });
  }
}

export function blockedError(
  action: string,
  wanted: Reference,
  endpoints: readonly string[],
): AtollError {
  return new AtollError(
    'REGISTRY_BLOCKED',
    `Cannot ${action} ${formatReference(wanted)}: registries.conf blocks ${endpoints.join(', ')}`,
    {
      hint: 'Mirror the image to a registry that is not blocked, or change registries.conf',
      details: { registry: wanted.registry, repository: wanted.repository },
    },
  );
}

/** An answer tells more than a failed connection, which is normal for sources beyond the air gap. */
function mostTelling(attempts: readonly Attempt[]): unknown {
  const errors = attempts.flatMap(({ error }) => (error === undefined ? [] : [error]));
  return errors.find((error) => !metNobody(error)) ?? errors[0];
}

function nameOf({ registry, repository }: Repository): string {
  return `${registry}/${repository}`;
}

function wordsOf(error: unknown): string {
  if (error === undefined) return 'does not have it';
  return error instanceof AtollError ? `${error.message} [${error.code}]` : messageOf(error);
}

function asAbsent(error: unknown): undefined {
  if (error instanceof AtollError && error.code === 'IMAGE_UNKNOWN') return undefined;
  throw error;
}
