import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '../../src/oci/content.ts';
import type { Descriptor } from '../../src/oci/descriptor.ts';
import { type Digest, parseDigest } from '../../src/oci/digest.ts';
import { parseManifest, type RawManifest } from '../../src/oci/manifest.ts';
import { isManifestType } from '../../src/oci/media-types.ts';
import type { Reference } from '../../src/oci/reference.ts';
import { UPSTREAM, upstreamEntries } from './upstream.ts';

const bytesOf = (digest: Digest) =>
  readFile(join(UPSTREAM, 'layout', 'blobs', 'sha256', digest.slice('sha256:'.length)));

/** One repository of the fixture upstream, read from its layout: no registry, no network. */
export function upstreamSource(reference: Reference): Source {
  const prefix = `${reference.registry}/${reference.repository}:`;
  return {
    async resolve(_ctx, tagOrDigest): Promise<Descriptor | undefined> {
      const entries = await upstreamEntries();
      const found = entries.find((entry) => entry.reference === `${prefix}${tagOrDigest}`);
      if (found) return { ...found, digest: parseDigest(found.digest) };
      return tagOrDigest.startsWith('sha256:') ? byDigest(parseDigest(tagOrDigest)) : undefined;
    },
    async manifest(_ctx, descriptor): Promise<RawManifest> {
      return parseManifest(
        await bytesOf(descriptor.digest),
        descriptor.mediaType,
        descriptor.digest,
      );
    },
    async *blob(_ctx, descriptor, offset = 0) {
      yield (await bytesOf(descriptor.digest)).subarray(offset);
    },
    can: {
      referrers: async () => [],
      async *tags() {
        for (const entry of await upstreamEntries()) {
          if (entry.reference.startsWith(prefix)) yield entry.reference.slice(prefix.length);
        }
      },
    },
  };
}

async function byDigest(digest: Digest): Promise<Descriptor | undefined> {
  try {
    const { descriptor } = parseManifest(await bytesOf(digest), undefined, digest);
    return isManifestType(descriptor.mediaType) ? descriptor : undefined;
  } catch {
    return undefined;
  }
}
