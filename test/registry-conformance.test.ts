import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestOf } from '../src/oci/digest.ts';
import { MEDIA_TYPES } from '../src/oci/media-types.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import {
  errorCode,
  imageManifest,
  type RegistryHttp,
  registryHttp,
} from './support/registry-http.ts';

let registry: EmbeddedRegistry;
let http: RegistryHttp;
let count = 0;

beforeAll(async () => {
  registry = await startEmbeddedRegistry();
  http = registryHttp(registry.url);
});
afterAll(() => registry.stop());

/** A repository nobody else uses. */
const freshName = () => {
  count += 1;
  return `spec/test-${count}`;
};

const missing = digestOf('nobody has this');
const BASE = '/v2/';

test('the registry answers the probe of its API', async () => {
  for (const path of ['/v2/', '/v2']) {
    const { status, bytes } = await http.send('GET', path);
    expect([status, bytes.toString()]).toEqual([200, '{}']);
  }
});

describe.each(['sha256', 'sha512'] as const)('blobs by %s', (algorithm) => {
  const digest = (bytes: Uint8Array) => digestOf(bytes, algorithm);

  async function expectBlob(repository: string, bytes: Buffer): Promise<void> {
    const path = `/v2/${repository}/blobs/${digest(bytes)}`;
    const got = await http.send('GET', path);
    const head = await http.send('HEAD', path);
    expect([got.status, head.status]).toEqual([200, 200]);
    expect(got.bytes.equals(bytes)).toBe(true);
    for (const { headers } of [got, head]) {
      expect(headers.get('docker-content-digest')).toBe(digest(bytes));
      expect(headers.get('content-length')).toBe(String(bytes.length));
    }
  }

  test.each([0, 2, 3000])('a POST takes a whole blob of %i bytes', async (size) => {
    const name = freshName();
    const bytes = randomBytes(size);
    const path = `/v2/${name}/blobs/uploads/?digest=${digest(bytes)}`;

    const { status, headers } = await http.send('POST', path, { body: bytes });

    expect(status).toBe(201);
    expect((await http.send('GET', headers.get('location') ?? '')).bytes.equals(bytes)).toBe(true);
    await expectBlob(name, bytes);
  });

  test('POST and PUT take a whole blob', async () => {
    const name = freshName();
    const bytes = randomBytes(3000);
    const location = await http.open(name);

    const answer = await http.send('PUT', `${location}?digest=${digest(bytes)}`, { body: bytes });

    expect(answer.status).toBe(201);
    await expectBlob(name, bytes);
    expect((await http.send('GET', location)).status).toBe(404);
  });

  test('chunks follow each other, the last one with the PUT', async () => {
    const name = freshName();
    const bytes = randomBytes(3072);
    let location = await http.open(name);
    for (const start of [0, 1024]) {
      const { status, headers } = await http.send('PATCH', location, {
        headers: { 'content-range': `${start}-${start + 1023}` },
        body: bytes.subarray(start, start + 1024),
      });
      expect([status, headers.get('range')]).toEqual([202, `0-${start + 1023}`]);
      location = headers.get('location') ?? '';
    }

    const answer = await http.send('PUT', `${location}?digest=${digest(bytes)}`, {
      headers: { 'content-range': '2048-3071' },
      body: bytes.subarray(2048),
    });

    expect(answer.status).toBe(201);
    await expectBlob(name, bytes);
  });

  test('a PATCH without a range appends, and an empty PUT finishes', async () => {
    const name = freshName();
    const bytes = randomBytes(5000);
    const location = await http.open(name);
    await http.send('PATCH', location, { body: bytes.subarray(0, 2500) });
    await http.send('PATCH', location, { body: bytes.subarray(2500) });

    expect((await http.send('PUT', `${location}?digest=${digest(bytes)}`)).status).toBe(201);
    await expectBlob(name, bytes);
  });

  test('a chunk out of order is refused and the right place can be asked for', async () => {
    const name = freshName();
    const bytes = randomBytes(2048);
    const location = await http.open(name);
    const first = { headers: { 'content-range': '0-1023' }, body: bytes.subarray(0, 1024) };
    const late = { headers: { 'content-range': '1500-2047' }, body: bytes.subarray(1500) };
    await http.send('PATCH', location, first);

    for (const [method, path] of [
      ['PATCH', location],
      ['PUT', `${location}?digest=${digest(bytes)}`],
    ] as const) {
      const { status, headers } = await http.send(method, path, late);
      expect([status, headers.get('range')]).toEqual([416, '0-1023']);
    }
    const { status, headers } = await http.send('GET', location);
    expect([status, headers.get('range')]).toEqual([204, '0-1023']);

    const rest = { headers: { 'content-range': '1024-2047' }, body: bytes.subarray(1024) };
    await http.send('PATCH', headers.get('location') ?? '', rest);
    expect((await http.send('PUT', `${location}?digest=${digest(bytes)}`)).status).toBe(201);
    await expectBlob(name, bytes);
  });

  test('other bytes than the digest says are refused in every way', async () => {
    const name = freshName();
    const wrong = digest(Buffer.from('something else'));
    const body = randomBytes(100);
    const byPost = await http.send('POST', `/v2/${name}/blobs/uploads/?digest=${wrong}`, { body });
    const byPut = await http.send('PUT', `${await http.open(name)}?digest=${wrong}`, { body });
    const patched = await http.open(name);
    await http.send('PATCH', patched, { body });
    const byPatch = await http.send('PUT', `${patched}?digest=${wrong}`);

    for (const answer of [byPost, byPut, byPatch]) {
      expect([answer.status, errorCode(answer)]).toEqual([400, 'DIGEST_INVALID']);
    }
    expect((await http.send('HEAD', `/v2/${name}/blobs/${wrong}`)).status).toBe(404);
  });

  test('a blob is mounted from a named repository, or from wherever it is', async () => {
    const [from, named, anywhere] = [freshName(), freshName(), freshName()];
    const bytes = randomBytes(500);
    const upload = `/v2/${from}/blobs/uploads/?digest=${digest(bytes)}`;
    await http.send('POST', upload, { body: bytes });

    const mount = `/blobs/uploads/?mount=${digest(bytes)}`;
    const first = await http.send('POST', `/v2/${named}${mount}&from=${from}`);
    const second = await http.send('POST', `/v2/${anywhere}${mount}`);

    expect([first.status, second.status]).toEqual([201, 201]);
    await expectBlob(named, bytes);
    await expectBlob(anywhere, bytes);
  });

  test('a deleted blob is gone from its repository at once', async () => {
    const name = freshName();
    const bytes = randomBytes(10);
    await http.send('POST', `/v2/${name}/blobs/uploads/?digest=${digest(bytes)}`, { body: bytes });
    const path = `/v2/${name}/blobs/${digest(bytes)}`;

    expect((await http.send('DELETE', path)).status).toBe(202);
    expect((await http.send('HEAD', path)).status).toBe(404);
    const again = await http.send('DELETE', path);
    expect([again.status, errorCode(again)]).toEqual([404, 'BLOB_UNKNOWN']);
  });

  test.each([
    ['bytes=500-1499', 206, 500, 1499],
    ['bytes=500-', 206, 500, 2999],
    ['bytes=-500', 206, 2500, 2999],
    ['bytes=2000-5000', 206, 2000, 2999],
    ['bytes=0-0,5-6', 200, 0, 2999],
    ['lines=1-2', 200, 0, 2999],
  ])('the range %s answers %i', async (range, status, start, end) => {
    const name = freshName();
    const bytes = randomBytes(3000);
    await http.send('POST', `/v2/${name}/blobs/uploads/?digest=${digest(bytes)}`, { body: bytes });

    const path = `/v2/${name}/blobs/${digest(bytes)}`;
    const got = await http.send('GET', path, { headers: { range } });

    expect(got.status).toBe(status);
    expect(got.bytes.equals(bytes.subarray(start, end + 1))).toBe(true);
    if (status === 206) {
      expect(got.headers.get('content-range')).toBe(`bytes ${start}-${end}/3000`);
    }
  });

  test.each(['bytes=500-0', 'bytes=5000-10000'])('the range %s is refused', async (range) => {
    const name = freshName();
    const bytes = randomBytes(3000);
    await http.send('POST', `/v2/${name}/blobs/uploads/?digest=${digest(bytes)}`, { body: bytes });
    const path = `/v2/${name}/blobs/${digest(bytes)}`;

    const { status, headers } = await http.send('GET', path, { headers: { range } });

    // A range whose end is before its start may be ignored or refused; clients want it refused.
    expect([status, headers.get('content-range')]).toEqual([416, 'bytes */3000']);
  });
});

