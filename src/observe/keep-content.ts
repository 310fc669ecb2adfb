import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { SECRET_MODE, unwritable } from '../core/files.ts';
import { formatBytes } from '../core/format.ts';
import { writeAll } from '../core/write-all.ts';
import type { UnnamedContent } from './source-files.ts';

/** Content on disk that can be read as often as one likes, until it is closed. */
interface KeptContent extends UnnamedContent {
  readonly bytes: number;
  close(): Promise<void>;
}

const READ_BYTES = 1024 * 1024;

/**
 * Keeps a stream that can be read only once. The file has no name from the moment it is open: however the process
 * ends, the system removes it, and nobody else can open it.
 */
export async function keepContent(
  ctx: Context,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<KeptContent> {
  const folder = await mkdtemp(join(tmpdir(), 'atoll-input-'));
  const file = await open(join(folder, 'content'), 'wx+', SECRET_MODE).finally(() =>
    rm(folder, { recursive: true, force: true }),
  );
  const told = { task: 'keep-content', title: `Reading ${name}` };
  try {
    ctx.emit({ type: 'task.started', ...told });
    let size = 0;
    for await (const chunk of content) {
      await writeAll(file, [chunk], size);
      size += chunk.length;
    }
    ctx.emit({ type: 'task.finished', ...told, summary: formatBytes(size) });
    return {
      name,
      modified: ctx.now(),
      bytes: size,
      open: () => chunksOf(file),
      close: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw unwritable(tmpdir(), error);
  }
}

/** A stream of Node would close the file behind it. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(READ_BYTES), 0, READ_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
