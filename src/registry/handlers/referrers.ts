import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isIndex, parseManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { referrersTag } from '../../oci/referrers.ts';
import { type Exchange, type Handler, replyJson } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import type { ReferrerLink } from '../storage/links.ts';
import { findManifest } from '../storage/manifest-content.ts';

/** GET /v2/NAME/referrers/DIGEST: an empty list for an unknown digest, never 404, as the specification asks. */
export const listReferrers: Handler<RouteOf<'referrers'>> = async (exchange, route) => {
  const { query, entry } = exchange;
  const { repository, digest } = route;
  if (!isDigest(digest)) throw new WireError('DIGEST_INVALID', 'This is not a digest');
  entry.digest = digest;
  // A plus in a query reads as a blank, and no media type has blanks.
  const wanted = query.get('artifactType')?.replaceAll(' ', '+') || undefined;
  const all = referrersOf(exchange, repository, digest, query.get('last') ?? '');
  const { manifests, more } = await takePage(exchange, ofType(all, wanted));
  const next = new URLSearchParams(wanted ? { artifactType: wanted } : {});
  if (more) next.set('last', manifests.at(-1)?.digest ?? '');
  replyJson(
    exchange,
    { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests },
    {
      'content-type': MEDIA_TYPES.ociIndex,
      ...(wanted ? { 'oci-filters-applied': 'artifactType' } : {}),
      ...(more ? { link: `</v2/${repository}/referrers/${digest}?${next}>; rel="next"` } : {}),
    },
  );
};

/** A referrer that may be on the page: what is large about it is read only when it is. */
interface Candidate {
  readonly link: ReferrerLink;
  readonly describe: () => Promise<Descriptor | undefined>;
}

/** In the order of their digests, so that a page can start anywhere; one is read at a time. */
async function* referrersOf(
  exchange: Exchange,
  repository: string,
  subject: Digest,
  after: string,
): AsyncGenerator<Candidate> {
  const { ctx, links } = exchange.service;
  const known = links.referrers(subject);
  const listed = new Map<string, Descriptor>();
  for (const one of await fallbackList(exchange, repository, subject)) listed.set(one.digest, one);
  const digests = new Set([...listed.keys()].filter((digest) => digest > after));
  for await (const digest of known.list(ctx, repository, after || undefined)) digests.add(digest);
  for (const digest of [...digests].toSorted() as Digest[]) {
    const link = (await known.get(ctx, repository, digest)) ?? listed.get(digest);
    if (link) yield { link, describe: () => describe(exchange, repository, link) };
  }
}

async function* ofType(
  all: AsyncIterable<Candidate>,
  artifactType: string | undefined,
): AsyncGenerator<Candidate> {
  for await (const one of all) {
    if (artifactType === undefined || one.link.artifactType === artifactType) yield one;
  }
}

/** Undefined when the manifest cannot be read any more: then nobody can pull it either. */
async function describe(
  { service }: Exchange,
  repository: string,
  { annotated, ...descriptor }: ReferrerLink,
): Promise<Descriptor | undefined> {
  if (!annotated) return descriptor;
  const found = await findManifest(service, repository, descriptor.digest);
  if (!found) return undefined;
  const { annotations } = parseManifest(found.bytes, found.mediaType, found.digest).content;
  return { ...descriptor, ...(annotations ? { annotations } : {}) };
}

/** As many as fit in, and one at least. */
async function takePage(
  { service }: Exchange,
  all: AsyncIterable<Candidate>,
): Promise<{ manifests: readonly Descriptor[]; more: boolean }> {
  const { referrersPerPage, referrersPageBytes } = service.limits;
  const manifests: Descriptor[] = [];
  let bytes = 0;
  for await (const candidate of all) {
    if (manifests.length >= referrersPerPage) return { manifests, more: true };
    const descriptor = await candidate.describe();
    if (!descriptor) continue;
    bytes += Buffer.byteLength(JSON.stringify(descriptor));
    if (bytes > referrersPageBytes && manifests.length > 0) return { manifests, more: true };
    manifests.push(descriptor);
  }
  return { manifests, more: false };
}

/** Clients without the API keep the list in a tag made of the digest; it counts as well. */
async function fallbackList(
  { service }: Exchange,
  repository: string,
  subject: Digest,
): Promise<readonly Descriptor[]> {
  const found = await findManifest(service, repository, referrersTag(subject));
  if (!found) return [];
  const manifest = parseManifest(found.bytes, found.mediaType, found.digest);
  return isIndex(manifest) ? manifest.content.manifests : [];
}
