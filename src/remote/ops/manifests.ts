import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Response } from '../../http/response.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, digestOf, isDigest, splitDigest } from '../../oci/digest.ts';
import {
  isImage,
  MAX_MANIFEST_BYTES,
  parseManifest,
  type RawManifest,
  WHOLE_HEADER,
} from '../../oci/manifest.ts';
import { isManifestType, MANIFEST_ACCEPT } from '../../oci/media-types.ts';
import { mismatch, verifyBytes } from '../../oci/verify.ts';
import { pulling, pushing } from '../client/auth/scope.ts';
import { nameOf } from '../client/refusal.ts';
import { hasBlob } from './blobs.ts';
import { type RepositoryClient, removeAt, subjectAt } from './repository-client.ts';

const ACCEPT = { accept: MANIFEST_ACCEPT.join(', ') };

/**
 * The descriptor of a tag or digest: by HEAD, and by GET where HEAD lacks a header or fails, because
 * only a GET has a body that says why.
 */
export function resolveManifest(
  ctx: Context,
  repo: RepositoryClient,
  tagOrDigest: string,
): Promise<Descriptor | undefined> {
  return repo.client.attempt(ctx, subjectAt(repo, 'read', tagOrDigest), async () => {
    const head = await ask(ctx, repo, 'HEAD', tagOrDigest);
    if (head.status === 429) throw await refused(repo, head, tagOrDigest);
    await head.discard();
    if (head.status === 404) return undefined;
    const found = head.ok ? fromHeaders(head, tagOrDigest) : undefined;
    return found ?? (await get(ctx, repo, tagOrDigest))?.descriptor;
  });
}

/**
 * The descriptor of an image that is whole: a manifest whose layers were lost is none. A registry
 * that does not say so is believed, or asked for every blob with `verify`.
 */
export function resolveWhole(
  ctx: Context,
  repo: RepositoryClient,
  tagOrDigest: string,
  verify: boolean,
): Promise<Descriptor | undefined> {
  return repo.client.attempt(ctx, subjectAt(repo, 'read', tagOrDigest), async () => {
    const head = await ask(ctx, repo, 'HEAD', tagOrDigest, { [WHOLE_HEADER]: 'asked' });
    if (head.status === 429) throw await refused(repo, head, tagOrDigest);
    await head.discard();
    const told = head.headers[WHOLE_HEADER];
    if (head.status === 404 || told === 'no') return undefined;
    const found = head.ok ? fromHeaders(head, tagOrDigest) : undefined;
    if (found && (told === 'yes' || !verify)) return found;
    const manifest = await get(ctx, repo, tagOrDigest);
    if (!manifest || (verify && !(await hasChildren(ctx, repo, manifest)))) return undefined;
    return manifest.descriptor;
  });
}

/** The images of an index are asked for one by one. */
async function hasChildren(
  ctx: Context,
  repo: RepositoryClient,
  manifest: RawManifest,
): Promise<boolean> {
  for (const child of isImage(manifest) ? manifest.children : []) {
    if (!(await hasBlob(ctx, repo, child))) return false;
  }
  return true;
}

/** The manifest that a tag or digest names, in one question; undefined when there is no such thing. */
export function findManifest(
  ctx: Context,
  repo: RepositoryClient,
  tagOrDigest: string,
): Promise<RawManifest | undefined> {
  return repo.client.attempt(ctx, subjectAt(repo, 'read', tagOrDigest), () =>
    get(ctx, repo, tagOrDigest),
  );
}

/** The manifest's bytes, compared with the descriptor before anything looks into them. */
export function readManifest(
  ctx: Context,
  repo: RepositoryClient,
  descriptor: Descriptor,
): Promise<RawManifest> {
  return repo.client.attempt(ctx, subjectAt(repo, 'read', descriptor.digest), async () => {
    const response = await ask(ctx, repo, 'GET', descriptor.digest);
    if (!response.ok) throw await refused(repo, response, descriptor.digest);
    const bytes = await wholeManifest(repo, response, descriptor.digest);
    verifyBytes(descriptor, bytes);
    return parseManifest(bytes, typeOf(response) ?? descriptor.mediaType, descriptor.digest);
  });
}

