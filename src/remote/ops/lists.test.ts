import { describe, expect, test } from 'vitest';
import { describeBytes, openRepository } from '../../../test/support/remote.ts';
import { error, startScriptedRegistry } from '../../../test/support/scripted-registry.ts';
import { silentContext } from '../../core/context.ts';
import { parseManifest } from '../../oci/manifest.ts';
import { MEDIA_TYPES } from '../../oci/media-types.ts';

const ctx = silentContext();

async function all(tags: AsyncIterable<string>): Promise<string[]> {
  const list: string[] = [];
  for await (const tag of tags) list.push(tag);
  return list;
}

describe('tags', () => {
  test.each([
    ['relative', (_host: string) => '/v2/team/app/tags/list?last=b&n=2'],
    ['absolute', (host: string) => `http://${host}/v2/team/app/tags/list?last=b&n=2`],
  ])('follow a %s Link to the end', async (_name, link) => {
    const registry = await startScriptedRegistry((request) => {
      if (!request.path.endsWith('/tags/list')) return undefined;
      return request.query.get('last') === 'b'
        ? { status: 200, body: JSON.stringify({ tags: ['c'] }) }
        : {
            status: 200,
            headers: { link: `<${link(registry.host)}>; rel="next"` },
            body: JSON.stringify({ tags: ['a', 'b'] }),
          };
    });

    expect(await all(openRepository(registry.host).tags(ctx))).toEqual(['a', 'b', 'c']);
  });

  test('end with an error where the pages lead in a circle', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.path.endsWith('/tags/list')
        ? {
            status: 200,
            headers: { link: '</v2/team/app/tags/list?last=a>; rel=next' },
            body: JSON.stringify({ tags: ['a'] }),
          }
        : undefined,
    );

    await expect(all(openRepository(registry.host).tags(ctx))).rejects.toMatchObject({
      code: 'REGISTRY_REFUSED',
      message: expect.stringContaining('circle'),
    });
  });

  test('of an unknown repository are an error, of an empty one are none', async () => {
    const unknown = await startScriptedRegistry();
    const empty = await startScriptedRegistry((request) =>
      request.path.endsWith('/tags/list') ? { status: 200, body: '{"tags":null}' } : undefined,
    );

    await expect(all(openRepository(unknown.host).tags(ctx))).rejects.toMatchObject({
      code: 'IMAGE_UNKNOWN',
    });
    expect(await all(openRepository(empty.host).tags(ctx))).toEqual([]);
  });
});

const SUBJECT = describeBytes(Buffer.from('the image'), MEDIA_TYPES.ociManifest);
const signatureText = (name: string) =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: MEDIA_TYPES.ociManifest,
    artifactType: 'application/vnd.example.signature',
    config: { ...describeBytes(Buffer.from('{}'), MEDIA_TYPES.ociEmpty) },
    layers: [],
    subject: SUBJECT,
    annotations: { name },
  });
const signature = (name: string) => parseManifest(Buffer.from(signatureText(name)));

describe('referrers', () => {
  test('come from the API where there is one', async () => {
    const entry = { ...signature('a').descriptor };
    const body = JSON.stringify({
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.ociIndex,
      manifests: [entry],
    });
    const registry = await startScriptedRegistry((request) =>
      request.path.includes('/referrers/') ? { status: 200, body } : undefined,
    );

    const found = await openRepository(registry.host).referrers(ctx, SUBJECT.digest);

    expect(found.map((one) => one.digest)).toEqual([entry.digest]);
  });

  test('are written to and read from the fallback tag where there is none', async () => {
    const registry = await startScriptedRegistry();
    const repository = openRepository(registry.host);

    await Promise.all(['a', 'b', 'c'].map((name) => repository.putManifest(ctx, signature(name))));
    await repository.putManifest(ctx, signature('b'));

    const found = await repository.referrers(ctx, SUBJECT.digest);
    expect(found.map((one) => one.annotations?.name).toSorted()).toEqual(['a', 'b', 'c']);
    expect(found[0]?.artifactType).toBe('application/vnd.example.signature');
    const tag = `team/app:${SUBJECT.digest.replace(':', '-')}`;
    expect(registry.memory.manifests.get(tag)?.type).toBe(MEDIA_TYPES.ociIndex);
  });

  test('leave the fallback tag alone where the registry takes care of the subject', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.method === 'PUT'
        ? { status: 201, headers: { 'oci-subject': SUBJECT.digest } }
        : undefined,
    );

    await openRepository(registry.host).putManifest(ctx, signature('a'));

    expect(registry.seen.filter((one) => one.method === 'PUT')).toHaveLength(1);
  });

  test('are none where nothing is known', async () => {
    const registry = await startScriptedRegistry();
    const repository = openRepository(registry.host);

    expect(await repository.referrers(ctx, SUBJECT.digest)).toEqual([]);
    expect(await repository.referrers(ctx, SUBJECT.digest)).toEqual([]);
    const api = registry.lines().filter((line) => line.includes('/referrers/'));
    expect(api).toHaveLength(1);
  });

  test('pass a refusal on', async () => {
    const registry = await startScriptedRegistry((request) =>
      request.path.includes('/referrers/') ? { status: 403, body: error('DENIED') } : undefined,
    );

    const reading = openRepository(registry.host).referrers(ctx, SUBJECT.digest);

    await expect(reading).rejects.toMatchObject({ code: 'REGISTRY_DENIED' });
  });
});
