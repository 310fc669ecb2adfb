import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { isDescriptor } from '../../oci/manifest-shape.ts';
import { isTag } from '../../oci/reference.ts';
import type { Records } from '../../store/store.ts';
import type { CachedRecords } from './record-cache.ts';

// What a repository holds, as records:
//
//   <space>/<repository>/_tags/<tag>                      { digest, mediaType, size, at }
//   <space>/<repository>/_manifests/<digest>              { mediaType, size }
//   <space>/<repository>/_blobs/<digest>                  { size }
//   <space>/<repository>/_referrers/<subject>/<digest>    a descriptor, long annotations left out
//
// No part of a repository's name starts with an underscore, so the kinds never collide with
// repositories below. `<space>` is `repos`, or `cache/<upstream>` for a pull-through cache.

export const STORE_SPACE = 'repos';
export const CACHE_SPACE = 'cache';

export interface ManifestLink {
  readonly mediaType: string;
  readonly size: number;
}

/** Says all about the manifest, so that a pull by tag takes one look. */
export interface TagLink extends ManifestLink {
  readonly digest: Digest;
  /** When it was pushed; absent where a registry of before this was known set it. */
  readonly at?: string | undefined;
}

export interface BlobLink {
  readonly size: number;
}

/** How a list of referrers describes the manifest. */
export interface ReferrerLink extends Descriptor {
  /** Its annotations are long: they are where they come from, in the manifest. */
  readonly annotated?: true | undefined;
}

/** Links of one kind, by repository and name. */
export interface LinkSet<Name extends string, Link> {
  get(ctx: Context, repository: string, name: Name): Promise<Link | undefined>;
  /** At once, where it is in memory and still true. */
  recall(repository: string, name: Name): Link | undefined;
  set(ctx: Context, repository: string, name: Name, link: Link): Promise<void>;
  remove(ctx: Context, repository: string, name: Name): Promise<boolean>;
  /** Names in byte order, those after `after`. */
  list(ctx: Context, repository: string, after?: string): AsyncIterable<Name>;
}

/** The links of all repositories of one space. Content itself is in the store's blobs. */
export interface Links {
  readonly tags: LinkSet<string, TagLink>;
  readonly manifests: LinkSet<Digest, ManifestLink>;
  readonly blobs: LinkSet<Digest, BlobLink>;
  /** Artifacts that refer to a manifest, by their own digest. */
  referrers(subject: Digest): LinkSet<Digest, ReferrerLink>;
  /** Names of repositories with anything in them, in order. */
  repositories(ctx: Context, after?: string): AsyncIterable<string>;
  exists(ctx: Context, repository: string): Promise<boolean>;
}

type Parse<Link> = (value: unknown) => Link | undefined;
type Fields = Readonly<Record<string, unknown>> | undefined;

// Read for every pull, so by hand; a record that is none of these counts as absent.
const parseBlob: Parse<BlobLink> = (value) => {
  const { size } = (value ?? {}) as NonNullable<Fields>;
  return typeof size === 'number' ? (value as BlobLink) : undefined;
};
const parseManifest: Parse<ManifestLink> = (value) => {
  const isText = typeof (value as Fields)?.mediaType === 'string';
  return isText && parseBlob(value) ? (value as ManifestLink) : undefined;
};
const parseTag: Parse<TagLink> = (value) => {
  const digest = (value as Fields)?.digest;
  const isGood = typeof digest === 'string' && isDigest(digest) && parseManifest(value);
  return isGood ? (value as TagLink) : undefined;
};
const parseReferrer: Parse<ReferrerLink> = (value) => (isDescriptor(value) ? value : undefined);

export function openLinks(records: CachedRecords, space = STORE_SPACE): Links {
  const kind = <Name extends string, Link>(
    folder: string,
    isName: (text: string) => boolean,
    parse: Parse<Link>,
  ) =>
    linkSet<Name, Link>(
      records,
      (repository) => `${space}/${repository}/${folder}/`,
      isName,
      parse,
    );

  const tags = kind<string, TagLink>('_tags', isTag, parseTag);
  const manifests = kind<Digest, ManifestLink>('_manifests', isDigest, parseManifest);
  const blobs = kind<Digest, BlobLink>('_blobs', isDigest, parseBlob);
  return {
    tags,
    manifests,
    blobs,
    referrers: (subject) =>
      kind<Digest, ReferrerLink>(`_referrers/${subject}`, isDigest, parseReferrer),
    repositories: (ctx, after) => repositories(ctx, records, `${space}/`, after),
    async exists(ctx, repository) {
      for (const set of [tags, manifests, blobs]) {
        for await (const _ of set.list(ctx, repository)) return true;
      }
      return false;
    },
  };
}

function linkSet<Name extends string, Link>(
  records: CachedRecords,
  prefixOf: (repository: string) => string,
  isName: (text: string) => boolean,
  parse: Parse<Link>,
): LinkSet<Name, Link> {
  const told = new Set<string>();
  // What a disk altered must be pushed again, and can be, because it counts as absent.
  const tellOnce = (ctx: Context, key: string, error: unknown): undefined => {
    if (!(error instanceof AtollError && error.code === 'CONTENT_MISMATCH')) throw error;
    if (told.has(key)) return;
    told.add(key);
    const { message, hint = '' } = error;
    ctx.emit({ type: 'warning.raised', message, hint, subject: key });
  };
  return {
    async get(ctx, repository, name) {
      const key = prefixOf(repository) + name;
      return parse(await records.get(ctx, key).catch((error) => tellOnce(ctx, key, error)));
    },
    recall: (repository, name) => parse(records.recall?.(prefixOf(repository) + name)),
    set(ctx, repository, name, link) {
      told.delete(prefixOf(repository) + name);
      return records.put(ctx, prefixOf(repository) + name, link);
    },
    remove: (ctx, repository, name) => records.remove(ctx, prefixOf(repository) + name),
    async *list(ctx, repository, after) {
      const prefix = prefixOf(repository);
      const start = after === undefined ? undefined : prefix + after;
      for await (const key of records.list(ctx, prefix, start)) {
        const name = key.slice(prefix.length);
        if (isName(name)) yield name as Name;
      }
    },
  };
}

/** Byte order of the keys is not quite that of the names, so all are gathered before sorting. */
async function* repositories(
  ctx: Context,
  records: Records,
  prefix: string,
  after = '',
): AsyncGenerator<string> {
  const found = new Set<string>();
  for await (const key of records.list(ctx, prefix)) {
    const name = key.slice(prefix.length);
    found.add(name.slice(0, name.indexOf('/_')));
  }
  yield* [...found].filter((name) => name > after).toSorted();
}
