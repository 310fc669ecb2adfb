import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { makeFolder, readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { lazily } from '../../core/lazily.ts';
import { withLock } from '../../core/lock.ts';
import { byFirst } from '../../core/order.ts';
import { type Digest, digestOf, isDigest, parseDigest, splitDigest } from '../../oci/digest.ts';
import { formatReference } from '../../oci/reference.ts';
import type { MirroredImage } from '../image-rules.ts';
import { joinNeeds, needsOf } from '../need.ts';
import { imageRecordSchema, placedOf, recordOf } from './image-record.ts';
import { workingFile } from './working-files.ts';

// <dir>/working-dir/
//   mirrored.json            every image that is in the mirror, over all runs
//   signatures/sha256-<hex>  GPG signatures of releases, over all runs
//   other-mirrors.json       mirrors with the same content, over all runs
//   cluster-resources/       what to apply to the cluster, made from the two above
//   install-config.yaml      the part of an install-config that names the mirror
//   dry-run/                 mapping.txt, missing.txt, and cluster-resources as they would be
//   delete/                  delete-images.yaml
//   logs/                    mirroring_errors_<time>.txt
//   partial/                 blobs and uploads under way; empty when nothing is
//   report.json              the last run

const mirroredSchema = lazily(() =>
  z.object({
    version: z.literal(1),
    /** Of the images as they stand there; older versions wrote none. */
    sha256: z.string().optional(),
    images: z.array(
      imageRecordSchema().extend({ target: z.string(), digest: z.string().refine(isDigest) }),
    ),
  }),
);

/** From here on it is worth its time to make code for the schema. */
const MANY_CHARS = 1_000_000;

const sumOf = (images: unknown): string => digestOf(JSON.stringify(images)).slice('sha256:'.length);

/** An image that is certainly in the mirror. */
export interface KnownImage extends MirroredImage {
  readonly digest: Digest;
}

/** A GPG signature of a release. */
export interface KnownSignature {
  readonly digest: Digest;
  readonly bytes: Uint8Array;
}

/** The memory of a mirror: what earlier runs put there. Runs add to it and never forget. */
export class WorkingDir {
  readonly path: string;
  /** What was read last: one run asks for it several times. */
  #known: { readonly text: string; readonly images: readonly KnownImage[] } | undefined;

  constructor(directory: string) {
    this.path = workingFile(directory);
  }

  file(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Only one run at a time may add to the memory. */
  async exclusively<T>(ctx: Context, task: () => Promise<T>): Promise<T> {
    await makeFolder(this.path);
    return await withLock(ctx, this.file('.lock'), { waitMs: 1000 }, task);
  }

  async mirrored(): Promise<KnownImage[]> {
    const path = this.file('mirrored.json');
    const text = await readTextIfPresent(path);
    if (text === undefined) return [];
    if (this.#known?.text !== text) this.#known = { text, images: parseMirrored(path, text) };
    return [...this.#known.images];
  }

  /** Adds images; one at the same place replaces the older, and both are needed. */
  async addMirrored(images: readonly KnownImage[]): Promise<void> {
    const byTarget = new Map<string, KnownImage>();
    for (const each of [...(await this.mirrored()), ...images]) {
      const key = formatReference(each.target);
      const neededBy = joinNeeds(byTarget.get(key)?.neededBy, each.neededBy ?? needsOf(each.image));
      byTarget.set(key, { ...each, neededBy });
    }
    await this.writeMirrored([...byTarget.values()]);
  }

  /** Replaces the memory of what is in the mirror; a file that holds it already is left alone. */
  async writeMirrored(images: readonly KnownImage[]): Promise<void> {
    const byTarget = new Map(images.map((each) => [formatReference(each.target), each]));
    const sorted = [...byTarget].toSorted(byFirst);
    const records = sorted.map(([target, each]) => ({ ...recordOf(each, each.digest), target }));
    const written = { version: 1, sha256: sumOf(records), images: records };
    const text = `${JSON.stringify(written, null, 1)}\n`;
    const path = this.file('mirrored.json');
    if ((await readTextIfPresent(path)) !== text) await writeFileAtomic(path, text);
  }

  async addSignatures(signatures: readonly KnownSignature[]): Promise<void> {
    for (const { digest, bytes } of signatures)
      await writeFileAtomic(this.#signatureFile(digest), bytes);
  }

  async dropSignature(digest: Digest): Promise<void> {
    await rm(this.#signatureFile(digest), { force: true });
  }

  #signatureFile(digest: Digest): string {
    const { algorithm, hex } = splitDigest(digest);
    return this.file('signatures', `${algorithm}-${hex}`);
  }

  async signatures(): Promise<KnownSignature[]> {
    await makeFolder(this.file('signatures'));
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

function parseMirrored(path: string, text: string): KnownImage[] {
  try {
    const written = JSON.parse(text);
    const { images, sha256 } = mirroredSchema().parse(written, {
      jitless: text.length < MANY_CHARS,
    });
    if (sha256 !== undefined && sha256 !== sumOf(written.images)) throw new Error('altered');
    return images.map((record) => ({ ...placedOf(record), digest: record.digest }));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not what atoll wrote`, {
      hint: 'Move it away; the next sync writes it anew from what it mirrors',
      cause,
    });
  }
}
