import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import type { Context } from '../../core/context.ts';
import { AtollError, systemCodeOf } from '../../core/errors.ts';
import { makeFolder } from '../../core/files.ts';
import { createPool } from '../../core/pool.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import {
  createBufferPool,
  pumpFile,
  readFileChunks,
  readFully,
} from '../../store/disk/read-file.ts';
import type { ByteRange, FileBacked } from '../../store/store.ts';
import { collectSoon } from '../serving/memory.ts';

/** A blob's file, open for reading. `stamp` changes when anybody writes to it. */
export interface BlobFile {
  readonly digest: Digest;
  readonly size: number;
  readonly stamp: string;
  readonly handle: FileHandle;
}

/** The file does not hold what its name says. It has been moved aside. */
export class DamagedBlob extends Error {
  override readonly name = 'DamagedBlob';
}

/**
 * Serves blobs from files and never a wrong byte as right: the first time a file is sent it is
 * hashed on the way, and its last piece leaves only when the digest is right. Later requests trust
 * the file until it changes or the proof is a day old.
 */
export interface BlobFiles {
  open(digest: Digest): Promise<BlobFile | undefined>;
  /** Sends the range and leaves the stream open. Throws {@link DamagedBlob} before the last piece. */
  send(file: BlobFile, range: ByteRange, stream: Writable): Promise<void>;
  /** True when the file is what it should be; a damaged one is moved aside. */
  verify(file: BlobFile): Promise<boolean>;
}

const PROOF_MS = 24 * 3_600_000;
const MAX_PROOFS = 100_000;
/** Each holds buffers of its own, however many wait. */
const CONCURRENT_HASHES = 4;
/** What waits for the verdict, for each that is sent. */
const HELD_BYTES = 16 * 1024;

export function blobFiles(
  ctx: Context,
  store: FileBacked,
  onDamaged: (digest: Digest) => void,
): BlobFiles {
  const pool = createBufferPool({ onQuiet: collectSoon });
  const hashing = createPool(ctx, CONCURRENT_HASHES);
  const proofs = new Map<Digest, { readonly stamp: string; readonly at: number }>();
  const verifying = new Map<string, Promise<boolean>>();

  const isProven = ({ digest, stamp }: BlobFile) => {
    const proof = proofs.get(digest);
    return proof?.stamp === stamp && ctx.now().getTime() - proof.at < PROOF_MS;
  };
  const prove = ({ digest, stamp }: BlobFile) => {
    if (proofs.size >= MAX_PROOFS) proofs.clear();
    proofs.set(digest, { stamp, at: ctx.now().getTime() });
  };

  async function judge(file: BlobFile, hex: string): Promise<boolean> {
    if (hex === splitDigest(file.digest).hex) {
      prove(file);
      return true;
    }
    await moveAside(store, file);
    onDamaged(file.digest);
    return false;
  }

  async function verify(file: BlobFile): Promise<boolean> {
    if (isProven(file)) return true;
    const key = `${file.digest} ${file.stamp}`;
    const running = verifying.get(key);
    if (running) return await running;
    const started = hashing
      .run('', () => hashFile(file))
      .then((hex) => judge(file, hex))
      .finally(() => verifying.delete(key));
    verifying.set(key, started);
    return await started;
  }

  /** Hashes while sending; the last piece waits for the verdict. */
  async function sendHashed(file: BlobFile, stream: Writable): Promise<void> {
    const hash = createHash(splitDigest(file.digest).algorithm);
    const lastStart = Math.max(0, file.size - HELD_BYTES);
    const before = { start: 0, end: lastStart - 1 };
    await pumpFile(file.handle, before, stream, pool, (bytes) => hash.update(bytes));
    const last = Buffer.allocUnsafe(file.size - lastStart);
    const filled = await readFully(file.handle, last, lastStart);
    hash.update(last.subarray(0, filled));
    if (!(await judge(file, hash.digest('hex')))) throw new DamagedBlob(file.digest);
    stream.write(last);
  }

  return {
    open: (digest) => openBlob(store, digest),
    verify,
    async send(file, range, stream) {
      if (isProven(file)) return await pumpFile(file.handle, range, stream, pool);
      const whole = range.start === 0 && range.end === file.size - 1;
      if (whole) return await sendHashed(file, stream);
      if (!(await verify(file))) throw new DamagedBlob(file.digest);
      await pumpFile(file.handle, range, stream, pool);
    },
  };
}

async function openBlob(store: FileBacked, digest: Digest): Promise<BlobFile | undefined> {
  let handle: FileHandle;
  try {
    handle = await open(store.blobPath(digest), 'r');
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { ino, size, mtimeMs, ctimeMs } = await handle.stat();
    return { digest, size, stamp: `${ino} ${size} ${mtimeMs} ${ctimeMs}`, handle };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function hashFile({ digest, size, handle }: BlobFile): Promise<string> {
  const hash = createHash(splitDigest(digest).algorithm);
  for await (const chunk of readFileChunks(handle, { start: 0, end: size - 1 })) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Out of reach for clients, who may then push it again; kept for whoever wants to look. Where it
 * cannot be moved it stays unproven, and no request for it ever succeeds.
 */
async function moveAside(store: FileBacked, { digest, handle }: BlobFile): Promise<void> {
  const path = store.blobPath(digest);
  const folder = join(store.root, 'damaged');
  try {
    // Pushed again meanwhile: then another file has the name now.
    if ((await stat(path)).ino !== (await handle.stat()).ino) return;
    await makeFolder(folder);
    await rename(path, join(folder, digest.replace(':', '-')));
  } catch (error) {
    if (!(error instanceof AtollError) && systemCodeOf(error) === undefined) throw error;
  }
}