describe('uploads', () => {
  test('a mount of a blob nobody has opens an upload instead', async () => {
    const path = `/v2/${freshName()}/blobs/uploads/?mount=${missing}&from=spec/none`;
    const { status, headers } = await http.send('POST', path);

    expect(status).toBe(202);
    expect(headers.get('location')).toContain('/blobs/uploads/');
  });

  test('an upload can be cancelled', async () => {
    const location = await http.open(freshName());

    expect((await http.send('DELETE', location)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const answer = await http.send(method, location);
      expect([answer.status, errorCode(answer)]).toEqual([404, 'BLOB_UPLOAD_UNKNOWN']);
    }
  });

  test('an upload belongs to its repository', async () => {
    const location = await http.open('spec/mine');
    const elsewhere = location.replace('spec/mine', 'spec/yours');

    expect((await http.send('GET', elsewhere)).status).toBe(404);
  });

  test.each(['', 'sha256:baddigeststring', 'md5:d41d8cd98f00b204e9800998ecf8427e'])(
    'the digest "%s" cannot finish an upload',
    async (digest) => {
      const location = await http.open(freshName());
      const answer = await http.send('PUT', `${location}?digest=${digest}`, { body: 'x' });

      expect([answer.status, errorCode(answer)]).toEqual([400, 'DIGEST_INVALID']);
    },
  );

  test('a range that contradicts the length is refused', async () => {
    const location = await http.open(freshName());
    const headers = { 'content-range': '0-99' };
    const answer = await http.send('PATCH', location, { headers, body: 'too short' });

    expect([answer.status, errorCode(answer)]).toEqual([400, 'SIZE_INVALID']);
  });
});

describe('manifests', () => {
  test('a manifest comes back byte for byte, by tag and by digest', async () => {
    const name = freshName();
    const { manifest, digest } = await http.pushImage(name, 'v1');

    for (const reference of ['v1', digest]) {
      const path = `/v2/${name}/manifests/${reference}`;
      const got = await http.send('GET', path);
      const head = await http.send('HEAD', path);
      expect(got.bytes.toString()).toBe(manifest);
      expect([got.status, head.status]).toEqual([200, 200]);
      for (const { headers } of [got, head]) {
        expect(headers.get('content-type')).toBe(MEDIA_TYPES.ociManifest);
        expect(headers.get('docker-content-digest')).toBe(digest);
        expect(headers.get('content-length')).toBe(String(manifest.length));
      }
    }
  });

  test('a client that has it already gets 304', async () => {
    const name = freshName();
    const { digest } = await http.pushImage(name, 'v1');
    const headers = { 'if-none-match': `"${digest}"` };

    expect((await http.send('GET', `/v2/${name}/manifests/v1`, { headers })).status).toBe(304);
  });

  test('a manifest may be stored under its sha512', async () => {
    const name = freshName();
    const { manifest } = await http.pushImage(name, 'v1');
    const digest = digestOf(manifest, 'sha512');
    const path = `/v2/${name}/manifests/${digest}`;
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };

    expect((await http.send('PUT', path, { headers, body: manifest })).status).toBe(201);
    expect((await http.send('GET', path)).headers.get('docker-content-digest')).toBe(digest);
  });

  test('a parameter of the content type is left out', async () => {
    const name = freshName();
    const { manifest, digest } = await http.pushImage(name, 'v1');
    const headers = { 'content-type': `${MEDIA_TYPES.ociManifest}; charset=utf-8` };
    await http.send('PUT', `/v2/${name}/manifests/v2`, { headers, body: manifest });

    const { headers: got } = await http.send('GET', `/v2/${name}/manifests/v2`);
    expect([got.get('content-type'), got.get('docker-content-digest')]).toEqual([
      MEDIA_TYPES.ociManifest,
      digest,
    ]);
  });

  test('Docker schema 2 images and lists are taken as they are', async () => {
    const name = freshName();
    const config = Buffer.from('{}');
    await http.pushBlob(name, config);
    const image = imageManifest(config, [], { mediaType: MEDIA_TYPES.dockerManifest });
    await http.pushManifest(name, 'image', image);
    const text = JSON.stringify(image);
    const entry = {
      mediaType: MEDIA_TYPES.dockerManifest,
      digest: digestOf(text),
      size: text.length,
      platform: { os: 'linux', architecture: 'amd64' },
    };
    const list = { schemaVersion: 2, mediaType: MEDIA_TYPES.dockerList, manifests: [entry] };

    expect((await http.pushManifest(name, 'list', list)).status).toBe(201);
    const { headers } = await http.send('GET', `/v2/${name}/manifests/list`);
    expect(headers.get('content-type')).toBe(MEDIA_TYPES.dockerList);
  });

  test('a sparse index, a nested and an empty one are accepted', async () => {
    const name = freshName();
    const entry = (mediaType: string, digest = missing) => ({ mediaType, digest, size: 7 });
    const index = (manifests: object[]) => ({
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.ociIndex,
      manifests,
    });

    const sparse = await http.pushManifest(name, 'sparse', index([entry(MEDIA_TYPES.ociManifest)]));
    const empty = await http.pushManifest(name, 'empty', index([]));
    const nested = await http.pushManifest(name, 'nested', index([entry(MEDIA_TYPES.ociIndex)]));

    expect([sparse.status, empty.status, nested.status]).toEqual([201, 201, 201]);
  });

  test('layers that stay elsewhere, data and unknown fields do no harm', async () => {
    const name = freshName();
    const config = Buffer.from('{}');
    await http.pushBlob(name, config);
    const foreign = {
      mediaType: 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip',
      digest: missing,
      size: 5,
      urls: ['https://example.com/layer'],
    };
    const manifest = imageManifest(config, [], {
      layers: [foreign],
      'org.example.custom': { anything: true },
    });
    Object.assign(manifest.config, { data: config.toString('base64') });

    expect((await http.pushManifest(name, 'v1', manifest)).status).toBe(201);
    const { bytes } = await http.send('GET', `/v2/${name}/manifests/v1`);
    expect(bytes.toString()).toBe(JSON.stringify(manifest));
  });

  test('a manifest of nearly 4 MiB is taken and a larger one is not', async () => {
    const name = freshName();
    const config = Buffer.from('{}');
    await http.pushBlob(name, config);
    const sized = (size: number) =>
      imageManifest(config, [], { annotations: { x: 'y'.repeat(size) } });

    expect((await http.pushManifest(name, 'big', sized(4_000_000))).status).toBe(201);
    const answer = await http.pushManifest(name, 'huge', sized(4_300_000));
    expect([answer.status, errorCode(answer)]).toEqual([413, 'SIZE_INVALID']);
  });

  test('an image whose blobs are not here is refused', async () => {
    const answer = await http.pushManifest(
      freshName(),
      'v1',
      imageManifest(Buffer.from('{}'), [Buffer.from('layer')]),
    );
    expect([answer.status, errorCode(answer)]).toEqual([400, 'MANIFEST_BLOB_UNKNOWN']);
  });

  test.each([
    ['not JSON', '{'],
    ['no object', '[]'],
    ['schema 1', '{"schemaVersion":1,"name":"x"}'],
    ['no config', '{"schemaVersion":2,"layers":[]}'],
  ])('a manifest that is %s is refused', async (_what, body) => {
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };
    const answer = await http.send('PUT', `/v2/${freshName()}/manifests/v1`, { headers, body });

    expect([answer.status, errorCode(answer)]).toEqual([400, 'MANIFEST_INVALID']);
  });

  test('a digest that is wrong or malformed is refused', async () => {
    const name = freshName();
    const { manifest } = await http.pushImage(name, 'v1');
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };
    for (const reference of [missing, 'sha256:baddigeststring']) {
      const path = `/v2/${name}/manifests/${reference}`;
      const answer = await http.send('PUT', path, { headers, body: manifest });
      expect([answer.status, errorCode(answer)]).toEqual([400, 'DIGEST_INVALID']);
    }
  });

  test.each(['v1', missing, 'sha256:baddigeststring'])('nobody has %s', async (reference) => {
    const answer = await http.send('GET', `/v2/${freshName()}/manifests/${reference}`);
    expect([answer.status, errorCode(answer)]).toEqual([404, 'MANIFEST_UNKNOWN']);
  });

  test('a tag moves to the manifest that was pushed last', async () => {
    const name = freshName();
    const first = await http.pushImage(name, 'v1', 100);
    const second = await http.pushImage(name, 'v1', 200);

    const { headers } = await http.send('HEAD', `/v2/${name}/manifests/v1`);
    expect(headers.get('docker-content-digest')).toBe(second.digest);
    expect((await http.send('HEAD', `/v2/${name}/manifests/${first.digest}`)).status).toBe(200);
  });

  test('a push by digest may bring tags along', async () => {
    const name = freshName();
    const { manifest, digest } = await http.pushImage(name, 'v1');
    const tags = Array.from({ length: 12 }, (_, index) => `t${index}`);
    const query = tags.map((tag) => `tag=${tag}`).join('&');
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };
    const path = `/v2/${name}/manifests/${digest}?${query}`;

    const answer = await http.send('PUT', path, { headers, body: manifest });

    expect(answer.status).toBe(201);
    expect(answer.headers.get('oci-tag')?.split(', ')).toEqual(tags);
    expect((await http.send('HEAD', `/v2/${name}/manifests/t11`)).status).toBe(200);
    const many = `${path}&${'tag=a'.repeat(1)}&${Array.from({ length: 70 }, (_, i) => `tag=m${i}`).join('&')}`;
    expect((await http.send('PUT', many, { headers, body: manifest })).status).toBe(414);
  });

  test('deleting a tag leaves the manifest, deleting the manifest takes its tags', async () => {
    const name = freshName();
    const { digest, manifest } = await http.pushImage(name, 'a');
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };
    await http.send('PUT', `/v2/${name}/manifests/b`, { headers, body: manifest });

    expect((await http.send('DELETE', `/v2/${name}/manifests/a`)).status).toBe(202);
    expect((await http.send('GET', `/v2/${name}/manifests/a`)).status).toBe(404);
    expect((await http.send('GET', `/v2/${name}/manifests/${digest}`)).status).toBe(200);

    expect((await http.send('DELETE', `/v2/${name}/manifests/${digest}`)).status).toBe(202);
    for (const reference of ['b', digest]) {
      expect((await http.send('GET', `/v2/${name}/manifests/${reference}`)).status).toBe(404);
      expect((await http.send('DELETE', `/v2/${name}/manifests/${reference}`)).status).toBe(404);
    }
  });
});

