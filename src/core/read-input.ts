import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AtollError, systemCodeOf } from './errors.ts';

export interface InputLimits {
  /** How long somebody may take to open the other end of a pipe. */
  readonly patienceMs?: number;
  /** Most of what has no size of its own, such as `/dev/zero`. */
  readonly maxBytes?: number;
}

const PIECE = 64 * 1024;
const LOOK_AGAIN_MS = 20;

/**
 * All of a file, a pipe or a terminal. The system is never left to wait for the other end: a thread that
 * waits in there can be told nothing, and Node does not even exit before it comes back.
 */
export async function readInput(path: string, limits: InputLimits = {}): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFIFO() && !found.isCharacterDevice()) return await file.readFile();
    const { patienceMs = 2000, maxBytes = 1024 ** 3 } = limits;
    const first = await firstPiece(file, found.isFIFO() ? patienceMs : 0);
    if (first === undefined) throw refused(path, 'nobody writes to this pipe');
    return await rest(file, first, () => refused(path, 'it has no end'), maxBytes);
  } finally {
    await file.close();
  }
}

/** Before anybody has opened the other end of a pipe, it looks as at its end. */
async function firstPiece(file: FileHandle, patienceMs: number): Promise<Buffer | undefined> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const piece = await readPiece(file);
    // Somebody is there, be it to say nothing.
    if (piece === undefined) return await nextPiece(file);
    if (piece.length > 0 || patienceMs === 0) return piece;
    if (Date.now() >= until) return undefined;
    await pause(LOOK_AGAIN_MS);
  }
}

async function rest(
  file: FileHandle,
  first: Buffer,
  endless: () => AtollError,
  maxBytes: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for (let piece = first; piece.length > 0; piece = await nextPiece(file)) {
    pieces.push(piece);
    size += piece.length;
    if (size > maxBytes) throw endless();
  }
  return Buffer.concat(pieces);
}

async function nextPiece(file: FileHandle): Promise<Buffer> {
  for (;;) {
    const piece = await readPiece(file);
    if (piece) return piece;
    await pause(LOOK_AGAIN_MS);
  }
}

/** Empty at the end; undefined where there is nothing yet. */
async function readPiece(file: FileHandle): Promise<Buffer | undefined> {
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PIECE), 0, PIECE, null);
    return buffer.subarray(0, bytesRead);
  } catch (error) {
    if (systemCodeOf(error) === 'EAGAIN') return undefined;
    throw error;
  }
}

function refused(path: string, found: string): AtollError {
  return new AtollError('FILE_UNREADABLE', `Cannot read "${path}": ${found}`, {
    hint: 'Name a file, or start what writes into it first',
    details: { path },
  });
}
