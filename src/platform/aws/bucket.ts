import type { Context } from '../../core/context.ts';
import { childrenOf, textOf } from '../shared/xml.ts';
import type { Aws } from './client/aws.ts';
import { awsNameOf } from './client/failure.ts';

const pathOf = (bucket: string, key: string) =>
  `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;

/** Writes an object, encrypted where it lies. */
export async function putObject(
  ctx: Context,
  aws: Aws,
  { bucket, key, body }: { readonly bucket: string; readonly key: string; readonly body: string },
): Promise<void> {
  await aws.rest(ctx, 's3', {
    action: 'PutObject',
    method: 'PUT',
    path: pathOf(bucket, key),
    headers: { 'x-amz-server-side-encryption': 'AES256' },
    body,
  });
}

/** Removes an object; one that is not there, or whose bucket is gone, is no failure. */
export async function removeObject(
  ctx: Context,
  aws: Aws,
  { bucket, key, version }: { bucket: string; key: string; version?: string | undefined },
): Promise<void> {
  const query = version && version !== 'null' ? { versionId: version } : {};
  await unlessAbsent(() =>
    aws.rest(ctx, 's3', {
      action: 'DeleteObject',
      method: 'DELETE',
      path: pathOf(bucket, key),
      query,
    }),
  );
}

/** Removes all that is in a bucket, with every older version: only an empty one can be deleted. */
export async function emptyBucket(ctx: Context, aws: Aws, bucket: string): Promise<void> {
  for (;;) {
    const page = await unlessAbsent(() =>
      aws.rest(ctx, 's3', {
        action: 'ListBucketVersions',
        method: 'GET',
        path: `/${bucket}`,
        query: { versions: '' },
      }),
    );
    const found = ['Version', 'DeleteMarker'].flatMap((name) => childrenOf(page, name));
    for (const object of found) {
      const [key, version] = [textOf(object, 'Key'), textOf(object, 'VersionId')];
      await removeObject(ctx, aws, { bucket, key, version });
    }
    if (found.length === 0 || textOf(page, 'IsTruncated') !== 'true') return;
  }
}

async function unlessAbsent<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    if (['NoSuchBucket', 'NoSuchKey'].includes(awsNameOf(error) ?? '')) return undefined;
    throw error;
  }
}