describe('listings', () => {
  test('tags are sorted and come in pages', async () => {
    const name = freshName();
    const { manifest, digest } = await http.pushImage(name, 'c');
    const headers = { 'content-type': MEDIA_TYPES.ociManifest };
    const more = `/v2/${name}/manifests/${digest}?tag=a&tag=d&tag=b`;
    await http.send('PUT', more, { headers, body: manifest });
    const list = async (query = '') => {
      const got = await http.send('GET', `/v2/${name}/tags/list${query}`);
      return { ...JSON.parse(got.bytes.toString()), link: got.headers.get('link') };
    };

    expect(await list()).toEqual({ name, tags: ['a', 'b', 'c', 'd'], link: null });
    const page = await list('?n=2');
    expect(page).toMatchObject({ tags: ['a', 'b'] });
    const next = /^<(.+)>; rel="next"$/.exec(page.link)?.[1] ?? '';
    expect(JSON.parse((await http.send('GET', next)).bytes.toString()).tags).toEqual(['c', 'd']);
    expect(await list('?last=b')).toMatchObject({ tags: ['c', 'd'], link: null });
    expect(await list('?n=0')).toMatchObject({ tags: [], link: null });
    expect(await list('?n=4')).toMatchObject({ link: null });
  });

  test('a page size that is no number, and an unknown repository, are refused', async () => {
    const name = freshName();
    await http.pushImage(name, 'v1');
    expect((await http.send('GET', `/v2/${name}/tags/list?n=-1`)).status).toBe(400);
    const unknown = await http.send('GET', '/v2/spec/none/tags/list');
    expect([unknown.status, errorCode(unknown)]).toEqual([404, 'NAME_UNKNOWN']);
  });

  test('the catalog names repositories in pages', async () => {
    for (const repository of ['catalog/a', 'catalog/b']) await http.pushImage(repository, 'v1', 10);
    const got = await http.send('GET', '/v2/_catalog?n=1&last=catalog');

    expect(JSON.parse(got.bytes.toString())).toEqual({ repositories: ['catalog/a'] });
    expect(got.headers.get('link')).toContain('last=catalog%2Fa');
  });
});

