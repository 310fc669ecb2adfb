import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { Response } from '../../../http/response.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { pulling, pushing, type Scope } from '../../client/auth/scope.ts';
import type { RegistryRequest } from '../../client/registry-client.ts';
import { type RepositoryClient, subjectAt } from '../repository-client.ts';

/** An upload the registry has opened for us. */
export interface Session {
  readonly location: URL;
  /** Bytes the registry has. */
  readonly offset: number;
  /** The smallest part it takes, except for the last. */
  readonly minPartBytes: number;
}

export type Opened = { readonly session: Session } | 'present';

/** Opens an upload. With `mountFrom` the blob may turn out to be there without one. */
export async function openSession(
  ctx: Context,
  repo: RepositoryClient,
  blob: Descriptor,
  mountFrom: string | undefined,
): Promise<Opened | undefined> {
  const query = mountFrom === undefined ? '' : `?${mountQuery(blob, mountFrom)}`;
  const scopes = mountScopes(repo, mountFrom);
  const target = `${repo.repository}/blobs/uploads/${query}`;
  const response = await repo.client.send(ctx, { method: 'POST', target, scopes });
  if (response.status === 201 && mountFrom !== undefined) {
    await response.discard();
    return 'present';
  }
  if (response.status === 202) return { session: await sessionFrom(ctx, repo, response) };
  if (mountFrom !== undefined && isNoMount(response)) {
    await response.discard();
    return undefined;
  }
  throw await repo.client.refuse(response, subjectAt(repo, 'write', blob.digest));
}

function mountQuery(blob: Descriptor, from: string): string {
  return new URLSearchParams({ mount: blob.digest, from }).toString();
}

function mountScopes(repo: RepositoryClient, from: string | undefined): Scope[] {
  const own = pushing(repo.repository);
  return from === undefined || from === repo.repository ? [own] : [own, pulling(from)];
}

/** A refusal that may be about the mount alone; a plain upload shows the rest. */
function isNoMount({ status }: Response): boolean {
  return status >= 400 && status < 500 && status !== 429 && status !== 413;
}

/** Answers that say nothing about the upload. */
const BUSY = new Set([429, 502, 503, 504]);

/** Where an upload stands at the registry, or undefined when it is gone. */
export async function sessionStatus(
  ctx: Context,
  repo: RepositoryClient,
  session: Session,
): Promise<Session | undefined> {
  const scopes = [pushing(repo.repository)];
  const response = await repo.client.send(ctx, {
    method: 'GET',
    target: session.location,
    scopes,
  });
  if (BUSY.has(response.status)) {
    throw await repo.client.refuse(response, subjectAt(repo, 'write'));
  }
  await response.discard();
  const offset = offsetOf(response);
  if (!response.ok || offset === undefined) return undefined;
  return { ...session, location: await locationOf(ctx, repo, response, session), offset };
}

/** The upload of an earlier process, or undefined when the registry cannot continue it. */
export async function rememberedSession(
  ctx: Context,
  repo: RepositoryClient,
  location: string,
): Promise<Session | undefined> {
  if (!URL.canParse(location)) return undefined;
  const url = await repo.client.locate(ctx, location, new URL(location));
  return await sessionStatus(ctx, repo, { location: url, offset: 0, minPartBytes: 0 });
}

/** Lets the registry forget an upload. Nothing depends on it. */
export async function cancelSession(
  ctx: Context,
  repo: RepositoryClient,
  session: Session,
): Promise<void> {
  const scopes = [pushing(repo.repository)];
  const request: RegistryRequest = { method: 'DELETE', target: session.location, scopes };
  try {
    await (await repo.client.send(ctx, request)).discard();
  } catch (error) {
    if (ctx.signal.aborted) throw error;
  }
}

async function sessionFrom(
  ctx: Context,
  repo: RepositoryClient,
  response: Response,
): Promise<Session> {
  await response.discard();
  const location = await locationOf(ctx, repo, response, undefined);
  const minPartBytes = Number(response.headers['oci-chunk-min-length'] ?? 0) || 0;
  return { location, offset: 0, minPartBytes };
}

/** The session after a part was taken. */
export async function afterPart(
  ctx: Context,
  repo: RepositoryClient,
  session: Session,
  response: Response,
  end: number,
): Promise<Session> {
  const offset = offsetOf(response) ?? end;
  return { ...session, location: await locationOf(ctx, repo, response, session), offset };
}

async function locationOf(
  ctx: Context,
  repo: RepositoryClient,
  response: Response,
  session: Session | undefined,
): Promise<URL> {
  const { location } = response.headers;
  if (location !== undefined && URL.canParse(location, response.url.href)) {
    return await repo.client.locate(ctx, location, response.url);
  }
  if (session) return session.location;
  const { registry } = repo.client;
  throw new AtollError(
    'REGISTRY_REFUSED',
    `Cannot write to ${registry}/${repo.repository}: ${registry} opened an upload without saying where`,
    { details: { registry, repository: repo.repository } },
  );
}

/** `Range: 0-99` means that 100 bytes are there; an empty upload is often told as `0-0`. */
function offsetOf(response: Response): number | undefined {
  const range = /^(?:bytes=)?0-(\d+)$/.exec(response.headers.range ?? '');
  if (!range) return undefined;
  const last = Number(range[1]);
  return last === 0 ? 0 : last + 1;
}
