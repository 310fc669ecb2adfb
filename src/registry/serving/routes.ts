import { isRepository } from '../../oci/reference.ts';

/** What a path of the API means. `reference` and `digest` are not validated yet. */
export type Route =
  | { readonly kind: 'base' }
  | { readonly kind: 'catalog' }
  | { readonly kind: 'manifest'; readonly repository: string; readonly reference: string }
  | { readonly kind: 'blob'; readonly repository: string; readonly digest: string }
  | { readonly kind: 'uploads'; readonly repository: string }
  | { readonly kind: 'upload'; readonly repository: string; readonly id: string }
  | { readonly kind: 'tags'; readonly repository: string }
  | { readonly kind: 'referrers'; readonly repository: string; readonly digest: string }
  | {
      readonly kind: 'file';
      readonly repository: string;
      readonly reference: string;
      readonly path: string;
    };

export type RouteOf<K extends Route['kind']> = Extract<Route, { kind: K }>;

export type RouteProblem = 'not-found' | 'bad-name';

const ENDS: readonly (readonly [RegExp, (repository: string, rest: string) => Route])[] = [
  [
    /^(.+)\/manifests\/([^/]+)$/,
    (repository, reference) => ({ kind: 'manifest', repository, reference }),
  ],
  [/^(.+)\/blobs\/uploads\/?()$/, (repository) => ({ kind: 'uploads', repository })],
  [/^(.+)\/blobs\/uploads\/([^/]+)$/, (repository, id) => ({ kind: 'upload', repository, id })],
  [/^(.+)\/blobs\/([^/]+)$/, (repository, digest) => ({ kind: 'blob', repository, digest })],
  [/^(.+)\/tags\/list()$/, (repository) => ({ kind: 'tags', repository })],
  [
    /^(.+)\/referrers\/([^/]+)$/,
    (repository, digest) => ({ kind: 'referrers', repository, digest }),
  ],
];

const PREFIX = '/v2/';
const LONGEST_PATH = 1024;
/** Files of artifacts, for clients that know nothing of registries: `/files/REPOSITORY:TAG/PATH`. */
export const FILES_PREFIX = '/files/';
const FILE = /^([^:@]+)(?::([^/:@]+)|@([^/]+))(?:\/(.*))?$/s;

/** Reads the path of a request: no query, still percent-encoded. */
export function parseRoute(path: string): Route | RouteProblem {
  if (path === '/v2' || path === PREFIX) return { kind: 'base' };
  if (path.startsWith(FILES_PREFIX)) return parseFile(path);
  if (!path.startsWith(PREFIX) || path.length > LONGEST_PATH) return 'not-found';
  const decoded = decode(path.slice(PREFIX.length));
  if (decoded === undefined) return 'bad-name';
  if (decoded === '_catalog') return { kind: 'catalog' };
  for (const [pattern, make] of ENDS) {
    const [, repository = '', rest = ''] = pattern.exec(decoded) ?? [];
    if (repository) return isRepository(repository) ? make(repository, rest) : 'bad-name';
  }
  return 'not-found';
}

function parseFile(path: string): Route | RouteProblem {
  const decoded = path.length > LONGEST_PATH ? undefined : decode(path.slice(FILES_PREFIX.length));
  const [, repository = '', tag, digest, file = ''] = FILE.exec(decoded ?? '') ?? [];
  const reference = tag ?? digest;
  if (reference === undefined) return 'not-found';
  return isRepository(repository)
    ? { kind: 'file', repository, reference, path: file }
    : 'bad-name';
}

/** Clients write the colon of a digest as `%3A`; nothing else in a valid path is ever encoded. */
function decode(path: string): string | undefined {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
