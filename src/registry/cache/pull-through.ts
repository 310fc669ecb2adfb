import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Digest } from '../../oci/digest.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { WireError, wireErrorOf } from '../serving/wire-error.ts';

/** One repository of the upstream; the caller that starts the registry provides the client. */
export type UpstreamRepository = Source;

export type ConnectUpstream = (registry: string, repository: string) => UpstreamRepository;

/** The upstream of one listener, and what is being fetched from it right now. */
export interface PullThrough {
  readonly registry: string;
  repository(name: string): UpstreamRepository;
  /** Runs a fetch once, however many ask for it at the same time. */
  once(key: string, fetch: () => Promise<void>): Promise<void>;
  /** Whether a fetch of this is under way. */
  isFetching(key: string): boolean;
}

export function createPullThrough(registry: string, connect: ConnectUpstream): PullThrough {
  const fetching = new Map<string, Promise<void>>();
  return {
    registry,
    repository: (name) => connect(registry, name),
    isFetching: (key) => fetching.has(key),
    once(key, fetch) {
      const running = fetching.get(key);
      if (running) return running;
      const started = fetch().finally(() => fetching.delete(key));
      fetching.set(key, started);
      return started;
    },
  };
}

/** The manifest a digest or tag names at the upstream now; undefined when it has none. */
export async function fetchManifest(
  ctx: Context,
  upstream: UpstreamRepository,
  reference: string,
): Promise<RawManifest | undefined> {
  const descriptor = await upstream.resolve(ctx, reference);
  return descriptor && (await upstream.manifest(ctx, descriptor));
}

const OWN_DISK: ReadonlySet<string | undefined> = new Set(['FILE_UNWRITABLE', 'FILE_UNREADABLE']);

/** What a client is told when the upstream did not deliver; its cause is for the operator. */
export function upstreamError(cause: unknown, digest?: Digest): WireError {
  const known = wireErrorOf(cause);
  if (known) return known;
  const code = cause instanceof AtollError ? cause.code : undefined;
  if (code === 'IMAGE_UNKNOWN' || code === 'CONTENT_MISSING') {
    const kind = digest ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN';
    return new WireError(kind, 'The upstream does not have it');
  }
  if (code === 'REGISTRY_DENIED') {
    return new WireError('DENIED', 'The upstream refused the credentials of this cache', { cause });
  }
  if (code === 'REGISTRY_THROTTLED') {
    return new WireError('TOOMANYREQUESTS', 'The upstream asks to slow down', {
      headers: { 'retry-after': '5' },
    });
  }
  if (OWN_DISK.has(code)) {
    return new WireError('UNKNOWN', 'The registry failed; its log says why', { cause });
  }
  return new WireError('UNKNOWN', 'The upstream cannot be reached, and it is not cached', {
    status: 502,
    cause,
  });
}
