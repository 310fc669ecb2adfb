import type { Context } from '../../core/context.ts';
import type { KnownTags } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import { signatureTags } from '../../oci/referrers.ts';
import type { SourceRepository } from './copy-repositories.ts';

/** Something that belongs to an image: by its tag (cosign), or by its subject (OCI 1.1). */
export interface Attachment {
  readonly descriptor: Descriptor;
  readonly tag?: string | undefined;
  /** What it says it belongs to. */
  readonly subject?: Digest | undefined;
}

/** One page of most registries. A longer list costs more than asking for each tag. */
const MAX_TAGS = 1000;

/** Looks for signatures, attestations and other artifacts of images at a source. */
export class AttachmentFinder {
  readonly #tags = new Map<string, KnownTags>();
  readonly #firstAnswers = new Map<string, Promise<unknown>>();

  /** Lists tags before a digest is known to look for among them, so that a distant source is asked at once. */
  begin(ctx: Context, from: SourceRepository): void {
    // Not awaited when the image itself cannot be read: its failure must not be unhandled.
    this.#tagsOf(ctx, from).catch(() => undefined);
  }

  async find(ctx: Context, from: SourceRepository, subject: Digest): Promise<Attachment[]> {
    const tags = this.#tagsOf(ctx, from);
    const [tagged, referring] = await Promise.all([
      byTag(ctx, from, subject, tags),
      this.#byReferrer(ctx, from, subject, tags),
    ]);
    return [...tagged, ...referring];
  }

  /** One question first: its answer shows whether the registry can be asked for referrers at all. */
  async #byReferrer(
    ctx: Context,
    from: SourceRepository,
    subject: Digest,
    tags: KnownTags,
  ): Promise<Attachment[]> {
    const first = this.#firstAnswers.get(from.group.name);
    // Only then: to wait for nothing is to wait, too, and the next would be the first as well.
    if (first) await first.catch(() => undefined);
    const answer = byReferrer(ctx, from, subject, tags);
    if (!first) this.#firstAnswers.set(from.group.name, answer);
    return await answer;
  }

  /** All tags where they are few; undefined where they are many or may not be listed. */
  #tagsOf(ctx: Context, { source, key }: SourceRepository): KnownTags {
    const known = this.#tags.get(key);
    if (known) return known;
    const { tags: list } = source.can;
    const tags = list ? listTags(ctx, list(ctx)) : Promise.resolve(undefined);
    this.#tags.set(key, tags);
    return tags;
  }
}

async function byTag(
  ctx: Context,
  { source }: SourceRepository,
  subject: Digest,
  tags: KnownTags,
): Promise<Attachment[]> {
  const listed = await tags;
  const candidates = signatureTags(subject).filter((tag) => listed?.has(tag) ?? true);
  const found = candidates.map(async (tag) => {
    const descriptor = await source.resolve(ctx, tag);
    return descriptor ? [{ descriptor, tag }] : [];
  });
  return (await Promise.all(found)).flat();
}

async function byReferrer(
  ctx: Context,
  { source }: SourceRepository,
  subject: Digest,
  tags: KnownTags,
): Promise<Attachment[]> {
  const referrers = (await source.can.referrers?.(ctx, subject, tags)) ?? [];
  return referrers
    .filter(({ mediaType }) => isManifestType(mediaType))
    .map((descriptor) => ({ descriptor, subject }));
}

async function listTags(ctx: Context, tags: AsyncIterable<string>): KnownTags {
  const found = new Set<string>();
  let count = 0;
  try {
    for await (const tag of tags) {
      count += 1;
      if (count > MAX_TAGS) return undefined;
      if (tag.startsWith('sha')) found.add(tag);
    }
    return found;
  } catch (error) {
    // Some registries let images be pulled but not tags be listed. Then each tag is asked for.
    if (ctx.signal.aborted) throw error;
    return undefined;
  }
}
