import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Context } from '../../../core/context.ts';
import { writeAll } from '../../../core/write-all.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { splitDigest } from '../../../oci/digest.ts';
import { mismatch } from '../../../oci/verify.ts';

const READ_BYTES = 1024 * 1024;

/** Writes a blob from `offset` on into a file that has what is before, and checks the whole. */
export async function hashedAppend(
  ctx: Context,
  file: FileHandle,
  blob: Descriptor,
  offset: number,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const { algorithm, hex } = splitDigest(blob.digest);
  const hash = createHash(algorithm);
  for (let at = 0; at < offset; ) {
    const buffer = Buffer.allocUnsafe(Math.min(READ_BYTES, offset - at));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw mismatch(blob, `only ${at} bytes of what was kept`);
    hash.update(buffer.subarray(0, bytesRead));
    at += bytesRead;
  }
  let size = offset;
  for await (const chunk of chunks) {
    ctx.signal.throwIfAborted();
    if (size + chunk.length > blob.size) throw mismatch(blob, `more than ${blob.size} bytes`);
    hash.update(chunk);
    await writeAll(file, [chunk], size);
    size += chunk.length;
  }
  if (size < blob.size) throw new Error(`Only ${size} of ${blob.size} bytes came`);
  if (hash.digest('hex') !== hex) throw mismatch(blob, 'different bytes');
}
