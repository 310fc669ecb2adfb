import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const READ_BYTES = 1024 * 1024;

/** SHA-256 of a file, in hexadecimal digits, as `sha256sum` prints it. */
export async function sha256OfFile(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  const options = { highWaterMark: READ_BYTES, ...(signal ? { signal } : {}) };
  for await (const chunk of createReadStream(path, options)) hash.update(chunk);
  return hash.digest('hex');
}
