import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { digestOf } from '../src/oci/digest.ts';
import { startRegistry } from '../src/registry/serving/start.ts';
import { collectRegistry } from '../src/registry/upkeep/gc.ts';
import { openS3Store } from '../src/store/s3/s3-store.ts';
import { describeWithPeers } from './support/peers.ts';
import { registryHttp } from './support/registry-http.ts';
import { createBucket, S3_CREDENTIALS, S3_SERVERS, type S3Server } from './support/s3-servers.ts';

const MIB = 1024 * 1024;

for (const { peer, start } of S3_SERVERS) {
  describeWithPeers([peer], `a registry on a bucket of ${peer}`, () => {
    let server: S3Server;
    beforeAll(async () => {
      server = await start();
      await createBucket(server.url, 'registry');
    });
    afterAll(() => server.stop());

    async function serve(redirect: boolean) {
      const store = openS3Store({
        bucket: 'registry',
        endpoint: server.url,
        credentials: S3_CREDENTIALS,
      });
      const listeners = [{ port: 0 }];
      const registry = await startRegistry(silentContext(), { store, listeners, redirect });
      onTestFinished(async () => {
        await registry.close(0);
        store.close();
      });
      return { store, http: registryHttp(registry.url) };
    }

    test('several registries share it, and see at once what another has done', async () => {
      const [one, two] = [await serve(false), await serve(false)];
      const { manifest, layer, layerBytes, digest } = await one.http.pushImage('s3/app', 'v1', MIB);

      const got = await two.http.send('GET', `/v2/s3/app/blobs/${layer}`);
      expect(got.bytes.equals(layerBytes)).toBe(true);
      expect((await two.http.send('GET', '/v2/s3/app/manifests/v1')).bytes.toString()).toBe(
        manifest,
      );
      await two.http.send('DELETE', `/v2/s3/app/manifests/${digest}`);
      expect((await one.http.send('GET', '/v2/s3/app/manifests/v1')).status).toBe(404);
    });

    test('an upload begun at one registry is finished at another', async () => {
      const [one, two] = [await serve(false), await serve(false)];
      const location = await one.http.open('s3/chunks');
      await one.http.send('PATCH', location, { body: 'first ' });
      await two.http.send('PATCH', location, { body: 'second' });
      const digest = digestOf('first second');

      expect((await one.http.send('PUT', `${location}?digest=${digest}`)).status).toBe(201);
      const { bytes } = await two.http.send('GET', `/v2/s3/chunks/blobs/${digest}`);
      expect(bytes.toString()).toBe('first second');
    });

    test('blobs may be fetched from the bucket itself', async () => {
      const { http } = await serve(true);
      const { layer, layerBytes } = await http.pushImage('s3/big', 'v1', MIB);

      const { status, headers } = await http.send('GET', `/v2/s3/big/blobs/${layer}`);
      expect(status).toBe(307);
      const direct = await fetch(headers.get('location') ?? '');
      expect(Buffer.from(await direct.arrayBuffer()).equals(layerBytes)).toBe(true);
    });

    test('garbage in it is collected', async () => {
      const { http, store } = await serve(false);
      const { layer } = await http.pushImage('s3/kept', 'v1', 100);
      const orphan = await http.pushBlob('s3/kept', Buffer.from('nobody needs this'));

      const later = silentContext({ now: () => new Date(Date.now() + 7_200_000) });
      await collectRegistry(later, store);

      expect((await http.send('HEAD', `/v2/s3/kept/blobs/${layer}`)).status).toBe(200);
      expect((await http.send('HEAD', `/v2/s3/kept/blobs/${orphan}`)).status).toBe(404);
    });
  });
}
