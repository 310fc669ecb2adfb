import { expect, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { MAX_MANIFEST_BYTES } from '../src/oci/manifest.ts';
import { imageManifest, type RegistryHttp } from './support/registry-http.ts';
import { serveForTest } from './support/serve-for-test.ts';

const NEXT = /^<(.+)>; rel="next"$/;

/** All pages of a list, as their bodies. */
async function pagesOf(http: RegistryHttp, path: string): Promise<Buffer[]> {
  const bodies: Buffer[] = [];
  for (let next: string | undefined = path; next; ) {
    const { status, bytes, headers } = await http.send('GET', next);
    expect(status).toBe(200);
    bodies.push(bytes);
    next = NEXT.exec(headers.get('link') ?? '')?.[1];
  }
  return bodies;
}

test('referrers with huge annotations come in pages that a client can read', async () => {
  const { http, store } = await serveForTest();
  const subject = await http.pushImage('limits/a', 'v1');
  const config = Buffer.from('{}');
  const wanted: string[] = [];
  for (let index = 0; index < 12; index += 1) {
    const artifact = imageManifest(config, [], {
      subject: { mediaType: 'a/b', digest: subject.digest, size: subject.manifest.length },
      artifactType: index % 2 === 0 ? 'example/even' : 'example/odd',
      annotations: { large: `${index}`.padStart(1_500_000, 'x') },
    });
    const digest = digestOf(JSON.stringify(artifact));
    expect((await http.pushManifest('limits/a', digest, artifact)).status).toBe(201);
    wanted.push(digest);
  }

  const pages = await pagesOf(http, `/v2/limits/a/referrers/${subject.digest}`);
  const found = pages.flatMap((page) => JSON.parse(page.toString()).manifests);
  const even = await pagesOf(
    http,
    `/v2/limits/a/referrers/${subject.digest}?artifactType=example/even`,
  );

  expect(found.map(({ digest }: { digest: string }) => digest)).toEqual(wanted.toSorted());
  expect(found.every(({ annotations }) => annotations.large.length === 1_500_000)).toBe(true);
  expect(pages.map(({ length }) => length).filter((size) => size > MAX_MANIFEST_BYTES)).toEqual([]);
  expect(even.flatMap((page) => JSON.parse(page.toString()).manifests)).toHaveLength(6);
  // Who asks by type pays for what is found: the records themselves are short.
  const key = `repos/limits/a/_referrers/${subject.digest}/${wanted[0]}`;
  const record = await store.records.get(silentContext(), key);
  expect(JSON.stringify(record).length).toBeLessThan(1000);
});

test('a list of tags without a page size ends after a page, and the rest follows', async () => {
  const { http } = await serveForTest({ limits: { namesPerPage: 10, maxNamesPerPage: 20 } });
  const { digest, manifest } = await http.pushImage('limits/tags', 'v1');
  const tags = Array.from({ length: 45 }, (_, index) => `t${String(index).padStart(2, '0')}`);
  for (const tag of tags) {
    await http.pushManifest('limits/tags', `${digest}?tag=${tag}`, JSON.parse(manifest));
  }

  const counts = async (query: string) =>
    (await pagesOf(http, `/v2/limits/tags/tags/list${query}`)).map(
      (page) => JSON.parse(page.toString()).tags.length,
    );

  expect(await counts('')).toEqual([10, 10, 10, 10, 6]);
  expect(await counts('?n=1000000')).toEqual([20, 20, 6]);
  expect(await counts('?n=40')).toEqual([20, 20, 6]);
});
