import { once } from '../../core/bytes.ts';
import { messageOf } from '../../core/errors.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isImage, type RawManifest } from '../../oci/manifest.ts';
import { isTag } from '../../oci/reference.ts';
import { getBlob } from '../handlers/blobs.ts';
import { listTags } from '../handlers/listings.ts';
import { getManifest } from '../handlers/manifests.ts';
import { listReferrers } from '../handlers/referrers.ts';
import type { Exchange, Handler, Service } from '../serving/exchange.ts';
import type { RouteOf } from '../serving/routes.ts';
import { WireError } from '../serving/wire-error.ts';
import { findManifest } from '../storage/manifest-content.ts';
import { cacheBlob } from './cache-blob.ts';
import {
  fetchManifest,
  type PullThrough,
  type UpstreamRepository,
  upstreamError,
} from './pull-through.ts';

/** A digest never changes and is asked for once; a tag is looked up every time, as long as it works. */
export const cachedManifest: Handler<RouteOf<'manifest'>> = async (exchange, route) => {
  const { repository, reference } = route;
  const { service } = exchange;
  if (isDigest(reference)) await ensureManifest(service, repository, reference);
  else if (isTag(reference)) await refreshTag(exchange, repository, reference);
  await getManifest(exchange, route);
};

async function ensureManifest(service: Service, repository: string, digest: Digest): Promise<void> {
  if (await findManifest(service, repository, digest)) {
    service.metrics.count('cache_hits');
    return;
  }
  service.metrics.count('cache_misses');
  const upstream = upstreamOf(service);
  await upstream.once(`manifest ${repository} ${digest}`, async () => {
    try {
      const found = await fetchManifest(service.ctx, upstream.repository(repository), digest);
      if (found) await keepManifest(service, repository, found);
    } catch (error) {
      throw upstreamError(error);
    }
  });
}

async function refreshTag(exchange: Exchange, repository: string, tag: string): Promise<void> {
  const { service, response } = exchange;
  const upstream = upstreamOf(service);
  try {
    await upstream.once(`tag ${repository} ${tag}`, () =>
      followTag(service, upstream.repository(repository), repository, tag),
    );
  } catch (error) {
    const wire = upstreamError(error);
    const stale = await findManifest(service, repository, tag);
    if (!stale || wire.status === 404) throw wire;
    service.metrics.count('cache_hits');
    response.setHeader('warning', '299 - "The upstream does not answer; this is the last known"');
    const message = `Serves ${repository}:${tag} from the cache: ${messageOf(error)}`;
    service.ctx.emit({ type: 'warning.raised', message, subject: upstream.registry });
  }
}

async function followTag(
  service: Service,
  upstream: UpstreamRepository,
  repository: string,
  tag: string,
): Promise<void> {
  const { ctx, links } = service;
  const descriptor = await upstream.resolve(ctx, tag);
  if (!descriptor) {
    await links.tags.remove(ctx, repository, tag);
    throw new WireError('MANIFEST_UNKNOWN', 'The upstream has no such tag');
  }
  const { digest, mediaType, size } = descriptor;
  if (await findManifest(service, repository, digest)) service.metrics.count('cache_hits');
  else {
    service.metrics.count('cache_misses');
    await keepManifest(service, repository, await upstream.manifest(ctx, descriptor));
  }
  const known = await links.tags.get(ctx, repository, tag);
  if (known?.digest !== digest)
    await links.tags.set(ctx, repository, tag, { digest, mediaType, size });
}

/** Stores a manifest, and the sizes of its blobs, which may be asked for next. */
async function keepManifest(
  { ctx, store, links }: Service,
  repository: string,
  manifest: RawManifest,
): Promise<void> {
  const { digest, mediaType, size } = manifest.descriptor;
  await store.blobs.write(ctx, manifest.descriptor, once(manifest.bytes));
  for (const child of isImage(manifest) ? manifest.children : []) {
    const known = await links.blobs.get(ctx, repository, child.digest);
    if (!known) await links.blobs.set(ctx, repository, child.digest, { size: child.size });
  }
  await links.manifests.set(ctx, repository, digest, { mediaType, size });
}

export const cachedBlob: Handler<RouteOf<'blob'>> = async (exchange, route) => {
  const { service } = exchange;
  if (isDigest(route.digest) && (await cacheBlob(exchange, route.repository, route.digest))) return;
  service.metrics.count('cache_hits');
  await getBlob(exchange, route);
};

export const cachedTags: Handler<RouteOf<'tags'>> = async (exchange, route) => {
  const { service } = exchange;
  const upstream = upstreamOf(service).repository(route.repository);
  if (!upstream.can.tags) return await listTags(exchange, route);
  const names: string[] = [];
  try {
    for await (const tag of upstream.can.tags(service.ctx)) names.push(tag);
  } catch (error) {
    const known = await service.links.exists(service.ctx, route.repository);
    if (!known) throw upstreamError(error);
    return await listTags(exchange, route);
  }
  await listTags({ ...exchange, service: withTags(service, names) }, route);
};

/** The same service, but with the upstream's tags instead of those seen so far. */
function withTags(service: Service, names: readonly string[]): Service {
  const sorted = names.toSorted();
  const { links } = service;
  async function* list(_ctx: unknown, _repository: string, after = ''): AsyncGenerator<string> {
    yield* sorted.filter((name) => name > after);
  }
  return {
    ...service,
    links: { ...links, exists: async () => true, tags: { ...links.tags, list } },
  };
}

export const cachedReferrers: Handler<RouteOf<'referrers'>> = async (exchange, route) => {
  const { service } = exchange;
  const { repository, digest } = route;
  const upstream = upstreamOf(service).repository(repository);
  if (isDigest(digest) && upstream.can.referrers) {
    // Where the upstream cannot say, what is known here is all there is.
    const found = await upstream.can.referrers(service.ctx, digest).catch(() => []);
    for (const one of found) {
      await service.links.referrers(digest).set(service.ctx, repository, one.digest, one);
    }
  }
  await listReferrers(exchange, route);
};

function upstreamOf({ upstream }: Service): PullThrough {
  if (!upstream) throw new Error('This listener has no upstream');
  return upstream;
}
