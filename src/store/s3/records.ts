import { AtollError } from '../../core/errors.ts';
import { recordPath } from '../record-path.ts';
import type { Records } from '../store.ts';
import type { Bucket } from './bucket.ts';
import { decodeKey, encodeKey } from './key.ts';

const FOLDER = 'records/';

/** Records as objects of a bucket, which lists them in the order we want. */
export function s3Records(bucket: Bucket): Records {
  return {
    async get(ctx, key) {
      const chunks = await bucket.get(ctx, nameOf(key));
      if (!chunks) return undefined;
      const parts: Uint8Array[] = [];
      for await (const chunk of chunks) parts.push(chunk);
      return parseRecord(key, Buffer.concat(parts).toString('utf8'));
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
