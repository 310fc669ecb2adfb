import { Readable } from 'node:stream';
import {
  type _Error as DeletedError,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { ByteRange } from '../store.ts';

/** One object as a listing shows it. Its key is relative to the store's prefix. */
export interface StoredObject {
  readonly key: string;
  readonly size: number;
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** Where a store is: all its keys start with `prefix`, which ends in `/` or is empty. */
export interface BucketPlace {
  readonly client: S3Client;
  readonly bucket: string;
  readonly prefix: string;
}

/** The few things a store does with objects, with named errors. */
export interface Bucket extends BucketPlace {
  head(ctx: Context, key: string): Promise<StoredObject | undefined>;
  /** Undefined when there is no such object. */
  get(ctx: Context, key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Returns the entity tag of what was written. */
  put(ctx: Context, key: string, bytes: Uint8Array): Promise<string>;
  remove(ctx: Context, keys: readonly string[]): Promise<void>;
  /** Objects whose key starts with `prefix`, in byte order, after `after`. */
  list(ctx: Context, prefix: string, after?: string): AsyncIterable<StoredObject>;
}

const MAX_DELETED = 1000;

export function openBucket(place: BucketPlace): Bucket {
  const nameOf = (key: string) => ({ Bucket: place.bucket, Key: `${place.prefix}${key}` });
  const { client, bucket, prefix } = place;
  return {
    ...place,
    async head(ctx, key) {
      const found = await ifPresent(place, key, () =>
        client.send(new HeadObjectCommand(nameOf(key)), { abortSignal: ctx.signal }),
      );
      return found && objectOf(key, found.ContentLength, found.ETag, found.LastModified);
    },
    async get(ctx, key, range) {
      const Range = range && `bytes=${range.start}-${range.end}`;
      const command = new GetObjectCommand({ ...nameOf(key), ...(Range ? { Range } : {}) });
      const found = await ifPresent(place, key, () =>
        client.send(command, { abortSignal: ctx.signal }).catch(emptyIfBeyond),
      );
      return found && chunksOf(place, key, found.Body as Readable);
    },
    async put(ctx, key, Body) {
      const command = new PutObjectCommand({ ...nameOf(key), Body, ContentLength: Body.length });
      const done = await named(place, key, () => client.send(command, { abortSignal: ctx.signal }));
      return requireTag(place, key, done.ETag);
    },
    async remove(ctx, keys) {
      for (let at = 0; at < keys.length; at += MAX_DELETED) {
        const Objects = keys.slice(at, at + MAX_DELETED).map((key) => ({ Key: nameOf(key).Key }));
        const command = new DeleteObjectsCommand({
          Bucket: bucket,
          Delete: { Objects, Quiet: true },
        });
        const first = keys[at] ?? '';
        const send = () => client.send(command, { abortSignal: ctx.signal });
        const { Errors = [] } = await named(place, first, send);
        refuseErrors(place, Errors);
      }
    },
    list: (ctx, below, after) =>
      list(ctx, place, `${prefix}${below}`, after && `${prefix}${after}`),
  };
}

/** How a copy names its source: as it was when it was listed, or not at all. */
export function copySource({ bucket, prefix }: BucketPlace, { key, etag }: StoredObject) {
  const CopySource = `${bucket}/${prefix}${key}`.split('/').map(encodeURIComponent).join('/');
  return { CopySource, ...(etag ? { CopySourceIfMatch: etag } : {}) };
}

/** Every object store names what it has taken; a web server that says yes to all does not. */
export function requireTag(place: BucketPlace, key: string, tag: string | undefined): string {
  if (tag) return tag;
  const object = `s3://${place.bucket}/${place.prefix}${key}`;
  throw new AtollError('BUCKET_REFUSED', `Cannot write "${object}": no entity tag came back`, {
    hint: 'Check that the endpoint is an object store, and not a proxy or a login page',
    details: { bucket: place.bucket },
  });
}

/** The answer to a list of removals is always yes; what was not removed stands in it. */
function refuseErrors(place: BucketPlace, errors: readonly DeletedError[]): void {
  const [first] = errors;
  if (!first) return;
  const { Key = '', Code = 'error', Message = 'it was not removed' } = first;
  throw new AtollError(
    'BUCKET_REFUSED',
    `Cannot remove "s3://${place.bucket}/${Key}": ${Code}: ${Message}`,
    {
      hint: 'Check the permissions of the credentials, and whether the bucket locks its objects',
      details: { bucket: place.bucket, refused: errors.length },
    },
  );
}

async function* list(
  ctx: Context,
  place: BucketPlace,
  prefix: string,
  after: string | undefined,
): AsyncGenerator<StoredObject> {
  let token: string | undefined;
  do {
    const command = new ListObjectsV2Command({
      Bucket: place.bucket,
      Prefix: prefix,
      ...(token ? { ContinuationToken: token } : {}),
      ...(after && !token ? { StartAfter: after } : {}),
    });
    const page = await named(place, prefix, () =>
      place.client.send(command, { abortSignal: ctx.signal }),
    );
    for (const { Key = '', Size, ETag, LastModified } of page.Contents ?? []) {
      yield objectOf(Key.slice(place.prefix.length), Size, ETag, LastModified);
    }
    token = page.NextContinuationToken;
  } while (token);
}

function objectOf(
  key: string,
  size: number | undefined,
  etag: string | undefined,
  modifiedAt: Date | undefined,
): StoredObject {
  return { key, size: size ?? 0, etag: etag ?? '', modifiedAt: modifiedAt ?? new Date(0) };
}

async function* chunksOf(
  place: BucketPlace,
  key: string,
  body: Readable,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw bucketError(place, key, error);
  }
}

async function ifPresent<T>(
  place: BucketPlace,
  key: string,
  request: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw bucketError(place, key, error);
  }
}

/** Runs a request, and gives its failure a name. */
export async function named<T>(
  place: BucketPlace,
  key: string,
  request: () => Promise<T>,
): Promise<T> {
  try {
    return await request();
  } catch (error) {
    throw bucketError(place, key, error);
  }
}

interface ServiceError {
  readonly name?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
}

const nameOf = (error: unknown): string | undefined => (error as ServiceError).name;

/** A copy's source is no longer the one that was asked for. */
export const isOtherSource = (error: unknown): boolean => nameOf(error) === 'PreconditionFailed';

/** An empty object has no range at all; elsewhere reading beyond the end gives no bytes. */
function emptyIfBeyond(error: unknown): { readonly Body: Readable } {
  if (nameOf(error) === 'InvalidRange') return { Body: Readable.from([]) };
  throw error;
}

function isAbsent(error: unknown): boolean {
  return nameOf(error) === 'NoSuchKey' || nameOf(error) === 'NotFound';
}

/** Also a redirect: the bucket is somewhere else. */
function isRefusal(status: number | undefined): boolean {
  return status !== undefined && status >= 300 && status < 500 && status !== 429;
}

function bucketError(place: BucketPlace, key: string, cause: unknown): unknown {
  const { name, $metadata } = cause as ServiceError;
  if (cause instanceof AtollError || name === 'AbortError') return cause;
  const status = $metadata?.httpStatusCode;
  const refused = isRefusal(status) || name === 'CredentialsProviderError';
  const object = `s3://${place.bucket}/${place.prefix}${key}`;
  // The answer to HEAD has no words.
  const found = messageOf(cause) === 'UnknownError' ? `HTTP status ${status}` : undefined;
  return new AtollError(
    refused ? 'BUCKET_REFUSED' : 'BUCKET_UNAVAILABLE',
    `Cannot use "${object}": ${found ?? `${name ?? 'error'}: ${messageOf(cause)}`}`,
    {
      hint: refused
        ? 'Check the bucket, its region, the credentials and their permissions'
        : 'Check that the endpoint answers, and try again',
      cause,
      details: { bucket: place.bucket, ...(status === undefined ? {} : { status }) },
    },
  );
}
