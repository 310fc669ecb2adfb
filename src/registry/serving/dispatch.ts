import type { Role } from '../auth/grants.ts';
import { cachedBlob, cachedManifest, cachedReferrers, cachedTags } from '../cache/handlers.ts';
import { deleteBlob, getBlob } from '../handlers/blobs.ts';
import { getFile } from '../handlers/files.ts';
import { listRepositories, listTags } from '../handlers/listings.ts';
import { deleteManifest, getManifest } from '../handlers/manifests.ts';
import { putManifest } from '../handlers/put-manifest.ts';
import { listReferrers } from '../handlers/referrers.ts';
import {
  cancelUpload,
  continueUpload,
  finishUpload,
  startUpload,
  uploadStatus,
} from '../handlers/uploads.ts';
import { type Exchange, type Handler, replyJson } from './exchange.ts';
import type { Route, RouteOf } from './routes.ts';
import { WireError } from './wire-error.ts';

type Table = {
  readonly [K in Route['kind']]: Readonly<Record<string, Handler<RouteOf<K>>>>;
};

const probe: Handler<RouteOf<'base'>> = async (exchange) =>
  replyJson(exchange, {}, { 'docker-distribution-api-version': 'registry/2.0' });

const STORE: Table = {
  base: { GET: probe, HEAD: probe },
  catalog: { GET: listRepositories },
  manifest: { GET: getManifest, HEAD: getManifest, PUT: putManifest, DELETE: deleteManifest },
  blob: { GET: getBlob, HEAD: getBlob, DELETE: deleteBlob },
  uploads: { POST: startUpload },
  upload: {
    GET: uploadStatus,
    PATCH: continueUpload,
    PUT: finishUpload,
    DELETE: cancelUpload,
  },
  tags: { GET: listTags },
  referrers: { GET: listReferrers },
  file: { GET: getFile, HEAD: getFile },
};

const CACHE: Table = {
  base: { GET: probe, HEAD: probe },
  catalog: { GET: listRepositories },
  manifest: { GET: cachedManifest, HEAD: cachedManifest },
  blob: { GET: cachedBlob, HEAD: cachedBlob },
  uploads: {},
  upload: {},
  tags: { GET: cachedTags },
  referrers: { GET: cachedReferrers },
  file: {},
};

/** What one has to be allowed for a request. Looking after an upload is part of pushing. */
export function roleFor(route: Route, method: string): Role {
  if (route.kind === 'uploads' || route.kind === 'upload') return 'push';
  if (method === 'DELETE') return 'delete';
  return method === 'GET' || method === 'HEAD' ? 'pull' : 'push';
}

/** Finds the handler, or throws what the client has done wrong. */
export function handlerFor({ service, request }: Exchange, route: Route): Handler {
  const methods = (service.upstream ? CACHE : STORE)[route.kind];
  const method = request.method ?? '';
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) throw unsupported(Object.keys(methods), service.upstream !== undefined);
  if (service.readOnly && roleFor(route, method) !== 'pull') {
    throw new WireError('UNSUPPORTED', 'The registry is read-only');
  }
  return handler as Handler;
}

function unsupported(allowed: readonly string[], isCache: boolean): WireError {
  const why = isCache ? 'This is a pull-through cache' : 'The method is not allowed here';
  return new WireError('UNSUPPORTED', why, { headers: { allow: allowed.join(', ') } });
}
