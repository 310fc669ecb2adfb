import { createReadStream, watch } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Context } from '../core/context.ts';
import { systemCodeOf } from '../core/errors.ts';
import {
  SECRET_DIRECTORY_MODE,
  unreadable,
  type WriteOptions,
  writeFileAtomic,
} from '../core/files.ts';
import { runProgram } from '../core/process.ts';
import { sleep } from '../core/retry.ts';
import { rootPrefix } from './as-root.ts';
import { type Host, type HostContent, isLocalFile } from './host.ts';
import { putByScript } from './put-by-script.ts';

const FOLLOW_INTERVAL_MS = 500;

/** This machine as a `Host`. */
export function localHost(): Host {
  const name = 'this machine';
  const run: Host['run'] = async (ctx, program, args, { sudo, ...options } = {}) => {
    const [first = program, ...rest] = [...(sudo ? await root(ctx) : []), program, ...args];
    return await runProgram(ctx, first, rest, options);
  };
  const root = rootPrefix(run, name);
  return {
    name,
    isHere: true,
    run,
    put: (ctx, path, content, options = {}) =>
      options.sudo || options.owner !== undefined
        ? putByScript(ctx, { run, name }, path, content, options)
        : writeFileAtomic(path, bytesOf(content), modesOf(options.mode)),
    get: (ctx, path) => readHere(ctx, path),
    follow: (ctx, path) => followHere(ctx, path),
    close: async () => undefined,
  };
}

const bytesOf = (content: HostContent) =>
  isLocalFile(content) ? createReadStream(content.file) : content;

/** What others may not read is not in a folder they may look into, either. */
function modesOf(mode: number | undefined): WriteOptions {
  if (mode === undefined) return {};
  return (mode & 0o077) === 0 ? { mode, directoryMode: SECRET_DIRECTORY_MODE } : { mode };
}

async function* readHere(ctx: Context, path: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { signal: ctx.signal });
  } catch (cause) {
    if (ctx.signal.aborted) throw ctx.signal.reason;
    throw unreadable(path, cause);
  }
}

/** Reads what is there, then waits for more; a file that is not there yet is waited for. */
async function* followHere(ctx: Context, path: string): AsyncGenerator<string> {
  let offset = 0;
  let rest = '';
  while (!ctx.signal.aborted) {
    const text = await readFrom(path, offset);
    offset += Buffer.byteLength(text);
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (text === '') await changed(ctx, path);
  }
}

async function readFrom(path: string, offset: number): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const buffer = Buffer.alloc(64 * 1024);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
      // Only whole lines' worth of bytes are safe to decode; a cut character waits for its rest.
      const newline = buffer.subarray(0, bytesRead).lastIndexOf(0x0a) + 1;
      const end = newline === 0 && bytesRead === buffer.length ? bytesRead : newline;
      return buffer.toString('utf8', 0, end);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Returns when the file may have grown. Watching is a hint only: some file systems tell nothing. */
async function changed(ctx: Context, path: string): Promise<void> {
  const stirred = new AbortController();
  const stop = AbortSignal.any([ctx.signal, stirred.signal]);
  let watcher: ReturnType<typeof watch> | undefined;
  try {
    watcher = watch(path, () => stirred.abort());
    watcher.on('error', () => stirred.abort());
  } catch {
    // Not there yet.
  }
  await sleep({ signal: stop }, FOLLOW_INTERVAL_MS).catch(() => undefined);
  watcher?.close();
}
