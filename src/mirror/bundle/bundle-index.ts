import { createHash } from 'node:crypto';
import { join } from 'node:path';
import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readText, readTextIfPresent } from '../../core/files.ts';
import { type Digest, isDigest } from '../../oci/digest.ts';
import { layerDeltaSchema } from '../delta/layer-delta.ts';
import { needSchema } from '../need.ts';

// A bundle is a folder:
//
//   bundle.json              this index: small, deterministic, what a signature covers
//   bundle.json.asc          detached signature, where a key was given
//   bundle.state             only while it is being written: what has arrived
//   bundle.previous.json     only while a finished bundle grows: what it was
//   bundle.parts.json        only while its chunks are cut into parts, for smaller media
//   README_FIRST.txt, SHA256SUMS, bundle.spdx.json, bundle.provenance.json
//                            made from the index, for those who have no atoll
//   chunk-000001.atoll …     one long run of blobs, cut into files of a chosen size
//
// A blob lies at an offset of that run and may reach over the end of a chunk into the next.

export const INDEX_FILE = 'bundle.json';
export const SIGNATURE_FILE = 'bundle.json.asc';
export const STATE_FILE = 'bundle.state';
export const PREVIOUS_FILE = 'bundle.previous.json';
export const PARTS_FILE = 'bundle.parts.json';
const FORMAT = 'atoll-bundle/1';

const digest = z.string().refine(isDigest, 'not a digest');

const imageSchema = z.looseObject({
  kind: z.string(),
  source: z.string(),
  digest,
  mediaType: z.string(),
  size: z.number(),
  reason: z.string(),
  /** A component has a name for each release it is part of. */
  release: z.looseObject({ tag: z.string() }).optional(),
  component: z.string().optional(),
  neededBy: z.array(needSchema()).optional(),
});

/** `bundle.json`. */
export const bundleIndexSchema = z.strictObject({
  format: z.literal(FORMAT),
  /** What the bundle is called by a later one that builds on it. */
  id: z.string(),
  chunkBytes: z.number().int().positive(),
  chunks: z.array(z.strictObject({ file: z.string(), size: z.number(), sha256: z.string() })),
  blobs: z.array(
    z.strictObject({
      digest,
      size: z.number(),
      offset: z.number(),
      /** A repository of the mirror that needs it, relative to the mirror's path. */
      repository: z.string().optional(),
    }),
  ),
  /** Layers that are rebuilt from older ones the mirror has; absent where there are none. */
  deltas: z.array(layerDeltaSchema).optional(),
  /** Bundles whose content this one counts on, by their ids. */
  since: z.array(z.string()),
  /** Content that images here need and the other side is expected to have; where, if known. */
  base: z.array(z.strictObject({ digest, repository: z.string().optional() })),
  images: z.array(imageSchema),
  /** What was asked for and is not in here: a bundle that has this is partial. Absent where it is whole. */
  missing: z.array(z.strictObject({ subject: z.string(), message: z.string() })).optional(),
  /** Signatures and other artifacts, by the image they belong to. */
  attachments: z.array(
    z.strictObject({
      of: digest,
      tag: z.string().optional(),
      digest,
      mediaType: z.string(),
      size: z.number(),
    }),
  ),
  /** Release signatures, as the signature store has them. */
  signatures: z.array(
    z.strictObject({ digest, version: z.string(), tag: z.string(), base64: z.string() }),
  ),
});

export type BundleIndex = z.output<typeof bundleIndexSchema>;
export type BundleImage = BundleIndex['images'][number];
export type BundleAttachment = BundleIndex['attachments'][number];
export type BundleBlob = {
  readonly digest: Digest;
  readonly size: number;
  readonly offset: number;
};

/** What is said about the content of a bundle beyond the content itself. */
export type BundleContent = Pick<BundleIndex, 'images' | 'signatures' | 'missing'>;

/** The bytes of an index: the same for the same content, and the id made of it. */
export function encodeIndex(content: Omit<BundleIndex, 'format' | 'id'>): {
  text: string;
  index: BundleIndex;
} {
  const index: BundleIndex = { format: FORMAT, id: idOf(content), ...content };
  return { text: `${JSON.stringify(index, null, 1)}\n`, index };
}

const idOf = (content: object): string =>
  createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 16);

export async function readIndex(folder: string): Promise<BundleIndex> {
  return parseIndex(join(folder, INDEX_FILE), await readIndexText(folder));
}

/** The index as it is, for callers that verify it first. */
export async function readIndexText(folder: string): Promise<string> {
  return await readText(join(folder, INDEX_FILE)).catch((cause: unknown) => {
    throw new AtollError(
      'BUNDLE_INVALID',
      `Cannot find a bundle in "${folder}": there is no ${INDEX_FILE}`,
      {
        hint: `Copy ${INDEX_FILE} and all chunk files there; if saving was interrupted, run it again first`,
        cause,
      },
    );
  });
}

/** Chunks that are cut cannot be read or added to. */
export async function refuseParts(folder: string): Promise<void> {
  if ((await readTextIfPresent(join(folder, PARTS_FILE))) === undefined) return;
  throw new AtollError('BUNDLE_INVALID', `Cannot use the bundle in "${folder}": it is in parts`, {
    hint: `Run "atoll bundle join ${folder}" first`,
  });
}

/** An index under another name. */
export async function readIndexFile(path: string): Promise<BundleIndex> {
  return parseIndex(path, await readText(path));
}

export function parseIndex(path: string, text: string): BundleIndex {
  const json = parseJson(path, text);
  const parsed = bundleIndexSchema.safeParse(json);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw invalid(path, `${issue?.path.join('.') || 'document'}: ${issue?.message}`);
  }
  for (const { file } of parsed.data.chunks) {
    if (!/^[\w.-]+$/.test(file)) throw invalid(path, `"${file}" is not the name of a chunk`);
  }
  // Not against forgery, which takes a signature: against a disk that changed a digit.
  const { format: _format, id, ...content } = json as BundleIndex;
  if (id !== idOf(content)) throw invalid(path, 'it is not what was saved');
  return parsed.data;
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(path, 'it is not JSON', cause);
  }
}

function invalid(path: string, found: string, cause?: unknown): AtollError {
  return new AtollError('BUNDLE_INVALID', `Cannot read the bundle index "${path}": ${found}`, {
    hint: 'Copy it again from the side that saved it',
    cause,
  });
}

export function chunkFile(number: number): string {
  return `chunk-${String(number).padStart(6, '0')}.atoll`;
}
