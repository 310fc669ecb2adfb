import { streamSource } from '../../core/archive/byte-source.ts';
import { readTar, type TarEntry } from '../../core/archive/read-tar.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { type ImageManifest, isImage, type RawManifest } from '../../oci/manifest.ts';
import { isForeignLayerType } from '../../oci/media-types.ts';
import { verified } from '../../oci/verify.ts';
import { decompressed } from './decompress.ts';
import { LayerShadow, parseLayerName } from './layer-path.ts';

/** Something the image shows: a file, or a link to one. */
export interface LayerEntry {
  /** Without leading slash, never outside the image. */
  readonly path: string;
  readonly type: 'file' | 'symlink' | 'hardlink';
  readonly size: number;
  readonly mode: number;
  /** Of links: the target as written. */
  readonly target: string | undefined;
  readonly layer: Descriptor;
  /** The bytes; read them before asking for the next entry, or leave them. */
  readonly body: AsyncIterable<Uint8Array>;
}

export type PathFilter = (path: string) => boolean;

/**
 * The files an image shows that pass the filter, as a stream: layers from the top down, so that each
 * path comes from the topmost layer that has it, and whiteouts hold. Every layer is verified against its
 * digest once it has been read to its end, which is before the next one starts.
 */
export async function* layerEntries(
  ctx: Context,
  source: Source,
  manifest: RawManifest,
  filter: PathFilter,
): AsyncGenerator<LayerEntry> {
  for (const entries of entriesByLayer(ctx, source, manifest, filter)) yield* entries;
}

/** The same, one stream per layer from the top down; each has to be read to its end, or be the last. */
export function* entriesByLayer(
  ctx: Context,
  source: Source,
  manifest: RawManifest,
  filter: PathFilter,
): Generator<AsyncGenerator<LayerEntry>> {
  const { layers } = imageOf(manifest);
  const shadow = new LayerShadow();
  for (const [index, layer] of [...layers.entries()].reverse()) {
    if (isForeignLayerType(layer.mediaType)) continue;
    yield entriesOf(ctx, { source, layer, index, shadow, filter });
  }
}

interface OneLayer {
  readonly source: Source;
  readonly layer: Descriptor;
  readonly index: number;
  readonly shadow: LayerShadow;
  readonly filter: PathFilter;
}

async function* entriesOf(ctx: Context, one: OneLayer): AsyncGenerator<LayerEntry> {
  const { source, layer } = one;
  const blob = verified(layer, source.blob(ctx, layer));
  // Whiteouts of a layer count for the layers below it, wherever they stand in the layer.
  for await (const inTar of tarEntries(decompressed(blob), layer)) {
    ctx.signal.throwIfAborted();
    const entry = entryOf(inTar, one);
    if (entry) yield entry;
  }
}

function entryOf(entry: TarEntry, one: OneLayer): LayerEntry | undefined {
  const name = parseLayerName(entry.path);
  if (name.kind === 'unsafe') return undefined;
  if (name.kind === 'whiteout') one.shadow.hide(name.path, one.index);
  else if (name.kind === 'opaque') one.shadow.makeOpaque(name.path, one.index);
  else {
    const { type, size, mode, target, content } = entry;
    const visible = one.shadow.claim(name.path, one.index, type === 'directory');
    if (!visible || !isShown(type) || !one.filter(name.path)) return undefined;
    const { layer } = one;
    return { path: name.path, type, size, mode, target: target || undefined, layer, body: content };
  }
  return undefined;
}

const isShown = (type: TarEntry['type']): type is LayerEntry['type'] =>
  type === 'file' || type === 'symlink' || type === 'hardlink';

/** The last bytes of a layer are padding no entry needs, but its digest does. */
async function* tarEntries(
  chunks: AsyncIterable<Uint8Array>,
  layer: Descriptor,
): AsyncGenerator<TarEntry> {
  const entries = readTar(streamSource(chunks), { endless: true, drain: true });
  for await (const entry of naming(layer, entries)) {
    yield { ...entry, content: naming(layer, entry.content) };
  }
}

/** A body read by the consumer fails with the same errors as the stream around it. */
async function* naming<T>(layer: Descriptor, items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw broken(layer, error);
  }
}

function broken(layer: Descriptor, cause: unknown): unknown {
  if (cause instanceof AtollError || (cause as Error)?.name === 'AbortError') return cause;
  return new AtollError(
    'LAYER_INVALID',
    `Cannot unpack layer ${layer.digest}: ${messageOf(cause)}`,
    { cause, details: { digest: layer.digest } },
  );
}

function imageOf(manifest: RawManifest): ImageManifest {
  if (isImage(manifest)) return manifest.content;
  throw new Error(`${manifest.descriptor.digest} is an index: choose a platform first`);
}
