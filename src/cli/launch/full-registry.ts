import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const digestOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`;

const TYPE = 'application/vnd.oci.image.manifest.v1+json';
const CONFIG = {
  mediaType: 'application/vnd.oci.empty.v1+json',
  digest: digestOf('{}'),
  size: 2,
};
const MANIFEST = JSON.stringify({
  schemaVersion: 2,
  mediaType: TYPE,
  config: CONFIG,
  layers: [],
});

/** A registry that has every image that it is asked for: a sync from it to it finds nothing to do. */
export async function startFullRegistry(): Promise<{ host: string; stop: () => void }> {
  const server = createServer(({ url = '' }, response) => {
    const [body, type] = url.includes('/manifests/')
      ? [MANIFEST, TYPE]
      : [JSON.stringify({ tags: ['v1'] }), 'application/json'];
    const status = url.includes('/referrers/') ? 404 : 200;
    response.writeHead(status, {
      'content-type': type,
      'content-length': body.length,
      'docker-content-digest': digestOf(body),
    });
    response.end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { host: `127.0.0.1:${port}`, stop: () => server.close() };
}
