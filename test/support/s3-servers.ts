import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './docker-registry.ts';
import { startListening } from './listening-program.ts';
import { startMoto } from './moto.ts';
import { type Peer, peerPath } from './peers.ts';

/** What every server of buckets lets in. */
export const S3_CREDENTIALS = { accessKeyId: 'test', secretAccessKey: 'test-secret' };

export interface S3Server {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/**
 * Servers that the suites of buckets run against. moto imitates AWS and has no disk; versitygw is a server that people
 * run: it refuses a wrong signature, and keeps objects as files with extended attributes.
 */
export const S3_SERVERS: readonly {
  readonly peer: Peer;
  /** Then `a` and `a/b` cannot both be objects, and names are as long as a file's. */
  readonly objectsAreFiles: boolean;
  start(): Promise<S3Server>;
}[] = [
  { peer: 'moto_server', objectsAreFiles: false, start: startMoto },
  { peer: 'versitygw', objectsAreFiles: true, start: startVersitygw },
];

async function startVersitygw(): Promise<S3Server> {
  const root = await mkdtemp(join(tmpdir(), 'atoll-versitygw-'));
  const port = await freePort();
  const env = {
    ...process.env,
    ROOT_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    ROOT_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
  };
  const args = ['--port', `127.0.0.1:${port}`, '--keep-alive', 'posix', root];
  const end = await startListening(peerPath('versitygw') ?? 'versitygw', args, port, env);
  const stop = async () => {
    await end();
    await rm(root, { recursive: true, force: true });
  };
  return { url: `http://127.0.0.1:${port}`, stop };
}

/** A client for what the tests do to a bucket behind the store's back. */
export function s3Client(endpoint: string): S3Client {
  const credentials = S3_CREDENTIALS;
  return new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
}

export async function createBucket(endpoint: string, name: string): Promise<void> {
  const client = s3Client(endpoint);
  await client.send(new CreateBucketCommand({ Bucket: name }));
  client.destroy();
}
