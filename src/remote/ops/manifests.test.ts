import { describe, expect, test } from 'vitest';
import { describeBytes, openRepository } from '../../../test/support/remote.ts';
import { error, startScriptedRegistry } from '../../../test/support/scripted-registry.ts';
import { silentContext } from '../../core/context.ts';
import { digestOf } from '../../oci/digest.ts';
import { parseManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';

const ctx = silentContext();
const INDEX = MEDIA_TYPES.ociIndex;
const TEXT = JSON.stringify({ schemaVersion: 2, mediaType: INDEX, manifests: [] });
const DESCRIPTOR = describeBytes(Buffer.from(TEXT), INDEX);
const MANIFEST = parseManifest(Buffer.from(TEXT), INDEX);

describe('resolve', () => {
  test('takes one HEAD when the answer says everything', async () => {
    const registry = await startScriptedRegistry();
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);

    expect(await openRepository(registry.host).resolve(ctx, 'v1')).toEqual(DESCRIPTOR);
    expect(registry.lines()).toEqual(['GET /v2/', 'HEAD /v2/team/app/manifests/v1']);
  });

  test.each([
    ['no digest', { status: 200, headers: { 'content-type': INDEX } }],
    ['a method that is not allowed', { status: 405 }],
    [
      'another digest than asked for',
      { status: 200, headers: { 'docker-content-digest': digestOf('') } },
    ],
  ])('asks again with GET after a HEAD with %s', async (_name, head) => {
    const registry = await startScriptedRegistry((request) =>
      request.method === 'HEAD' ? head : undefined,
    );
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);
    const repository = openRepository(registry.host);

    expect(await repository.resolve(ctx, 'v1')).toEqual(DESCRIPTOR);
    expect(await repository.resolve(ctx, DESCRIPTOR.digest)).toEqual(DESCRIPTOR);
  });

  test('gives undefined for what is not there', async () => {
    const registry = await startScriptedRegistry();

    expect(await openRepository(registry.host).resolve(ctx, 'nope')).toBeUndefined();
  });

  test.each([500, 502, 503])('tries again after %i', async (status) => {
    let failures = 2;
    const registry = await startScriptedRegistry((request) => {
      if (request.path === '/v2/' || failures === 0) return undefined;
      failures -= 1;
      return { status };
    });
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);

    expect(await openRepository(registry.host).resolve(ctx, 'v1')).toEqual(DESCRIPTOR);
  });

  test('tells who refused, what, and in which words', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.path === '/v2/' ? undefined : { status: 403, body: error('DENIED', 'no entry') },
    );

    await expect(openRepository(registry.host).resolve(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_DENIED',
      message: `Cannot read ${registry.host}/team/app:v1: 403 Forbidden: DENIED: no entry`,
      details: { registry: registry.host, repository: 'team/app', reference: 'v1', status: 403 },
    });
  });
});

describe('find', () => {
  test.each(['v1', DESCRIPTOR.digest])('reads %s with one GET', async (reference) => {
    const registry = await startScriptedRegistry();
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);

    const manifest = await openRepository(registry.host).find(ctx, reference);

    expect(manifest?.descriptor).toEqual(DESCRIPTOR);
    expect(registry.lines()).toEqual(['GET /v2/', `GET /v2/team/app/manifests/${reference}`]);
  });

  test('gives undefined for what is not there', async () => {
    const registry = await startScriptedRegistry();

    expect(await openRepository(registry.host).find(ctx, 'nope')).toBeUndefined();
  });

  test('refuses bytes that are not what the registry itself says they are', async () => {
    const headers = { 'content-type': INDEX, 'docker-content-digest': DESCRIPTOR.digest };
    const registry = await startScriptedRegistry((request) =>
      request.path === '/v2/'
        ? undefined
        : { status: 200, headers, body: TEXT.replace('[]', '[ ]') },
    );

    await expect(openRepository(registry.host).find(ctx, 'v1')).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });
});

describe('manifest', () => {
  test('returns the bytes as served', async () => {
    const registry = await startScriptedRegistry();
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);

    const manifest = await openRepository(registry.host).manifest(ctx, DESCRIPTOR);

    expect(Buffer.from(manifest.bytes).toString()).toBe(TEXT);
  });

  test('refuses bytes that are not what the digest says', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.path === '/v2/' ? undefined : { status: 200, body: TEXT.replace('[]', '[ ]') },
    );

    await expect(openRepository(registry.host).manifest(ctx, DESCRIPTOR)).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });

  test.each(['told', 'not told'])('cuts off one of 100 MB whose size is %s', async (kind) => {
    const huge = Buffer.alloc(100 * 1024 * 1024, ' ');
    const registry = await startScriptedRegistry((request) => {
      if (request.path === '/v2/') return undefined;
      const head = Buffer.from('HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n');
      return kind === 'told' ? { status: 200, body: huge } : { raw: Buffer.concat([head, huge]) };
    });

    await expect(openRepository(registry.host).manifest(ctx, DESCRIPTOR)).rejects.toMatchObject({
      code: 'MANIFEST_INVALID',
      message: expect.stringContaining('more than 4194304 bytes'),
    });
  });
});

describe('putManifest', () => {
  test('sends the exact bytes and type, under the tag', async () => {
    const registry = await startScriptedRegistry();

    await openRepository(registry.host).putManifest(ctx, MANIFEST, 'v2');

    const stored = registry.memory.manifests.get('team/app:v2');
    expect(stored).toEqual({ type: INDEX, bytes: Buffer.from(TEXT) });
  });

  test('names a registry that took a blob and then does not know it', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.method === 'PUT'
        ? { status: 400, body: error('MANIFEST_BLOB_UNKNOWN', 'blob unknown to registry') }
        : undefined,
    );

    await expect(openRepository(registry.host).putManifest(ctx, MANIFEST)).rejects.toMatchObject({
      code: 'CONTENT_MISSING',
      message: expect.stringContaining('blob unknown to registry'),
    });
  });

  test('notices when the registry stored something else', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.method === 'PUT'
        ? { status: 201, headers: { 'docker-content-digest': digestOf('other') } }
        : undefined,
    );

    await expect(openRepository(registry.host).putManifest(ctx, MANIFEST)).rejects.toMatchObject({
      code: 'CONTENT_MISMATCH',
    });
  });
});

describe('remove', () => {
  test('is true for what was there and false for what was not', async () => {
    const registry = await startScriptedRegistry();
    registry.memory.addManifest('team/app', 'v1', INDEX, TEXT);
    const repository = openRepository(registry.host);

    expect(await repository.remove(ctx, DESCRIPTOR.digest)).toBe(true);
    expect(await repository.remove(ctx, DESCRIPTOR.digest)).toBe(false);
  });

  test('says that deletes are off where they are', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.method === 'DELETE' ? { status: 405, body: error('UNSUPPORTED') } : undefined,
    );

    await expect(openRepository(registry.host).remove(ctx, 'v1')).rejects.toMatchObject({
      code: 'REGISTRY_REFUSED',
      hint: expect.stringContaining('enable them'),
    });
  });
});
