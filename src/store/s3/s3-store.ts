import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { collect } from '../../core/bytes.ts';
import { AtollError } from '../../core/errors.ts';
import { registerSecret } from '../../core/redact.ts';
import { recordPath } from '../record-path.ts';
import type { Presigning, Records, Store, Sweeping } from '../store.ts';
import { blobKey, s3Blobs } from './blobs.ts';
import { type Bucket, openBucket } from './bucket.ts';
import { decodeKey, encodeKey } from './key.ts';
import { MIN_PART_BYTES } from './multipart.ts';
import { sweepBucket } from './sweep.ts';
import { s3Uploads } from './uploads.ts';

/** A store in a bucket: of AWS, or of anything that speaks S3. */
export interface S3Store extends Store, Presigning, Sweeping {
  close(): void;
}

export interface S3StoreOptions {
  readonly bucket: string;
  /** Keeps the store below a folder of the bucket. */
  readonly prefix?: string | undefined;
  readonly region?: string | undefined;
  /** Another object store than AWS. */
  readonly endpoint?: string | undefined;
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; most others than AWS want it. */
  readonly pathStyle?: boolean | undefined;
  /** Where absent, the usual files, variables and roles of AWS are used. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined;
  /** At least 5 MiB. So much is held in memory for each blob that is being written, twice. */
  readonly partBytes?: number | undefined;
  /** An endpoint that says nothing for this long is gone. */
  readonly silenceMs?: number | undefined;
}

const CONNECT_MS = 15_000;
const SILENCE_MS = 60_000;
const DEFAULT_PART_BYTES = 8 * 1024 * 1024;

export function openS3Store(options: S3StoreOptions): S3Store {
  const client = clientOf(options);
  const prefix = options.prefix ? `${options.prefix.replace(/^\/+|\/+$/g, '')}/` : '';
  const bucket = openBucket({ client, bucket: options.bucket, prefix });
  const partBytes = Math.max(options.partBytes ?? DEFAULT_PART_BYTES, MIN_PART_BYTES);
  return {
    blobs: s3Blobs(bucket, partBytes),
    uploads: s3Uploads(bucket, partBytes),
    records: s3Records(bucket),
    async presign(_ctx, digest, seconds) {
      const object = { Bucket: bucket.bucket, Key: `${prefix}${blobKey(digest)}` };
      return await getSignedUrl(client, new GetObjectCommand(object), { expiresIn: seconds });
    },
    sweep: (ctx, before) => sweepBucket(ctx, bucket, before),
    close: () => client.destroy(),
  };
}

function clientOf(options: S3StoreOptions): S3Client {
  const { region, endpoint, pathStyle, credentials, silenceMs } = options;
  if (credentials) registerSecret(credentials.secretAccessKey);
  // The SDK would write to stderr that it wants a newer Node; that is not the operator's business.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true';
  return new S3Client({
    region: region ?? process.env.AWS_REGION ?? 'us-east-1',
    ...(endpoint ? { endpoint } : {}),
    ...(credentials ? { credentials } : {}),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: 5,
    requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout: silenceMs ?? SILENCE_MS },
    // We compare every byte with its digest ourselves, and not all object stores know the newer sums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

const FOLDER = 'records/';

/** Records as objects of a bucket, which lists them in the order we want. */
function s3Records(bucket: Bucket): Records {
  return {
    async get(ctx, key) {
      const chunks = await bucket.get(ctx, nameOf(key));
      return chunks && parseRecord(key, (await collect(chunks)).toString('utf8'));
    },
    async put(ctx, key, value) {
      await bucket.put(ctx, nameOf(key), Buffer.from(`${JSON.stringify(value)}\n`));
    },
    async remove(ctx, key) {
      const found = await bucket.head(ctx, nameOf(key));
      if (found) await bucket.remove(ctx, [nameOf(key)]);
      return found !== undefined;
    },
    async *list(ctx, prefix, after) {
      const start = after === undefined ? undefined : `${FOLDER}${encodeKey(after)}`;
      for await (const { key } of bucket.list(ctx, `${FOLDER}${encodeKey(prefix)}`, start)) {
        yield decodeKey(key.slice(FOLDER.length));
      }
    },
  };
}

function nameOf(key: string): string {
  // The same keys are refused as on disk.
  recordPath(key);
  return `${FOLDER}${encodeKey(key)}`;
}

function parseRecord(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new AtollError('CONTENT_MISMATCH', `Cannot read the record "${key}": it is not JSON`, {
      hint: 'Restore the object from a copy of the bucket, or remove it',
      cause,
    });
  }
}