describe('referrers', () => {
  const artifact = (subject: string, extra: object) =>
    imageManifest(Buffer.from('{}'), [], {
      subject: { mediaType: MEDIA_TYPES.ociManifest, digest: subject, size: 7 },
      ...extra,
    });
  const list = async (name: string, digest: string, query = '') => {
    const got = await http.send('GET', `/v2/${name}/referrers/${digest}${query}`);
    expect(got.headers.get('content-type')).toBe(MEDIA_TYPES.ociIndex);
    return { manifests: JSON.parse(got.bytes.toString()).manifests, headers: got.headers };
  };

  test('what refers to an image is listed with its type and annotations, even before it', async () => {
    const name = freshName();
    await http.pushBlob(name, Buffer.from('{}'));
    const typed = artifact(missing, {
      artifactType: 'application/vnd.example.sbom',
      annotations: { made: 'here' },
    });
    const plain = artifact(missing, {});
    const answer = await http.pushManifest(name, digestOf(JSON.stringify(typed)), typed);
    await http.pushManifest(name, 'plain', plain);

    expect([answer.status, answer.headers.get('oci-subject')]).toEqual([201, missing]);
    const all = await list(name, missing);
    expect(all.manifests).toHaveLength(2);
    const filtered = await list(name, missing, '?artifactType=application/vnd.example.sbom');
    expect(filtered.headers.get('oci-filters-applied')).toBe('artifactType');
    expect(filtered.manifests).toEqual([
      {
        mediaType: MEDIA_TYPES.ociManifest,
        digest: digestOf(JSON.stringify(typed)),
        size: JSON.stringify(typed).length,
        artifactType: 'application/vnd.example.sbom',
        annotations: { made: 'here' },
      },
    ]);
    const byConfig = await list(name, missing, `?artifactType=${MEDIA_TYPES.ociConfig}`);
    expect(byConfig.manifests).toHaveLength(1);
  });

  test('an index may refer too, and a deleted artifact is listed no more', async () => {
    const name = freshName();
    const index = {
      schemaVersion: 2,
      mediaType: MEDIA_TYPES.ociIndex,
      manifests: [],
      subject: { mediaType: MEDIA_TYPES.ociManifest, digest: missing, size: 7 },
    };
    const digest = digestOf(JSON.stringify(index));
    await http.pushManifest(name, digest, index);
    expect((await list(name, missing)).manifests).toEqual([
      { mediaType: MEDIA_TYPES.ociIndex, digest, size: JSON.stringify(index).length },
    ]);

    await http.send('DELETE', `/v2/${name}/manifests/${digest}`);
    expect((await list(name, missing)).manifests).toEqual([]);
  });

  test('a list that a client keeps in a tag counts as well', async () => {
    const name = freshName();
    const entry = { mediaType: MEDIA_TYPES.ociManifest, digest: digestOf('sbom'), size: 4 };
    const index = { schemaVersion: 2, mediaType: MEDIA_TYPES.ociIndex, manifests: [entry] };
    await http.pushManifest(name, missing.replace(':', '-'), index);

    expect((await list(name, missing)).manifests).toEqual([entry]);
  });

  test('nothing refers to what nobody knows; a malformed digest is an error', async () => {
    expect((await list('spec/none', missing)).manifests).toEqual([]);
    const answer = await http.send('GET', '/v2/spec/none/referrers/sha256:bad');
    expect([answer.status, errorCode(answer)]).toEqual([400, 'DIGEST_INVALID']);
  });
});

describe('requests that make no sense', () => {
  test.each([
    ['GET', '/v2/UPPER/tags/list', 400, 'NAME_INVALID'],
    ['GET', '/v2/a/../b/tags/list', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/a%2f..%2f..%2fetc/manifests/x', 400, 'NAME_INVALID'],
    ['GET', '/v2/a/blobs/sha256:..%2f..', 404, 'NAME_UNKNOWN'],
    ['GET', '/v2/a/blobs/sha256:short', 400, 'DIGEST_INVALID'],
    ['GET', '/elsewhere', 404, 'NAME_UNKNOWN'],
    ['PATCH', '/v2/a/manifests/v1', 405, 'UNSUPPORTED'],
    ['POST', BASE, 405, 'UNSUPPORTED'],
  ])('%s %s answers %i', async (method, path, status, code) => {
    const answer = await http.send(method, path);
    expect([answer.status, errorCode(answer)]).toEqual([status, code]);
  });

  test('headers larger than allowed are refused', async () => {
    const headers = { 'x-large': 'x'.repeat(40_000) };
    expect((await http.send('GET', BASE, { headers })).status).toBe(431);
  });
});
