import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Context } from '../../core/context.ts';
import type { Store } from '../../store/store.ts';
import type { AccessEntry } from '../access/access-log.ts';
import type { Role } from '../auth/grants.ts';
import type { PullThrough } from '../cache/pull-through.ts';
import type { BlobFiles } from '../storage/blob-files.ts';
import type { ContentCache } from '../storage/content-cache.ts';
import type { DiskSpace } from '../storage/disk-space.ts';
import type { Links } from '../storage/links.ts';
import type { Quotas } from '../storage/quotas.ts';
import type { TagProtection } from '../storage/tag-protection.ts';
import type { Limits } from './limits.ts';
import type { Metrics } from './metrics.ts';
import type { Route } from './routes.ts';
import type { HeaderFields } from './wire-error.ts';

/** What the handlers of one listener work with. */
export interface Service {
  readonly ctx: Context;
  readonly store: Store;
  readonly links: Links;
  readonly content: ContentCache;
  /** Undefined when blobs are not files here. */
  readonly files: BlobFiles | undefined;
  readonly space: DiskSpace;
  readonly limits: Limits;
  readonly metrics: Metrics;
  readonly readOnly: boolean;
  readonly isProtected: TagProtection;
  readonly quotas: Quotas;
  /** Send clients to the bucket for blobs, where the store can. */
  readonly redirect: boolean;
  /** Set for a pull-through cache, which takes no pushes. */
  readonly upstream: PullThrough | undefined;
}

/** One request and its answer. */
export interface Exchange {
  readonly service: Service;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly query: URLSearchParams;
  /** What the access log will say; handlers fill in the digest. */
  readonly entry: Partial<AccessEntry>;
  /** Whether the client may also do this in another repository (a mount reads from one). */
  readonly allows: (role: Role, repository: string) => boolean;
}

export type Handler<R extends Route = Route> = (exchange: Exchange, route: R) => Promise<void>;

/** Answers without a body. */
export function reply({ response }: Exchange, status: number, headers: HeaderFields = {}): void {
  const length = status === 204 ? {} : { 'content-length': '0' };
  response.writeHead(status, { ...headers, ...length } as Record<string, string>);
  response.end();
}

export function replyJson(
  { request, response }: Exchange,
  value: unknown,
  headers: HeaderFields = {},
): void {
  const body = Buffer.from(JSON.stringify(value));
  response.writeHead(200, {
    'content-type': 'application/json',
    ...headers,
    'content-length': String(body.length),
  } as Record<string, string>);
  response.end(request.method === 'HEAD' ? undefined : body);
}
