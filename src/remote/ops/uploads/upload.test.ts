import { describe, expect, test } from 'vitest';
import {
  describeBytes,
  makeBlob,
  once,
  openRegistries,
  openRepository,
} from '../../../../test/support/remote.ts';
import {
  error,
  type Mischief,
  type SeenRequest,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { silentContext } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { bulkSourceOf } from '../../../oci/bulk.ts';
import { digestOf } from '../../../oci/digest.ts';

const ctx = silentContext();

const from = (bytes: Uint8Array) => bulkSourceOf({ blob: (_c, _b, at = 0) => pieces(bytes, at) });

async function* pieces(bytes: Uint8Array, at: number): AsyncGenerator<Uint8Array> {
  for (let i = at; i < bytes.length; i += 20_000) yield bytes.subarray(i, i + 20_000);
}

async function* broken(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
  throw new AtollError('REGISTRY_UNAVAILABLE', 'the source is gone');
}

/** A target whose n-th request of one method the script decides. */
function misbehaving(
  method: string,
  decide: (count: number, r: SeenRequest) => Mischief | undefined,
) {
  let count = 0;
  return startScriptedRegistry((request) => {
    if (request.method !== method || request.path === '/v2/') return undefined;
    count += 1;
    return decide(count, request);
  });
}

describe('an upload', () => {
  test('takes two requests when the target lacks the blob and one when it has it', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const registry = await startScriptedRegistry();
    const repository = openRepository(registry.host);

    expect(await repository.putBlobFrom(ctx, blob, from(bytes))).toBe('copied');
    expect(await repository.putBlobFrom(ctx, blob, from(bytes))).toBe('reused');

    const stored = registry.memory.blobs.get(`team/app@${blob.digest}`);
    expect(stored && digestOf(stored)).toBe(blob.digest);
    expect(registry.seen.map((one) => one.method)).toEqual(['GET', 'POST', 'PUT', 'POST']);
  });

  test('stores an empty blob', async () => {
    const registry = await startScriptedRegistry();
    const blob = describeBytes(Buffer.alloc(0));

    await openRepository(registry.host).putBlob(ctx, blob, once(Buffer.alloc(0)));

    expect(registry.memory.blobs.get(`team/app@${blob.digest}`)).toHaveLength(0);
  });

  test('streams from one registry to another', async () => {
    const { bytes, blob } = makeBlob(900_000);
    const [source, target] = [await startScriptedRegistry(), await startScriptedRegistry()];
    source.memory.addBlob('team/app', bytes);
    const registries = openRegistries();
    const progress: number[] = [];

    const transfer = await registries
      .repository(target.host, 'copy/app')
      .putBlobFrom(ctx, blob, registries.repository(source.host, 'team/app'), {
        onProgress: (count) => progress.push(count),
      });

    expect(transfer).toBe('copied');
    expect(target.memory.blobs.has(`copy/app@${blob.digest}`)).toBe(true);
    expect(progress.reduce((sum, count) => sum + count, 0)).toBe(blob.size);
  });

  test('never lets the last byte of wrong content go', async () => {
    const { bytes, blob } = makeBlob(200_000);
    const wrong = Buffer.from(bytes);
    wrong[100_000] = (wrong[100_000] ?? 0) ^ 1;
    const registry = await startScriptedRegistry();

    const writing = openRepository(registry.host).putBlobFrom(ctx, blob, from(wrong));

    await expect(writing).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
    expect(registry.memory.blobs.size).toBe(0);
    const puts = registry.seen.filter((one) => one.method === 'PUT');
    expect(puts.length).toBeLessThanOrEqual(2);
  });

  test.each(['short', 'long'])('refuses a source that is too %s', async (kind) => {
    const { bytes, blob } = makeBlob(100_000);
    const wrong = kind === 'long' ? Buffer.concat([bytes, bytes]) : bytes.subarray(0, 99_999);
    const registry = await startScriptedRegistry();

    const writing = openRepository(registry.host).putBlobFrom(ctx, blob, from(wrong));

    await expect(writing).rejects.toMatchObject({ code: 'CONTENT_MISMATCH' });
    // The right bytes may be there, followed by nothing; never others under this digest.
    for (const stored of registry.memory.blobs.values()) expect(digestOf(stored)).toBe(blob.digest);
  });

  test('continues in parts from the offset of the server after a cut', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const registry = await misbehaving('PUT', (count) =>
      count === 1 ? { cut: 'body', after: 150_000 } : undefined,
    );

    const transfer = await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    expect(transfer).toBe('copied');
    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    const ranges = registry.seen.map((one) => one.headers['content-range']).filter(Boolean);
    expect(ranges).toEqual(['150000-215535', '215536-281071', '281072-299999']);
    expect(registry.seen.filter((one) => one.method === 'POST')).toHaveLength(1);
  });

  test('starts anew when the server forgot the upload', async () => {
    const { bytes, blob } = makeBlob(100_000);
    const registry = await misbehaving('PUT', (count) =>
      count === 1 ? { cut: 'at once' } : undefined,
    );

    await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    expect(registry.seen.filter((one) => one.method === 'POST')).toHaveLength(2);
  });

  test.each([
    ['hangs up', { cut: 'at once' }],
    ['is busy', { status: 503, body: error('UNAVAILABLE') }],
  ] satisfies [string, Mischief][])(
    'goes on where it stood though the server %s when it is asked for that',
    async (_name, mischief) => {
      const { bytes, blob } = makeBlob(300_000);
      let asked = 0;
      const registry = await startScriptedRegistry((request) => {
        if (request.method === 'PUT' && !request.headers['content-range']) {
          return { cut: 'body', after: 250_000 };
        }
        if (request.method !== 'GET' || request.path === '/v2/') return undefined;
        asked += 1;
        return asked === 1 ? mischief : undefined;
      });

      await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

      expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
      const ranges = registry.seen.map((one) => one.headers['content-range']).filter(Boolean);
      expect(ranges).toEqual(['250000-299999']);
      expect(registry.seen.filter((one) => one.method === 'POST')).toHaveLength(1);
    },
  );

  test('opens another upload in the end when nobody says where the first one stands', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const registry = await startScriptedRegistry((request) => {
      const first = registry.lines().filter((line) => line.startsWith('POST')).length === 1;
      if (!first || request.path === '/v2/') return undefined;
      if (request.method === 'PUT') return { cut: 'body', after: 100_000 };
      return request.method === 'GET' ? { cut: 'at once' } : undefined;
    });

    await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    expect(registry.seen.filter((one) => one.method === 'POST')).toHaveLength(2);
  });

  test('does not send a blob again that was taken though the answer was lost', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const registry = await misbehaving('PUT', () => {
      registry.memory.addBlob('team/app', bytes);
      registry.memory.uploads.clear();
      return { status: 504, body: '<html><title>504 Gateway Time-out</title></html>' };
    });

    const transfer = await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    expect(transfer).toBe('copied');
    expect(registry.seen.filter((one) => one.method === 'PUT')).toHaveLength(1);
  });

  test('goes on with the upload of an earlier process though the source breaks off once', async () => {
    const { bytes, blob } = makeBlob(300_000);
    const registry = await startScriptedRegistry();
    registry.memory.uploads.set('u1', { chunks: [bytes.subarray(0, 200_000)] });
    let opened = 0;
    const breaking = bulkSourceOf({
      blob: (_ctx, _blob, at = 0) => {
        opened += 1;
        return opened === 1 ? broken(bytes.subarray(0, 50_000)) : pieces(bytes, at);
      },
    });
    const location = `http://${registry.host}/v2/team/app/blobs/uploads/u1`;
    const memory = { location, remember: () => undefined };

    await openRepository(registry.host).putBlobFrom(ctx, blob, breaking, { memory });

    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    expect(registry.seen.filter((one) => one.method === 'POST')).toHaveLength(0);
  });

  test('stores an empty blob after two cuts', async () => {
    const blob = describeBytes(Buffer.alloc(0));
    let cuts = 0;
    const registry = await startScriptedRegistry((request) => {
      if (request.path === '/v2/' || request.method === 'POST' || cuts === 2) return undefined;
      cuts += 1;
      return { cut: 'at once' };
    });

    await openRepository(registry.host).putBlobFrom(ctx, blob, from(Buffer.alloc(0)));

    expect(registry.memory.blobs.get(`team/app@${blob.digest}`)).toHaveLength(0);
  });

  test.each([
    ['a cut before the upload', 'POST', { cut: 'at once' }],
    ['500 to the upload', 'POST', { status: 500, body: error('UNKNOWN') }],
    ['503 to the content', 'PUT', { status: 503, body: error('UNAVAILABLE') }],
    ['429 to the content', 'PUT', { status: 429, headers: { 'retry-after': '0' } }],
    ['404 to the content', 'PUT', { status: 404, body: error('BLOB_UPLOAD_UNKNOWN') }],
    ['416 to the content', 'PUT', { status: 416 }],
    ['an answer that is cut in its head', 'PUT', { raw: 'HTTP/1.1 201 Cre' }],
    ['garbage', 'PUT', { raw: 'what is this?' }],
  ] satisfies [string, string, Mischief][])('survives %s', async (_name, method, mischief) => {
    const { bytes, blob } = makeBlob(150_000);
    const registry = await misbehaving(method, (count) => (count === 1 ? mischief : undefined));

    await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    const stored = registry.memory.blobs.get(`team/app@${blob.digest}`);
    expect(stored && digestOf(stored)).toBe(blob.digest);
  });

  test('goes on in smaller parts where a proxy limits the size of a body', async () => {
    const { bytes, blob } = makeBlob(3_000_000);
    const registry = await startScriptedRegistry((request) =>
      Number(request.headers['content-length'] ?? 0) > 600_000
        ? {
            status: 413,
            body: '<html><title>413 Request Entity Too Large</title></html>',
            early: true,
          }
        : undefined,
    );
    const repository = openRepository(registry.host, 'team/app', {
      tuning: { partBytes: 2_097_152 },
    });

    await repository.putBlobFrom(ctx, blob, from(bytes));

    expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
  });

  test('says that the size limit was hit when no part is small enough', async () => {
    const { bytes, blob } = makeBlob(100_000);
    const registry = await misbehaving('PUT', () => ({ status: 413, body: 'too large' }));

    const writing = openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes));

    await expect(writing).rejects.toMatchObject({
      code: 'REGISTRY_QUOTA',
      hint: expect.stringContaining('client_max_body_size'),
    });
  });

  test('gives up on a one-time source once it was opened, without corrupting anything', async () => {
    const { bytes, blob } = makeBlob(2_000_000);
    const registry = await misbehaving('PUT', () => ({ cut: 'body', after: 500_000 }));

    const writing = openRepository(registry.host).putBlob(ctx, blob, once(bytes));

    await expect(writing).rejects.toMatchObject({ code: 'REGISTRY_UNAVAILABLE' });
    expect(registry.memory.blobs.size).toBe(0);
  });

  test('ends a target that takes nothing instead of hanging', async () => {
    const { bytes, blob } = makeBlob(400_000);
    const registry = await startScriptedRegistry((request) =>
      request.method === 'PUT' ? new Promise<never>(() => undefined) : undefined,
    );
    const repository = openRepository(registry.host, 'team/app', {
      tuning: { stallTimeoutMs: 100, answerTimeoutMs: 100, retry: { attempts: 2 } },
    });

    await expect(repository.putBlobFrom(ctx, blob, from(bytes))).rejects.toMatchObject({
      code: 'REGISTRY_UNAVAILABLE',
    });
  });

  test('stops at once when the caller does, with the reason of the caller', async () => {
    const { bytes, blob } = makeBlob(400_000);
    const controller = new AbortController();
    const stopped = new Error('stopped by the user');
    const registry = await startScriptedRegistry((request) => {
      if (request.method !== 'PUT') return undefined;
      controller.abort(stopped);
      return new Promise<never>(() => undefined);
    });
    const context = silentContext({ signal: controller.signal });

    const writing = openRepository(registry.host).putBlobFrom(context, blob, from(bytes));

    await expect(writing).rejects.toBe(stopped);
    expect(registry.memory.blobs.size).toBe(0);
  });

  test.each([
    ['relative', (path: string) => path],
    ['absolute', (path: string, host: string) => `http://${host}${path}`],
    ['absolute with the wrong scheme', (path: string, host: string) => `https://${host}${path}`],
    ['with a query of its own', (path: string) => `${path}?_state=abc%3D`],
  ])('follows a Location that is %s', async (_name, write) => {
    const { bytes, blob } = makeBlob(1000);
    let host = '';
    const registry = await misbehaving('POST', () => {
      registry.memory.uploads.set('u1', { chunks: [] });
      return { status: 202, headers: { location: write('/v2/team/app/blobs/uploads/u1', host) } };
    });
    host = registry.host;

    await openRepository(host).putBlobFrom(ctx, blob, from(bytes));

    const put = registry.seen.at(-1);
    expect(put?.query.get('digest')).toBe(blob.digest);
    expect(put?.url.includes('_state')).toBe(_name.includes('query'));
  });
});

