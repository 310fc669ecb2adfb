import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import { sha256OfFile } from '../core/file-sum.ts';
import { unreadable } from '../core/files.ts';
import { Progress } from '../core/progress.ts';
import { retry } from '../core/retry.ts';
import { type Host, type HostContent, isLocalFile, type PutOptions } from './host.ts';

/** Below this a file goes in one piece, and anew when the line breaks. */
const SMALL_BYTES = 1024 ** 2;

/** What the scripts below have in common. `-` stands for what was not said. */
const HEAD = `set -eu
path=$1 part=$2 size=$3 sum=$4 mode=$5 owner=$6
if [ -L "$path" ]; then path=$(readlink -f -- "$path"); fi
if [ "$mode" != - ]; then umask 077; fi
own() {
  if [ "$mode" != - ]; then chmod "$mode" "$1"; fi
  if [ "$owner" != - ]; then chown "$owner" "$1"; fi
}
folder() {
  case $mode in -|*[1-7]|*[1-7]?) ( umask 022; mkdir -p -- "\${path%/*}/" ) ;; *) mkdir -p -- "\${path%/*}/" ;; esac
}
finish() {
  if [ "$(wc -c < "$part")" -lt "$size" ]; then echo short; exit 0; fi
  if [ "$(sha256sum < "$part")" != "$sum  -" ]; then rm -f -- "$part"; echo damaged; exit 0; fi
  if [ "$mode" = - ] && [ -e "$path" ]; then chmod "$(stat -c %a "$path")" "$part"; fi
  own "$part"
  sync "$part" 2>/dev/null || :
  mv -f -- "$part" "$path"
  sync "\${path%/*}/" 2>/dev/null || :
  echo done
}
`;

const SCRIPTS = {
  /** All at once: for what is small. */
  whole: `${HEAD}folder; cat > "$part"; finish`,
  /** What is there already: all of it, or how many bytes of it. */
  begin: `${HEAD}folder
if [ -f "$path" ] && [ "$(sha256sum < "$path")" = "$sum  -" ]; then own "$path"; echo done
elif [ -f "$part" ]; then echo "part $(wc -c < "$part")"; else echo part 0; fi`,
  anew: `${HEAD}folder; cat > "$part"`,
  append: `${HEAD}cat >> "$part"`,
  finish: `${HEAD}finish`,
} as const;

interface Transfer {
  readonly run: Host['run'];
  readonly name: string;
  readonly path: string;
  readonly part: string;
  readonly options: PutOptions;
  size: number;
  sum: string;
}

/** Writes a whole file or none by a script there: bytes beside the place, checksum, rename. */
export async function putByScript(
  ctx: Context,
  { run, name }: Pick<Host, 'run' | 'name'>,
  path: string,
  content: HostContent,
  options: PutOptions = {},
): Promise<void> {
  const base = { run, name, path, options };
  if (typeof content === 'string' || content instanceof Uint8Array)
    return putBytes(ctx, base, Buffer.from(content));
  if (isLocalFile(content)) return putFile(ctx, base, content.file);
  await putStream(ctx, base, content);
}

type Base = Pick<Transfer, 'run' | 'name' | 'path' | 'options'>;

function transfer(base: Base, size: number, sum: string, mark = sum.slice(0, 16)): Transfer {
  const part = join(dirname(base.path), `.${basename(base.path)}.${mark}.part`);
  return { ...base, part, size, sum };
}

async function putBytes(ctx: Context, base: Base, bytes: Buffer): Promise<void> {
  const sum = createHash('sha256').update(bytes).digest('hex');
  const work = transfer(base, bytes.length, sum);
  await retry(ctx, { operation: operationOf(work) }, async () =>
    requireDone(work, await step(ctx, work, 'whole', bytes)),
  );
}

async function putFile(ctx: Context, base: Base, file: string): Promise<void> {
  const size = await sizeOf(file);
  const work = transfer(base, size, await sha256OfFile(file));
  const progress = size < SMALL_BYTES ? undefined : startProgress(ctx, work);
  let sent = 0;
  let before = 0;
  const hasProgressed = () => {
    const moved = sent > before;
    before = sent;
    return moved;
  };
  await retry(ctx, { operation: operationOf(work), hasProgressed }, async () => {
    const state = await step(ctx, work, 'begin', '');
    if (state === 'done') return;
    const there = Number(state.replace('part ', ''));
    const offset = there > size ? 0 : there;
    const count = (bytes: number) => {
      sent += bytes;
      progress?.addBytes(bytes);
    };
    const bytes = counting(createReadStream(file, { start: offset, signal: ctx.signal }), count);
    if (offset < size) await step(ctx, work, offset === 0 ? 'anew' : 'append', bytes);
    requireDone(work, await step(ctx, work, 'finish', ''));
  });
  progress?.finish('checked');
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    throw unreadable(file, error);
  }
}

function startProgress(ctx: Context, { name, path, size }: Transfer): Progress {
  const title = `Copying ${basename(path)} to ${name}`;
  return new Progress(ctx, { id: `put ${path}`, title, totalBytes: size });
}

/** Bytes that come but once: a cut transfer cannot go on. */
async function putStream(
  ctx: Context,
  base: Base,
  chunks: AsyncIterable<Uint8Array>,
): Promise<void> {
  const work = transfer(base, 0, '', randomBytes(8).toString('hex'));
  const hash = createHash('sha256');
  const seen = counting(chunks, (bytes, chunk) => {
    work.size += bytes;
    hash.update(chunk);
  });
  try {
    await step(ctx, work, 'anew', seen);
    work.sum = hash.digest('hex');
    requireDone(work, await step(ctx, work, 'finish', ''));
  } catch (error) {
    const { run, part, options } = work;
    await run({ ...ctx, signal: AbortSignal.timeout(5000) }, 'rm', ['-f', '--', part], {
      sudo: isRoots(options),
    }).catch(() => undefined);
    throw error;
  }
}

async function* counting(
  chunks: AsyncIterable<Uint8Array>,
  count: (bytes: number, chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    count(chunk.length, chunk);
    yield chunk;
  }
}

const isRoots = ({ sudo, owner }: PutOptions) => sudo === true || owner !== undefined;
const operationOf = ({ path, name }: Transfer) => `Copying to ${path} on ${name}`;

/** Runs one of the scripts and gives its last word. */
async function step(
  ctx: Context,
  { run, name, path, part, size, sum, options }: Transfer,
  script: keyof typeof SCRIPTS,
  input: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<string> {
  const { mode, owner } = options;
  const words = [path, part, String(size), sum, mode?.toString(8) ?? '-', owner ?? '-'];
  const { status, stdout, stderr } = await run(
    ctx,
    'sh',
    ['-c', SCRIPTS[script], 'put', ...words],
    { input, sudo: isRoots(options) },
  );
  if (status === 0) return stdout.trim();
  const isFull = /No space left|quota exceeded/i.test(stderr);
  throw new AtollError(
    isFull ? 'DISK_FULL' : 'FILE_UNWRITABLE',
    `Cannot write "${path}" on ${name}: ${stderr.trim() || `status ${status}`}`,
    { hint: isFull ? 'Free some space there and run the same command again' : undefined },
  );
}

function requireDone({ path, name }: Transfer, state: string): void {
  if (state === 'done') return;
  const found = state === 'damaged' ? 'other bytes than were sent' : 'fewer bytes than were sent';
  throw new AtollError('CONTENT_MISMATCH', `Cannot write "${path}" on ${name}: found ${found}`);
}
