import { createHash, randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const digestOf = (bytes) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** An OCI layout with one image of random layers; returns the digest of its manifest. */
export async function writeImage(folder, layerBytes) {
  const blobs = join(folder, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const put = async (mediaType, bytes) => {
    const digest = digestOf(bytes);
    await writeFile(join(blobs, digest.slice(7)), bytes);
    return { mediaType, digest, size: bytes.length };
  };
  const type = (name) => `application/vnd.oci.image.${name}`;
  const layers = [];
  for (const size of layerBytes) layers.push(await put(type('layer.v1.tar'), randomBytes(size)));
  const diffIds = layers.map(({ digest }) => digest);
  const about = {
    architecture: 'amd64',
    os: 'linux',
    rootfs: { type: 'layers', diff_ids: diffIds },
  };
  const config = await put(type('config.v1+json'), Buffer.from(JSON.stringify(about)));
  const mediaType = type('manifest.v1+json');
  const manifest = { schemaVersion: 2, mediaType, config, layers };
  const root = await put(mediaType, Buffer.from(JSON.stringify(manifest)));
  const named = { ...root, annotations: { 'org.opencontainers.image.ref.name': 'v1' } };
  await writeFile(
    join(folder, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [named] }),
  );
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  return root.digest;
}
