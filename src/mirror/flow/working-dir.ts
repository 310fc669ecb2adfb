import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ReleaseSignature } from '../../content/content-image.ts';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { type Digest, isDigest, parseDigest, splitDigest } from '../../oci/digest.ts';
import { formatReference, parseReference } from '../../oci/reference.ts';
import type { MirroredImage } from '../image-rules.ts';
import { imageOf, imageRecordSchema, recordOf } from './image-record.ts';

// <dir>/working-dir/
//   mirrored.json            every image that is in the mirror, over all runs
//   signatures/sha256-<hex>  GPG signatures of releases, over all runs
//   cluster-resources/       what to apply to the cluster, made from the two above
//   dry-run/                 mapping.txt, missing.txt
//   logs/                    mirroring_errors_<time>.txt
//   report.json              the last run

const mirroredSchema = z.object({
  version: z.literal(1),
  images: z.array(
    imageRecordSchema.extend({ target: z.string(), digest: z.string().refine(isDigest) }),
  ),
});

/** An image that is certainly in the mirror. */
export interface KnownImage extends MirroredImage {
  readonly digest: Digest;
}

/** The memory of a mirror: what earlier runs put there. Runs add to it and never forget. */
export class WorkingDir {
  readonly path: string;

  constructor(directory: string) {
    this.path = join(directory, 'working-dir');
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  async mirrored(): Promise<KnownImage[]> {
    const path = this.file('mirrored.json');
    const text = await readTextIfPresent(path);
    if (text === undefined) return [];
    const parsed = mirroredSchema.safeParse(parseJson(path, text));
    if (!parsed.success) throw damaged(path);
    return parsed.data.images.map(({ target, digest, ...record }) => ({
      image: { ...imageOf(record), digest },
      target: parseReference(target),
      digest,
    }));
  }

  /** Adds images; one at the same place replaces the older. */
  async addMirrored(images: readonly KnownImage[]): Promise<KnownImage[]> {
    return this.#writeMirrored([...(await this.mirrored()), ...images]);
  }

  /** Forgets what is no longer in the mirror. */
  async dropMirrored(targets: ReadonlySet<string>): Promise<KnownImage[]> {
    const kept = (await this.mirrored()).filter(
      ({ target }) => !targets.has(formatReference(target)),
    );
    return this.#writeMirrored(kept);
  }

  async #writeMirrored(images: readonly KnownImage[]): Promise<KnownImage[]> {
    const byTarget = new Map(images.map((each) => [formatReference(each.target), each]));
    const sorted = [...byTarget].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const records = sorted.map(([target, { image, digest }]) => ({
      ...recordOf(image, digest),
      target,
    }));
    const text = `${JSON.stringify({ version: 1, images: records }, null, 1)}\n`;
    await writeFileAtomic(this.file('mirrored.json'), text);
    return sorted.map(([, each]) => each);
  }

  async addSignatures(signatures: readonly ReleaseSignature[]): Promise<void> {
    for (const { digest, bytes } of signatures) {
      const { algorithm, hex } = splitDigest(digest);
      await writeFileAtomic(this.file('signatures', `${algorithm}-${hex}`), bytes);
    }
  }

  async signatures(): Promise<{ digest: Digest; bytes: Uint8Array }[]> {
    await mkdir(this.file('signatures'), { recursive: true });
    const names = (await readdir(this.file('signatures'))).filter((name) =>
      /^sha256-[0-9a-f]{64}$/.test(name),
    );
    return Promise.all(
      names.toSorted().map(async (name) => ({
        digest: parseDigest(name.replace('-', ':')),
        bytes: await readFile(this.file('signatures', name)),
      })),
    );
  }
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw damaged(path);
  }
}

function damaged(path: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not what atoll wrote`, {
    hint: 'Move it away; the next sync writes it anew from what it mirrors',
  });
}
