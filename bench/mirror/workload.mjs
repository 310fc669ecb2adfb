// Images like those of an OpenShift payload: real gzip tar layers that many images share, two thirds of the images
// in one repository. Same numbers, same bytes.
import { createCipheriv, createHash } from 'node:crypto';
import { request } from 'node:http';
import { gzipSync } from 'node:zlib';

const MB = 1024 * 1024;
const DOCKER = {
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layer: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
};
const OCI = {
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
};

/** What the issue of speed is measured with: 60 images, about 250 distinct layers, 1 GB. */
export const FULL = { images: 60, baseMB: [60, 12, 5, 3], layersPerImage: 4, meanLayerMB: 3.9 };
/** The same shape in small. */
export const QUICK = { images: 12, baseMB: [12, 3, 1], layersPerImage: 4, meanLayerMB: 1.5 };
/** Many small images: what each image costs besides its bytes. */
export const SMALL = { images: 60, baseMB: [1, 0.25], layersPerImage: 4, meanLayerMB: 0.06 };

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Bytes that do not compress, the same for the same name. */
function noise(name, size) {
  const key = createHash('sha256').update(name).digest();
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  return cipher.update(Buffer.alloc(Math.max(1, Math.round(size))));
}

function tarOf(name, data) {
  const head = Buffer.alloc(512);
  head.write(name, 0);
  head.write('0000644\x000000000\x000000000\0', 100);
  head.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124);
  head.write('00000000000\0        0', 136);
  head.write('ustar\x0000', 257);
  const sum = head.reduce((total, byte) => total + byte, 0);
  head.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  const padding = Buffer.alloc((512 - (data.length % 512)) % 512);
  return Buffer.concat([head, data, padding, Buffer.alloc(1024)]);
}

function layer(name, size) {
  const tar = tarOf(name, noise(name, size));
  const bytes = gzipSync(tar, { level: 0 });
  return { bytes, digest: digestOf(bytes), size: bytes.length, diffId: digestOf(tar) };
}

const agents = new Map();

/** One request; resolves with status and headers. */
async function send(method, url, { body, headers = {} } = {}) {
  const { Agent } = await import('node:http');
  const agent = agents.get(url.host) ?? new Agent({ keepAlive: true, maxSockets: 4 });
  agents.set(url.host, agent);
  return await new Promise((resolve, reject) => {
    const length = { 'content-length': body?.length ?? 0 };
    const sent = request(url, { method, agent, headers: { ...length, ...headers } }, (response) => {
      response.resume().on('end', () => resolve(response));
    });
    sent.on('error', reject).end(body);
  });
}

export async function pushBlob(base, repository, { digest, bytes }, from) {
  const mount = from ? `?mount=${digest}&from=${encodeURIComponent(from)}` : '';
  const begun = await send('POST', new URL(`/v2/${repository}/blobs/uploads/${mount}`, base));
  if (begun.statusCode === 201) return;
  const location = new URL(begun.headers.location, base);
  location.searchParams.set('digest', digest);
  const headers = { 'content-type': 'application/octet-stream' };
  const done = await send('PUT', location, { body: bytes, headers });
  if (done.statusCode !== 201) throw new Error(`PUT of a blob: ${done.statusCode}`);
}

/** Returns its digest. */
export async function pushManifest(url, { types = DOCKER, config, layers }) {
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: types.manifest,
      config: { mediaType: types.config, digest: config.digest, size: config.size },
      layers: layers.map(({ digest, size }) => ({ mediaType: types.layer, digest, size })),
    }),
  );
  const headers = { 'content-type': types.manifest };
  const put = await send('PUT', url, { body: manifest, headers });
  if (put.statusCode !== 201) throw new Error(`PUT of a manifest: ${put.statusCode}`);
  return digestOf(manifest);
}

/** Sizes from a half to one and a half of the mean, the same every time. */
function sizeOf(meanMB, image, index) {
  const fraction =
    createHash('sha256').update(`${image}/${index}`).digest().readUInt32LE() / 2 ** 32;
  return meanMB * MB * (0.5 + fraction);
}

function placeOf(index, images) {
  const isPayload = index < (images * 2) / 3;
  return isPayload
    ? { repository: 'ocp/release', tag: `component-${index}`, types: DOCKER }
    : { repository: `operators/op-${index}`, tag: 'v1', types: OCI };
}

function configOf(index, layers) {
  const history = layers.map((_, number) => ({ created_by: `step ${number}` }));
  const rootfs = { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) };
  const config = { Labels: { name: `image-${index}` } };
  return Buffer.from(
    JSON.stringify({ architecture: 'amd64', os: 'linux', config, rootfs, history }),
  );
}

/** Pushes the images into a registry and tells what is there. */
export async function publish(base, shape, name = 'bench') {
  const bases = shape.baseMB.map((size, index) => layer(`${name}-base-${index}`, size * MB));
  const images = [];
  const blobs = new Map();
  const note = (repository, { digest, size }) => {
    if (!blobs.has(digest)) blobs.set(digest, { repository, digest, size });
  };
  const withBase = new Set();
  for (let index = 0; index < shape.images; index += 1) {
    const { repository, tag, types } = placeOf(index, shape.images);
    const own = Array.from({ length: shape.layersPerImage }, (_, number) =>
      layer(`${name}-${index}-${number}`, sizeOf(shape.meanLayerMB, index, number)),
    );
    if (!withBase.has(repository)) {
      for (const one of bases) await pushBlob(base, repository, one, index > 0 && 'ocp/release');
      withBase.add(repository);
    }
    const layers = [...bases, ...own];
    const bytes = configOf(index, layers);
    const config = { bytes, digest: digestOf(bytes), size: bytes.length };
    await Promise.all([...own, config].map((one) => pushBlob(base, repository, one)));
    for (const one of [...layers, config]) note(repository, one);
    const digest = await pushManifest(new URL(`/v2/${repository}/manifests/${tag}`, base), {
      types,
      config,
      layers,
    });
    images.push({ repository, tag, digest });
  }
  for (const agent of agents.values()) agent.destroy();
  agents.clear();
  const bytes = [...blobs.values()].reduce((sum, { size }) => sum + size, 0);
  return { images, blobs: [...blobs.values()], bytes };
}
