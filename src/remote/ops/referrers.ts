import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { KnownTags } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, digestOf } from '../../oci/digest.ts';
import { type ImageIndex, isIndex, parseManifest, type RawManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';
import { referrerDescriptor, referrersTag } from '../../oci/referrers.ts';
import { pages, readJson, unreadable } from './lists.ts';
import { readManifest, resolveManifest, writeManifest } from './manifests.ts';
import { type RepositoryClient, subjectAt } from './repository-client.ts';

/** Everything that says it belongs to the subject: by the API, else by the fallback tag. */
export async function listReferrers(
  ctx: Context,
  repo: RepositoryClient,
  subject: Digest,
  tags?: KnownTags,
): Promise<readonly Descriptor[]> {
  const listed = repo.client.features.referrers ? await byApi(ctx, repo, subject) : undefined;
  if (listed) return listed;
  const known = await tags;
  if (known && !known.has(referrersTag(subject))) return [];
  return (await byTag(ctx, repo, subject))?.content.manifests ?? [];
}

async function byApi(ctx: Context, repo: RepositoryClient, subject: Digest) {
  const found: Descriptor[] = [];
  const what = subjectAt(repo, 'list the referrers of', subject);
  const headers = { accept: MEDIA_TYPES.ociIndex };
  for await (const response of pages(
    ctx,
    repo,
    `${repo.repository}/referrers/${subject}`,
    headers,
  )) {
    if (isUnsupported(response.status, response.headers['content-type'])) {
      await response.discard();
      repo.client.features.referrers = false;
      return undefined;
    }
    if (!response.ok) throw await repo.client.refuse(response, what);
    found.push(
      ...entriesOf(await readJson(response, what), () => unreadable(what, 'no index came')),
    );
  }
  return found;
}

/** The specification wants 200 even for an empty list, so these say that nobody knows the path. */
function isUnsupported(status: number, type = ''): boolean {
  return status === 404 || status === 405 || status === 400 || type.startsWith('text/html');
}

function entriesOf(json: unknown, fail: () => AtollError): readonly Descriptor[] {
  const document = { schemaVersion: 2, ...(json as object) };
  const bytes = Buffer.from(JSON.stringify(document));
  const manifest = parseManifest(bytes, MEDIA_TYPES.ociIndex);
  if (!isIndex(manifest)) throw fail();
  return manifest.content.manifests;
}

type Index = RawManifest & { readonly content: ImageIndex };

async function byTag(
  ctx: Context,
  repo: RepositoryClient,
  subject: Digest,
): Promise<Index | undefined> {
  const descriptor = await resolveManifest(ctx, repo, referrersTag(subject));
  // An image that is mirrored by digest has the same tag: then that is no list.
  if (!descriptor || descriptor.digest === subject) return undefined;
  const manifest = await readManifest(ctx, repo, descriptor);
  return isIndex(manifest) ? manifest : undefined;
}

const updates = new WeakMap<RepositoryClient['client'], Map<string, Promise<void>>>();

/** Adds a manifest to its subject's fallback list. Updates of one list wait for each other. */
export async function addToFallback(
  ctx: Context,
  repo: RepositoryClient,
  manifest: RawManifest,
  subject: Digest,
): Promise<void> {
  const running = updates.get(repo.client) ?? new Map<string, Promise<void>>();
  updates.set(repo.client, running);
  const key = `${repo.repository}@${subject}`;
  const before = running.get(key) ?? Promise.resolve();
  const update = before.then(
    () => rewrite(ctx, repo, manifest, subject),
    () => rewrite(ctx, repo, manifest, subject),
  );
  running.set(key, update);
  try {
    await update;
  } finally {
    if (running.get(key) === update) running.delete(key);
  }
}

async function rewrite(
  ctx: Context,
  repo: RepositoryClient,
  manifest: RawManifest,
  subject: Digest,
): Promise<void> {
  const tag = referrersTag(subject);
  const taken = await resolveManifest(ctx, repo, tag);
  if (taken?.digest === subject) await giveWay(ctx, repo, taken, tag);
  const list = taken ? await byTag(ctx, repo, subject) : undefined;
  if (taken && !list && taken.digest !== subject) throw occupied(repo, tag);
  const others = list?.content.manifests ?? [];
  if (others.some((entry) => entry.digest === manifest.descriptor.digest)) return;
  await writeManifest(ctx, repo, indexOf([...others, referrerDescriptor(manifest)]), tag);
}

/**
 * Who looks for referrers knows only this tag, while an image by digest is found without one. It keeps
 * another, since some registries remove what has none.
 */
async function giveWay(
  ctx: Context,
  repo: RepositoryClient,
  image: Descriptor,
  tag: string,
): Promise<void> {
  await writeManifest(ctx, repo, await readManifest(ctx, repo, image), `${tag}.image`);
}

function indexOf(manifests: readonly Descriptor[]): RawManifest {
  const document = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests };
  const bytes = Buffer.from(JSON.stringify(document));
  return parseManifest(bytes, MEDIA_TYPES.ociIndex, digestOf(bytes));
}

function occupied(repo: RepositoryClient, tag: string): AtollError {
  const { registry } = repo.client;
  return new AtollError(
    'REGISTRY_REFUSED',
    `Cannot add a referrer at ${registry}/${repo.repository}: the tag "${tag}" is no list of referrers`,
    {
      hint: 'Remove that tag, or use a registry with the referrers API',
      details: { registry, repository: repo.repository, reference: tag },
    },
  );
}