/** Writes the manifest under its tag or digest; true when the registry took care of its subject. */
export function writeManifest(
  ctx: Context,
  repo: RepositoryClient,
  manifest: RawManifest,
  tag: string | undefined,
): Promise<boolean> {
  const { digest, mediaType } = manifest.descriptor;
  const reference = tag ?? digest;
  return repo.client.attempt(ctx, subjectAt(repo, 'write', reference), async () => {
    const response = await repo.client.send(ctx, {
      method: 'PUT',
      target: `${repo.repository}/manifests/${reference}`,
      headers: { 'content-type': mediaType },
      scopes: [pushing(repo.repository)],
      body: manifest.bytes,
    });
    if (!response.ok) throw await repo.client.refuse(response, subjectAt(repo, 'write', reference));
    await response.discard();
    const stored = response.headers['docker-content-digest'];
    if (stored !== undefined && contradicts(stored, digest)) {
      throw mismatch(manifest.descriptor, `${stored} after writing it to ${repo.client.registry}`);
    }
    return response.headers['oci-subject'] !== undefined;
  });
}

/** Removes a manifest or a tag; false when it was not there. */
export function removeManifest(
  ctx: Context,
  repo: RepositoryClient,
  tagOrDigest: string,
): Promise<boolean> {
  return removeAt(ctx, repo, `manifests/${tagOrDigest}`, tagOrDigest);
}

function ask(
  ctx: Context,
  repo: RepositoryClient,
  method: string,
  reference: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const target = `${repo.repository}/manifests/${reference}`;
  const scopes = [pulling(repo.repository)];
  return repo.client.send(ctx, { method, target, scopes, headers: { ...ACCEPT, ...more } });
}

async function get(
  ctx: Context,
  repo: RepositoryClient,
  tagOrDigest: string,
): Promise<RawManifest | undefined> {
  const response = await ask(ctx, repo, 'GET', tagOrDigest);
  if (response.status === 404) {
    await response.discard();
    return undefined;
  }
  if (!response.ok) throw await refused(repo, response, tagOrDigest);
  const bytes = await wholeManifest(repo, response, tagOrDigest);
  const wanted = isDigest(tagOrDigest) ? tagOrDigest : toldDigest(response);
  const digest = digestOf(bytes, wanted && splitDigest(wanted).algorithm);
  if (wanted && digest !== wanted) throw mismatch({ digest: wanted }, 'different bytes');
  return parseManifest(bytes, typeOf(response), digest);
}

/** The descriptor a HEAD gives, unless a header is missing or says something else than was asked. */
function fromHeaders(response: Response, tagOrDigest: string): Descriptor | undefined {
  const digest = toldDigest(response);
  const mediaType = typeOf(response);
  const size = Number(response.headers['content-length'] || Number.NaN);
  if (!digest || !mediaType || !(size > 0)) return undefined;
  if (isDigest(tagOrDigest) && digest !== tagOrDigest) return undefined;
  return { mediaType, digest, size };
}

function toldDigest({ headers }: Response): Digest | undefined {
  const told = headers['docker-content-digest'] ?? '';
  return isDigest(told) ? told : undefined;
}

async function wholeManifest(
  repo: RepositoryClient,
  response: Response,
  reference: string,
): Promise<Buffer> {
  const told = Number(response.headers['content-length'] ?? 0);
  const fits = told <= MAX_MANIFEST_BYTES;
  const bytes = fits ? await response.bytes(MAX_MANIFEST_BYTES) : undefined;
  if (bytes) return bytes;
  response.cancel();
  const name = nameOf(subjectAt(repo, 'read', reference));
  throw new AtollError(
    'MANIFEST_INVALID',
    `Cannot read ${name}: it has more than ${MAX_MANIFEST_BYTES} bytes, which no manifest needs`,
    { details: { registry: repo.client.registry, repository: repo.repository, reference } },
  );
}

function typeOf(response: Response): string | undefined {
  const type = response.headers['content-type']?.split(';')[0]?.trim();
  return type && isManifestType(type) ? type : undefined;
}

/** Digests of different algorithms cannot be compared; some registries only know sha256. */
function contradicts(stored: string, digest: Digest): boolean {
  if (!isDigest(stored)) return false;
  return stored !== digest && splitDigest(stored).algorithm === splitDigest(digest).algorithm;
}

function refused(
  repo: RepositoryClient,
  response: Response,
  reference: string,
): Promise<AtollError> {
  return repo.client.refuse(response, subjectAt(repo, 'read', reference));
}
