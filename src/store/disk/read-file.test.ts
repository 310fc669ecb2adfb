import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { collect, noise } from '../../../test/support/bytes.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { createBufferPool, pumpFile, readFileChunks, readPath } from './read-file.ts';

const bytes = noise(100_000);

async function openFile() {
  const path = join(await tempDir(), 'file');
  await writeFile(path, bytes);
  return { path, file: await open(path, 'r') };
}

test('readFileChunks reads a range in chunks that belong to the reader', async () => {
  const { file } = await openFile();
  const chunks: Uint8Array[] = [];

  for await (const chunk of readFileChunks(file, { start: 10, end: 49_999 }, 4096)) {
    chunks.push(chunk);
  }
  await file.close();

  expect(Buffer.concat(chunks).equals(bytes.subarray(10, 50_000))).toBe(true);
  expect(chunks).toHaveLength(Math.ceil(49_990 / 4096));
});

test('readFileChunks ends with the file, and lets it be closed half-way', async () => {
  const { file } = await openFile();

  const all = await collect(readFileChunks(file, { start: 0, end: 1e9 }, 30_000));
  for await (const chunk of readFileChunks(file, { start: 0, end: 1e9 }, 100)) {
    expect(chunk.length).toBe(100);
    break;
  }
  await file.close();

  expect(all.equals(bytes)).toBe(true);
});

test('readPath reads a whole file', async () => {
  const { path, file } = await openFile();
  await file.close();

  expect((await collect(readPath(path))).equals(bytes)).toBe(true);
});

test('pumpFile sends a range through few buffers that are used again', async () => {
  const { file } = await openFile();
  let made = 0;
  const inner = createBufferPool({ bufferBytes: 1000 });
  const seen = new Set<Buffer>();
  const pool = {
    ...inner,
    take() {
      const buffer = inner.take();
      if (!seen.has(buffer)) made += 1;
      seen.add(buffer);
      return buffer;
    },
  };
  const received: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      received.push(Buffer.from(chunk));
      done();
    },
  });

  await pumpFile(file, { start: 5, end: 99_999 }, stream, pool);
  stream.end();
  await file.close();

  expect(Buffer.concat(received).equals(bytes.subarray(5))).toBe(true);
  expect(made).toBeLessThanOrEqual(3);
});

test('pumpFile rejects when the reader goes away', async () => {
  const { file } = await openFile();
  const stuck = new Writable({ write: () => undefined });

  const pumping = pumpFile(
    file,
    { start: 0, end: 99_999 },
    stuck,
    createBufferPool({ bufferBytes: 1000 }),
  );
  stuck.destroy();

  await expect(pumping).rejects.toThrow();
  await file.close();
});

test('pumpFile rejects when the file is shorter than promised', async () => {
  const { file } = await openFile();
  const stream = new PassThrough();
  stream.resume();

  const pumping = pumpFile(
    file,
    { start: 0, end: 100_009 },
    stream,
    createBufferPool({ bufferBytes: 30_000 }),
  );

  await expect(pumping).rejects.toThrow('10 bytes early');
  await file.close();
});

test('a thousand readers that stand still hold a bounded number of bytes, and give them back', async () => {
  const { file } = await openFile();
  let quiet = 0;
  const pool = createBufferPool({
    onQuiet: () => {
      quiet += 1;
    },
  });
  const waiting: (() => void)[] = [];
  const readers = Array.from({ length: 1000 }, () => {
    const stream = new Writable({ write: (_chunk, _encoding, done) => void waiting.push(done) });
    return pumpFile(file, { start: 0, end: 99_999 }, stream, pool);
  });
  let most = 0;

  const all = Promise.all(readers).then(() => waiting.splice(0));
  const pump = setInterval(() => {
    most = Math.max(most, pool.bytes);
    if (waiting.length >= 1000 || most > 0) for (const done of waiting.splice(0)) done();
  });
  await all;
  clearInterval(pump);
  await file.close();

  expect(most).toBeLessThanOrEqual(64 * 1024 * 1024);
  expect(pool.bytes).toBeLessThanOrEqual(2 * 1024 * 1024);
  expect(quiet).toBeGreaterThan(0);
});
