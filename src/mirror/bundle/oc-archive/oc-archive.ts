import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { collect } from '../../../core/bytes.ts';
import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import { byFirst } from '../../../core/order.ts';
import type { Source } from '../../../oci/content.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { type Digest, isDigest } from '../../../oci/digest.ts';
import { MAX_MANIFEST_BYTES, parseManifest, type RawManifest } from '../../../oci/manifest.ts';
import { isRepository, isTag } from '../../../oci/reference.ts';
import { verifyBytes } from '../../../oci/verify.ts';
import { readRange } from '../chunk-files.ts';
import { tarEntries } from './tar-index.ts';

// What oc-mirror v2 writes: tar files that hold, as members,
//
//   docker/registry/v2/repositories/<repository>/_manifests/tags/<tag>/current/link
//   docker/registry/v2/blobs/sha256/<aa>/<hex>/data
//   working-dir/…                     among it signatures/<tag>-sha256-<hex>
//   isc_<time>                        the configuration

const ARCHIVE = /^mirror_(?<number>\d{6})\.tar$/;
/** What the first version of oc-mirror wrote: another format, with its metadata in an image. */
const OLD_ARCHIVE = /^mirror_seq\d+_\d{6}\.tar$/;
const TAG_LINK =
  /(?:^|\/)docker\/registry\/v2\/repositories\/(?<repository>.+)\/_manifests\/tags\/(?<tag>[^/]+)\/current\/link$/;
const BLOB =
  /(?:^|\/)docker\/registry\/v2\/blobs\/sha256\/[0-9a-f]{2}\/(?<hex>[0-9a-f]{64})\/data$/;

/** The archives of oc-mirror v2 in a folder, in their order; none where it is something else. */
export async function findOcArchives(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => []);
  if (names.some((name) => OLD_ARCHIVE.test(name))) throw tooOld(folder);
  const archives = names.filter((name) => ARCHIVE.test(name)).toSorted();
  refuseGap(folder, archives);
  return archives.map((name) => join(folder, name));
}

/** They are numbered from 1 in every save: without one of them its images would not even be missed. */
function refuseGap(folder: string, archives: readonly string[]): void {
  const gap = archives.findIndex(
    (name, at) => Number(ARCHIVE.exec(name)?.groups?.number) !== at + 1,
  );
  if (gap < 0) return;
  const missing = `mirror_${String(gap + 1).padStart(6, '0')}.tar`;
  throw new AtollError('BUNDLE_DAMAGED', `Cannot load "${folder}": ${missing} is missing`, {
    hint: 'Copy it from the side that wrote it; the others can stay',
    details: { path: join(folder, missing) },
  });
}

/** What is in archives of oc-mirror v2, read where it lies. Every byte is hashed before it is believed. */
export class OcArchive {
  readonly #blobs = new Map<Digest, PlacedFile>();
  readonly #tags = new Map<string, Map<string, Digest>>();
  readonly #others = new Map<string, PlacedFile>();

  private constructor() {}

  static async open(ctx: Context, archives: readonly string[]): Promise<OcArchive> {
    const archive = new OcArchive();
    for (const path of archives) {
      for await (const entry of tarEntries(ctx, path)) {
        await archive.#add(ctx, entry.path, new PlacedFile(path, entry.offset, entry.size));
      }
    }
    return archive;
  }

  /** `repository`, `tag` and digest of everything that has a name. */
  *images(): Generator<{ repository: string; tag: string; digest: Digest }> {
    for (const [repository, tags] of [...this.#tags].toSorted(byFirst)) {
      for (const [tag, digest] of [...tags].toSorted(byFirst)) yield { repository, tag, digest };
    }
  }

  has(digest: Digest): boolean {
    return this.#blobs.has(digest);
  }

  /** Other members whose path matches, by path. */
  files(pattern: RegExp): readonly (readonly [string, PlacedFile])[] {
    return [...this.#others].filter(([path]) => pattern.test(path));
  }

  /** One repository; content is shared between all of them, as in a registry. */
  repository(name: string): Source {
    const tags = this.#tags.get(name) ?? new Map<string, Digest>();
    return {
      resolve: async (ctx, tagOrDigest) => {
        const digest = isDigest(tagOrDigest) ? tagOrDigest : tags.get(tagOrDigest);
        if (!digest || !this.#blobs.has(digest)) return undefined;
        return (await this.#manifest(ctx, { mediaType: '', digest, size: 0 })).descriptor;
      },
      manifest: (ctx, descriptor) => this.#manifest(ctx, descriptor),
      blob: (ctx, { digest }, offset = 0) => this.#blob(digest).read(ctx, offset),
      can: {
        async *tags() {
          yield* [...tags.keys()].toSorted();
        },
      },
    };
  }

  async #add(ctx: Context, path: string, file: PlacedFile): Promise<void> {
    const blob = BLOB.exec(path)?.groups?.hex;
    if (blob !== undefined) {
      this.#blobs.set(`sha256:${blob}` as Digest, file);
      return;
    }
    const link = TAG_LINK.exec(path)?.groups;
    if (!link) {
      if (!path.includes('docker/registry/v2/')) this.#others.set(path, file);
      return;
    }
    const { repository = '', tag = '' } = link;
    const digest = (await file.bytes(ctx)).toString('utf8').trim();
    if (!isRepository(repository) || !isTag(tag) || !isDigest(digest)) return;
    const tags = this.#tags.get(repository) ?? new Map<string, Digest>();
    this.#tags.set(repository, tags.set(tag, digest));
  }

  async #manifest(ctx: Context, { digest, mediaType }: Descriptor): Promise<RawManifest> {
    const file = this.#blob(digest);
    if (file.size > MAX_MANIFEST_BYTES) throw new Error(`${digest} is too long for a manifest`);
    const bytes = await file.bytes(ctx);
    verifyBytes({ mediaType, digest, size: bytes.length }, bytes);
    return parseManifest(bytes, mediaType || undefined, digest);
  }

  #blob(digest: Digest): PlacedFile {
    const file = this.#blobs.get(digest);
    if (file) return file;
    throw new AtollError('BUNDLE_BASE_MISSING', `Cannot find ${digest} in the archives`, {
      hint: 'Put all archives of the save into the folder, or load the earlier ones first',
      details: { digest },
    });
  }
}

function tooOld(folder: string): AtollError {
  return new AtollError('BUNDLE_INVALID', `Cannot load "${folder}": oc-mirror v1 wrote it`, {
    hint: 'Save again with "atoll mirror save", which reads the same configuration, or with oc-mirror --v2',
  });
}

/** A file inside another: bytes from an offset on. */
class PlacedFile {
  readonly size: number;
  readonly #path: string;
  readonly #offset: number;

  constructor(path: string, offset: number, size: number) {
    this.#path = path;
    this.#offset = offset;
    this.size = size;
  }

  read(ctx: Context, from = 0): AsyncGenerator<Uint8Array> {
    return readRange(ctx, this.#path, this.#offset + from, this.#offset + this.size);
  }

  /** All of it; only for what is known to be small. */
  bytes(ctx: Context): Promise<Buffer> {
    return collect(this.read(ctx));
  }
}
