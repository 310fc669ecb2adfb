import { collect } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { formatBytes } from '../../core/format.ts';
import type { Source } from '../../oci/content.ts';
import type { RawManifest } from '../../oci/manifest.ts';
import { entriesByLayer, type LayerEntry, layerEntries, type PathFilter } from './layer-entries.ts';
import { linkTarget, normalPath } from './layer-path.ts';

export interface FileInLayer {
  readonly path: string;
  readonly mode: number;
  readonly bytes: Uint8Array;
}

export interface ReadLayerOptions {
  /** More than this in all is an error, not a full memory. */
  readonly maxBytes?: number;
}

const DEFAULT_MAX_BYTES = 512 * 1024 * 1024;
const MAX_LINKS = 8;

/** The files of an image that pass the filter, by path, links followed; held in memory, within bounds. */
export async function readLayerFiles(
  ctx: Context,
  source: Source,
  manifest: RawManifest,
  filter: PathFilter,
  options: ReadLayerOptions = {},
): Promise<ReadonlyMap<string, FileInLayer>> {
  const budget = createBudget(manifest, options.maxBytes ?? DEFAULT_MAX_BYTES);
  const found: Found = { files: new Map(), links: new Map() };
  const asked = new Set<string>();
  let wanted: PathFilter = filter;
  for (let round = 0; round <= MAX_LINKS; round += 1) {
    for await (const entry of layerEntries(ctx, source, manifest, wanted)) {
      await take(entry, found, budget);
    }
    const open = openTargets(found).filter((target) => !asked.has(target));
    if (open.length === 0) break;
    for (const target of open) asked.add(target);
    wanted = (path) => open.includes(path);
  }
  return withLinks(found, filter);
}

interface Found {
  readonly files: Map<string, FileInLayer>;
  readonly links: Map<string, string>;
}

async function take(
  entry: LayerEntry,
  { files, links }: Found,
  budget: (entry: LayerEntry) => void,
): Promise<void> {
  const { path, mode } = entry;
  // The same path twice in one layer: the later one counts.
  files.delete(path);
  links.delete(path);
  const target = targetOf(entry);
  if (target !== undefined) links.set(path, target);
  if (entry.type !== 'file') return;
  budget(entry);
  files.set(path, { path, mode, bytes: await collect(entry.body) });
}

function fileAt(path: string, { files, links }: Found): FileInLayer | undefined {
  let at: string | undefined = path;
  for (let hops = 0; at !== undefined && hops <= MAX_LINKS; hops += 1) {
    const file = files.get(at);
    if (file) return { ...file, path };
    at = links.get(at);
  }
  return undefined;
}

/** What links lead to that has not been read. */
function openTargets({ files, links }: Found): string[] {
  return [...links.values()].filter((target) => !files.has(target) && !links.has(target));
}

function withLinks(found: Found, filter: PathFilter): ReadonlyMap<string, FileInLayer> {
  const paths = [...found.files.keys(), ...found.links.keys()].filter(filter).toSorted();
  const pairs = paths.map((path) => [path, fileAt(path, found)] as const);
  return new Map(pairs.filter((pair): pair is [string, FileInLayer] => pair[1] !== undefined));
}

/**
 * One file as a stream, links followed; undefined when the image has none. The stream ends only after
 * its layer was read to the end and verified: who writes it whole or not at all needs nothing more.
 */
export async function openLayerFile(
  ctx: Context,
  source: Source,
  manifest: RawManifest,
  path: string,
): Promise<OpenLayerFile | undefined> {
  let wanted: string | undefined = path;
  for (let links = 0; links <= MAX_LINKS && wanted !== undefined; links += 1) {
    const found = await findEntry(ctx, source, manifest, wanted);
    if (!found) return undefined;
    if (found.entry.type === 'file') return opened(found.entry, found.entries);
    await found.entries.return(undefined);
    wanted = targetOf(found.entry);
  }
  throw new AtollError(
    'LAYER_INVALID',
    `Cannot read "${path}" of an image: its links lead nowhere`,
  );
}

async function findEntry(ctx: Context, source: Source, manifest: RawManifest, path: string) {
  for (const entries of entriesByLayer(ctx, source, manifest, (candidate) => candidate === path)) {
    const first = await entries.next();
    if (!first.done) return { entry: first.value, entries };
  }
  return undefined;
}

export interface OpenLayerFile {
  readonly path: string;
  readonly size: number;
  readonly mode: number;
  readonly body: AsyncIterable<Uint8Array>;
  /** Gives up without reading the body. */
  readonly close: () => Promise<void>;
}

function opened(entry: LayerEntry, entries: AsyncGenerator<LayerEntry>): OpenLayerFile {
  async function* body(): AsyncGenerator<Uint8Array> {
    try {
      yield* entry.body;
      // To the end of the layer, where it is verified.
      await entries.next();
    } finally {
      await entries.return(undefined);
    }
  }
  return {
    path: entry.path,
    size: entry.size,
    mode: entry.mode,
    body: body(),
    close: async () => void (await entries.return(undefined)),
  };
}

function targetOf(entry: LayerEntry): string | undefined {
  if (entry.target === undefined) return undefined;
  // A hard link names a path of the image, a symlink one seen from where it is.
  if (entry.type === 'hardlink') return normalPath(entry.target);
  return entry.type === 'symlink' ? linkTarget(entry.path, entry.target) : undefined;
}

function createBudget(manifest: RawManifest, maxBytes: number): (entry: LayerEntry) => void {
  let used = 0;
  return (entry) => {
    used += entry.size;
    if (used <= maxBytes) return;
    throw new AtollError(
      'LAYER_INVALID',
      `Cannot read ${manifest.descriptor.digest}: its files need more than ${formatBytes(maxBytes)}`,
      { details: { path: entry.path } },
    );
  };
}