describe('a mount', () => {
  test.each([
    [{ status: 201 }, true],
    [{ status: 404, body: error('NAME_UNKNOWN') }, false],
    [{ status: 405, body: error('UNSUPPORTED') }, false],
    [undefined, false],
  ] satisfies [Mischief | undefined, boolean][])(
    'answered %o gives %s',
    async (mischief, expected) => {
      const { blob } = makeBlob(10);
      const registry = await misbehaving('POST', () => mischief);

      expect(await openRepository(registry.host).mount(ctx, blob, 'other/app')).toBe(expected);
      expect(registry.memory.uploads.size).toBe(0);
    },
  );

  test.each([201, 202, 404, 405])(
    'answered %i still ends with the blob in repo',
    async (status) => {
      const { bytes, blob } = makeBlob(10_000);
      const registry = await misbehaving('POST', (_count, request) =>
        request.query.get('from') === 'other/app' && status !== 202 && status !== 201
          ? { status, body: error('UNSUPPORTED') }
          : undefined,
      );
      if (status === 201) registry.memory.addBlob('other/app', bytes);

      const transfer = await openRepository(registry.host).putBlobFrom(ctx, blob, from(bytes), {
        mountFrom: 'other/app',
      });

      expect(transfer).toBe(status === 201 ? 'mounted' : 'copied');
      expect(registry.memory.blobs.has(`team/app@${blob.digest}`)).toBe(true);
    },
  );

  test('falls back to HEAD where mounting from the own repository is refused', async () => {
    const { bytes, blob } = makeBlob(10_000);
    const registry = await misbehaving('POST', (_count, request) =>
      request.query.has('mount') ? { status: 400, body: error('UNSUPPORTED') } : undefined,
    );
    const repository = openRepository(registry.host);

    expect(await repository.putBlobFrom(ctx, blob, from(bytes))).toBe('copied');
    expect(await repository.putBlobFrom(ctx, blob, from(bytes))).toBe('reused');

    expect(registry.seen.map((one) => one.method)).toEqual([
      'GET',
      'POST',
      'HEAD',
      'POST',
      'PUT',
      'HEAD',
    ]);
  });
});
