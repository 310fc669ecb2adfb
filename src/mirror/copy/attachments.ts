import type { Context } from '../../core/context.ts';
import type { KnownTags } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest, splitDigest } from '../../oci/digest.ts';
import { isManifestType } from '../../oci/media-types.ts';
import type { SourceRepository } from './copy-repositories.ts';

/** Something that belongs to an image: by its tag (cosign), or by its subject (OCI 1.1). */
export interface Attachment {
  readonly descriptor: Descriptor;
  readonly tag?: string | undefined;
  /** What it says it belongs to. */
  readonly subject?: Digest | undefined;
}

/** What cosign appends to the name of an image's digest. */
const SUFFIXES = ['sig', 'att', 'sbom'] as const;
/** One page of most registries. A longer list costs more than asking for each tag. */
const MAX_TAGS = 1000;

export function signatureTags(subject: Digest): string[] {
  const { algorithm, hex } = splitDigest(subject);
  return SUFFIXES.map((suffix) => `${algorithm}-${hex}.${suffix}`);
}

const SIGNATURE_TAG = /^(?<algorithm>sha256|sha512)-(?<hex>[0-9a-f]+)\.(?:sig|att|sbom)$/;

/** The digest of the image that a tag of cosign belongs to; undefined for every other tag. */
export function signedDigest(tag: string): Digest | undefined {
  const { algorithm, hex } = SIGNATURE_TAG.exec(tag)?.groups ?? {};
  const digest = `${algorithm}:${hex}`;
  return isDigest(digest) ? digest : undefined;
}

/** Looks for signatures, attestations and other artifacts of images at a source. */
export class AttachmentFinder {
  readonly #tags = new Map<string, KnownTags>();
  readonly #firstAnswers = new Map<string, Promise<unknown>>();

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
    await first?.catch(() => undefined);
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
