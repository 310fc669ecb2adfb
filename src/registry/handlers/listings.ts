import { by } from '../../core/order.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isIndex, parseManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { referrersTag } from '../../oci/referrers.ts';
import { type Exchange, type Handler, replyJson } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { type HeaderFields, WireError } from '../serving/wire-error.ts';
import { findManifest } from '../storage/manifest-content.ts';

/** GET /v2/NAME/tags/list */
export const listTags: Handler<RouteOf<'tags'>> = async (exchange, { repository }) => {
  const { ctx, links } = exchange.service;
  if (!(await links.exists(ctx, repository))) {
    throw new WireError('NAME_UNKNOWN', 'There is no such repository');
  }
  const { n, last } = pageOf(exchange.query);
  const page = await take(links.tags.list(ctx, repository, last), n);
  const path = `/v2/${repository}/tags/list`;
  replyJson(exchange, { name: repository, tags: page.items }, linkOf(path, n, page));
};

/** GET /v2/_catalog: not in the specification, but asked for by many tools. Only what one may see. */
export const listRepositories: Handler<RouteOf<'catalog'>> = async (exchange) => {
  const { ctx, links } = exchange.service;
  const { n = 1000, last } = pageOf(exchange.query);
  const page = await take(visible(exchange, links.repositories(ctx, last)), n);
  replyJson(exchange, { repositories: page.items }, linkOf('/v2/_catalog', n, page));
};

/** GET /v2/NAME/referrers/DIGEST: never 404, for nothing refers to what nobody knows. */
export const listReferrers: Handler<RouteOf<'referrers'>> = async (exchange, route) => {
  const { service, query, entry } = exchange;
  const { repository, digest } = route;
  if (!isDigest(digest)) throw new WireError('DIGEST_INVALID', 'This is not a digest');
  entry.digest = digest;
  // A plus in a query reads as a blank, and no media type has blanks.
  const wanted = query.get('artifactType')?.replaceAll(' ', '+') || undefined;
  const { last } = pageOf(query);
  const most = service.limits.referrersPerPage;
  const all = referrersOf(exchange, repository, digest, last);
  const page = await take(ofType(all, wanted), most);
  const manifests = page.items;
  const next = new URLSearchParams(wanted ? { artifactType: wanted } : {});
  if (page.more) next.set('last', manifests.at(-1)?.digest ?? '');
  replyJson(
    exchange,
    { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests },
    {
      'content-type': MEDIA_TYPES.ociIndex,
      ...(wanted ? { 'oci-filters-applied': 'artifactType' } : {}),
      ...(page.more ? { link: `</v2/${repository}/referrers/${digest}?${next}>; rel="next"` } : {}),
    },
  );
};

/** In the order of their digests, so that a page can start anywhere. */
async function* referrersOf(
  exchange: Exchange,
  repository: string,
  subject: Digest,
  after = '',
): AsyncGenerator<Descriptor> {
  const { ctx, links } = exchange.service;
  const found = new Map<string, Descriptor>();
  for (const one of await fallbackList(exchange, repository, subject)) found.set(one.digest, one);
  const known = links.referrers(subject);
  for await (const digest of known.list(ctx, repository)) {
    const referrer = await known.get(ctx, repository, digest);
    if (referrer) found.set(digest, referrer);
  }
  const sorted = [...found.values()].toSorted(by(({ digest }) => digest));
  yield* sorted.filter(({ digest }) => digest > after);
}

async function* ofType(
  all: AsyncIterable<Descriptor>,
  artifactType: string | undefined,
): AsyncGenerator<Descriptor> {
  for await (const one of all) {
    if (artifactType === undefined || one.artifactType === artifactType) yield one;
  }
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

interface Page<T> {
  readonly items: readonly T[];
  readonly more: boolean;
}

async function take<T>(all: AsyncIterable<T>, n = Number.POSITIVE_INFINITY): Promise<Page<T>> {
  const items: T[] = [];
  if (n === 0) return { items, more: false };
  for await (const item of all) {
    if (items.length >= n) return { items, more: true };
    items.push(item);
  }
  return { items, more: false };
}

function pageOf(query: URLSearchParams): { n?: number; last?: string } {
  const n = query.get('n');
  const last = query.get('last');
  if (n !== null && !/^\d{1,9}$/.test(n)) {
    throw new WireError('SIZE_INVALID', 'The page size "n" has to be a number');
  }
  return { ...(n === null ? {} : { n: Number(n) }), ...(last ? { last } : {}) };
}

function linkOf(path: string, n: number | undefined, page: Page<string>): HeaderFields {
  if (!page.more) return {};
  const query = new URLSearchParams({ n: String(n), last: page.items.at(-1) ?? '' });
  return { link: `<${path}?${query}>; rel="next"` };
}

async function* visible(exchange: Exchange, names: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const name of names) if (exchange.allows('pull', name)) yield name;
}
