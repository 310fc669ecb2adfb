import { AtollError } from '../core/errors.ts';
import { isObject, type PlainObject } from '../core/shape.ts';
import type { Descriptor } from './descriptor.ts';
import { type Digest, digestOf } from './digest.ts';
import { type ImageIndex, type ImageManifest, imageShape, indexShape } from './manifest-shape.ts';
import {
  isForeignLayerType,
  isImageManifestType,
  isIndexType,
  isSchema1Type,
} from './media-types.ts';

/** More than this is no manifest but an attack or a mistake; the registries' own limit. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;

/**
 * Asks a registry of ours, with a manifest, whether all that its image needs is there: `yes` or `no`.
 * Others know only their manifests and do not answer.
 */
export const WHOLE_HEADER = 'atoll-whole';

/** Manifest bytes exactly as served: re-encoding them would change the digest. */
export interface RawManifest {
  readonly descriptor: Descriptor;
  readonly bytes: Uint8Array;
  readonly content: ImageManifest | ImageIndex;
  /** Everything that must be at the target before this manifest, in order, without foreign layers. */
  readonly children: readonly Descriptor[];
  /** What this artifact is attached to (a signature's image); not a child. */
  readonly subject: Descriptor | undefined;
}

export function isIndex(manifest: RawManifest): manifest is RawManifest & { content: ImageIndex } {
  return 'manifests' in manifest.content;
}

export function isImage(
  manifest: RawManifest,
): manifest is RawManifest & { content: ImageManifest } {
  return 'layers' in manifest.content;
}

/** Parses the bytes of a manifest or index. `mediaType` is the Content-Type they came with, if any. */
export function parseManifest(bytes: Uint8Array, mediaType?: string, digest?: Digest): RawManifest {
  const shown = digest ?? 'manifest';
  if (bytes.length > MAX_MANIFEST_BYTES) {
    throw invalid(shown, `it has ${bytes.length} bytes, more than ${MAX_MANIFEST_BYTES}`);
  }
  const json = parseJson(bytes, shown);
  const type = typeOf(json, mediaType, shown);
  refuseAmbiguous(json, type, shown);
  const problem = (isIndexType(type) ? indexShape : imageShape)(json);
  if (problem !== undefined) throw invalid(shown, problem);
  const content = json as unknown as ImageManifest | ImageIndex;
  return {
    descriptor: {
      mediaType: type,
      digest: digest ?? digestOf(bytes),
      size: bytes.length,
      ...(content.artifactType ? { artifactType: content.artifactType } : {}),
    },
    bytes,
    content,
    children: childrenOf(content),
    subject: content.subject,
  };
}

function childrenOf(content: ImageManifest | ImageIndex): readonly Descriptor[] {
  const all = 'manifests' in content ? content.manifests : [content.config, ...content.layers];
  const seen = new Set<string>();
  return all.filter((child) => {
    if (isForeignLayerType(child.mediaType) || seen.has(child.digest)) return false;
    seen.add(child.digest);
    return true;
  });
}

/** A byte order mark is no JSON: other readers refuse it, so it stays in the text. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Programs written in Go put null where they have no value, and for an empty list. */
function absentIfNull(key: string, value: unknown): unknown {
  if (value !== null) return value;
  return key === 'layers' || key === 'manifests' ? [] : undefined;
}

function parseJson(bytes: Uint8Array, shown: string): PlainObject {
  let json: unknown;
  try {
    const text = UTF8.decode(bytes);
    json = JSON.parse(text, text.includes('null') ? absentIfNull : undefined);
  } catch (cause) {
    throw invalid(shown, 'it is not JSON', cause);
  }
  if (!isObject(json)) throw invalid(shown, 'it is not a JSON object');
  return json;
}

/** The document's own `mediaType` counts; the header fills in where OCI lets it be absent. */
function typeOf(json: PlainObject, header: string | undefined, shown: string): string {
  const named = typeof json.mediaType === 'string' ? json.mediaType : undefined;
  const bare = header?.split(';')[0]?.trim();
  const type = named ?? (bare && bare !== 'application/json' ? bare : undefined) ?? guessType(json);
  if (json.schemaVersion === 1 || (type && isSchema1Type(type))) {
    throw new AtollError(
      'MANIFEST_UNSUPPORTED',
      `Cannot use ${shown}: it is a Docker schema 1 manifest`,
      {
        hint: 'Push the image again with a current client; schema 1 has no stable digest',
      },
    );
  }
  if (type && (isIndexType(type) || isImageManifestType(type))) return type;
  throw invalid(shown, `its media type is "${type ?? 'unknown'}"`);
}

const FIELDS = ['schemaVersion', 'mediaType', 'config', 'layers', 'manifests', 'subject'];
const LOWER_CASE = new Set(FIELDS.map((field) => field.toLowerCase()));

/**
 * A document that is both could be read as either: two readers would see two images. So they would
 * with "Layers" beside "layers", for there are readers that do not mind upper case.
 */
function refuseAmbiguous(json: PlainObject, type: string, shown: string): void {
  const others = isIndexType(type) ? ['layers', 'config'] : ['manifests'];
  const found =
    others.find((field) => json[field] !== undefined) ??
    Object.keys(json).find((key) => !FIELDS.includes(key) && LOWER_CASE.has(key.toLowerCase()));
  if (found) throw invalid(shown, `it has "${found}", which a document of type "${type}" must not`);
}

function guessType(json: PlainObject): string | undefined {
  if (Array.isArray(json.manifests)) return 'application/vnd.oci.image.index.v1+json';
  if (Array.isArray(json.layers)) return 'application/vnd.oci.image.manifest.v1+json';
  return undefined;
}

function invalid(shown: string, found: string, cause?: unknown): AtollError {
  return new AtollError('MANIFEST_INVALID', `Cannot read ${shown}: ${found}`, { cause });
}

export type { ImageIndex, ImageManifest };
