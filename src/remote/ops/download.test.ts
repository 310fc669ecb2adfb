import { describe, expect, test } from 'vitest';
import { collect, makeBlob, openRepository } from '../../../test/support/remote.ts';
import { type Script, startScriptedRegistry } from '../../../test/support/scripted-registry.ts';
import { recordingContext, silentContext } from '../../core/context.ts';
import { digestOf } from '../../oci/digest.ts';

const ctx = silentContext();

/** A registry with one blob whose GETs the script decides, counted from 1. */
async function serving(bytes: Buffer, onGet: (count: number) => ReturnType<Script>) {
  let gets = 0;
  const registry = await startScriptedRegistry((request) => {
    if (!request.path.includes('/blobs/')) return undefined;
    gets += 1;
    return onGet(gets);
  });
  registry.memory.addBlob('team/app', bytes);
  return registry;
}

describe('a download', () => {
  test('gives exactly the bytes, from the start and from an offset', async () => {
    const { bytes, blob } = makeBlob(700_000);
    const { host } = await serving(bytes, () => undefined);
    const repository = openRepository(host);

    expect(digestOf(await collect(repository.blob(ctx, blob)))).toBe(blob.digest);
    const rest = await collect(repository.blob(ctx, blob, 123_456));
    expect(digestOf(rest)).toBe(digestOf(bytes.subarray(123_456)));
    expect(await collect(repository.blob(ctx, blob, bytes.length))).toHaveLength(0);
  });

  test.each([0, 1, 65_536, 699_999])(
    'continues after a cut at byte %i with a range',
    async (after) => {
      const { bytes, blob } = makeBlob(700_000);
      const registry = await serving(bytes, (count) =>
        count === 1 ? { status: 200, body: bytes, cut: 'answer', after } : undefined,
      );

      const received = await collect(openRepository(registry.host).blob(ctx, blob));

      expect(digestOf(received)).toBe(blob.digest);
      const again = registry.seen.at(-1)?.headers.range;
      expect(again).toBe(after === 0 ? undefined : `bytes=${after}-`);
    },
  );

  test('skips what it has when the server does not do ranges', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const { host } = await serving(bytes, (count) =>
      count === 1
        ? { status: 200, body: bytes, cut: 'answer', after: 200_000 }
        : { status: 200, body: bytes },
    );

    expect(digestOf(await collect(openRepository(host).blob(ctx, blob)))).toBe(blob.digest);
  });

  test('survives more cuts than there are attempts while bytes keep coming', async () => {
    const { bytes, blob } = makeBlob(1_000_000);
    const { host } = await serving(bytes, (count) => {
      const start = (count - 1) * 100_000;
      const headers = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
      const body = bytes.subarray(start);
      return count <= 9
        ? { status: count === 1 ? 200 : 206, headers, body, cut: 'answer', after: 100_000 }
        : undefined;
    });

    expect(digestOf(await collect(openRepository(host).blob(ctx, blob)))).toBe(blob.digest);
  });

  test('gives up with a name when the server cuts without progress', async () => {
    const { bytes, blob } = makeBlob(1000);
    const registry = await serving(bytes, () => ({ cut: 'at once' }));
    const context = recordingContext();

    const reading = collect(openRepository(registry.host).blob(context, blob));

    await expect(reading).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    expect(context.events.filter((event) => event.type === 'attempt.failed').length).toBe(2);
  });

  test('ends a stalled body instead of hanging, and continues it', async () => {
    const { bytes, blob } = makeBlob(50_000);
    const { host } = await serving(bytes, (count) =>
      count === 1 ? { status: 200, body: bytes, stall: 20_000 } : undefined,
    );
    const repository = openRepository(host, 'team/app', { tuning: { stallTimeoutMs: 150 } });

    expect(digestOf(await collect(repository.blob(ctx, blob)))).toBe(blob.digest);
  });

  test('ends a server that never answers', async () => {
    const { bytes, blob } = makeBlob(50_000);
    const { host } = await serving(bytes, () => new Promise<never>(() => undefined));
    const repository = openRepository(host, 'team/app', {
      tuning: { answerTimeoutMs: 100, stallTimeoutMs: 100, retry: { attempts: 2 } },
    });

    await expect(collect(repository.blob(ctx, blob))).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
      message: expect.stringContaining('no answer within 100 ms'),
    });
  });

  test('refuses a length that is not the blob’s before reading it', async () => {
    const { bytes, blob } = makeBlob(5000);
    const { host } = await serving(bytes, () => ({ status: 200, body: bytes.subarray(1) }));

    await expect(collect(openRepository(host).blob(ctx, blob))).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });

  test.each(['short', 'long'])('refuses a %s body without a length', async (kind) => {
    const { bytes, blob } = makeBlob(5000);
    const body = kind === 'long' ? Buffer.concat([bytes, bytes]) : bytes.subarray(0, 4000);
    const head = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n';
    const { host } = await serving(bytes, () => ({
      raw: Buffer.concat([Buffer.from(head), body]),
    }));

    const reading = collect(openRepository(host).blob(ctx, blob));

    const code = kind === 'long' ? 'CONTENT_MISMATCH' : 'REGISTRY_UNAVAILABLE';
    await expect(reading).rejects.toMatchObject({ code });
  });

  test('refuses a range that starts elsewhere', async () => {
    const { bytes, blob } = makeBlob(5000);
    const { host } = await serving(bytes, () => ({
      status: 206,
      headers: { 'content-range': 'bytes 10-4999/5000' },
      body: bytes.subarray(10),
    }));

    await expect(collect(openRepository(host).blob(ctx, blob, 20))).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });

  test('stops at once when the signal aborts', async () => {
    const { bytes, blob } = makeBlob(500_000);
    const { host } = await serving(bytes, () => ({ status: 200, body: bytes, stall: 100_000 }));
    const controller = new AbortController();
    const stopped = new Error('stopped');
    const context = silentContext({ signal: controller.signal });
    const download = await openRepository(host).openBlob(context, blob);

    const pumping = download.pump(context, () => controller.abort(stopped));

    await expect(pumping).rejects.toBe(stopped);
  });

  test('passes an error of the sink on, unchanged and at once', async () => {
    const { bytes, blob } = makeBlob(500_000);
    const registry = await serving(bytes, () => undefined);
    const download = await openRepository(registry.host).openBlob(ctx, blob);
    const full = new Error('disk full');

    await expect(download.pump(ctx, () => Promise.reject(full))).rejects.toBe(full);
    expect(registry.lines().filter((line) => line.includes('/blobs/'))).toHaveLength(1);
  });

  test('frees the connection when the reader leaves early', async () => {
    const { bytes, blob } = makeBlob(900_000);
    const { host } = await serving(bytes, () => undefined);

    for await (const chunk of openRepository(host).blob(ctx, blob)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
  });
});
