import { basename } from 'node:path';
import { streamSource } from '../../core/archive/byte-source.ts';
import { readTar } from '../../core/archive/read-tar.ts';
import { collect, once } from '../../core/bytes.ts';
import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import { readBytes } from '../../core/files.ts';
import { by } from '../../core/order.ts';
import type { Web } from '../../http/web.ts';
import { buildLayer, type LayerFile } from '../../oci/build-image.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor, Platform } from '../../oci/descriptor.ts';
import { splitDigest } from '../../oci/digest.ts';
import { deriveImage, type RebuiltImage } from '../build/derive-image.ts';
import type { ReleaseSignature } from '../content-image.ts';
import { decompressed } from '../layers/decompress.ts';
import { normalPath } from '../layers/layer-path.ts';

const GRAPH_DATA_URL = 'https://api.openshift.com/api/upgrades_info/graph-data';
export const GRAPH_BASE_IMAGE = 'registry.access.redhat.com/ubi9/ubi:latest';

const ROOT = 'var/lib/cincinnati-graph-data';
const MAX_BYTES = 256 * 1024 * 1024;
/** What the update service's init container runs. */
const COMMAND = [
  '/bin/bash',
  '-c',
  `exec cp -rp /${ROOT}/* /var/lib/cincinnati/graph-data`,
] as const;

export interface GraphImageOptions {
  readonly source: Source;
  readonly base: Descriptor;
  readonly platforms?: readonly Platform[] | undefined;
  /** A tar, compressed or not, of the graph data. */
  readonly graphData: Uint8Array;
  /** Put beside the data, for update services that serve them. */
  readonly signatures?: readonly ReleaseSignature[];
}

/** The graph data from a URL or a file. */
export async function readGraphData(
  ctx: Context,
  web: Web,
  location: string = GRAPH_DATA_URL,
): Promise<Uint8Array> {
  if (!/^(https?|file):\/\//.test(location)) return await readBytes(location);
  const bytes = await web.get(ctx, location, { maxBytes: MAX_BYTES });
  if (bytes) return bytes;
  throw new AtollError('INPUT_INVALID', `Cannot fetch the graph data: nothing at ${location}`, {
    hint: 'Name another place with --graph-data URL or FILE',
  });
}

/** Builds the image the OpenShift Update Service takes its graph from: byte-identical for one input. */
export async function buildGraphImage(
  ctx: Context,
  options: GraphImageOptions,
): Promise<RebuiltImage> {
  const data = withoutTopFolder(await unpack(options.graphData));
  const files = [...data, ...(options.signatures ?? []).map(signatureFile)];
  const rooted = files.map((file) => ({ ...file, path: `${ROOT}/${file.path}` }));
  const layer = await buildLayer(rooted.toSorted(by(({ path }) => path)));
  return await deriveImage(ctx, {
    source: options.source,
    base: options.base,
    platforms: options.platforms,
    layers: [layer],
    config: (config) => ({
      ...config,
      config: { ...config.config, Cmd: [...COMMAND] },
    }),
    createdBy: 'atoll: cincinnati graph data',
  });
}

function signatureFile({ digest, bytes }: ReleaseSignature): LayerFile {
  const { algorithm, hex } = splitDigest(digest);
  return { path: `signatures/${algorithm}/${hex}/signature-1`, content: bytes };
}

async function unpack(archive: Uint8Array): Promise<LayerFile[]> {
  const files: LayerFile[] = [];
  try {
    const entries = readTar(streamSource(decompressed(once(archive))), { endless: true });
    for await (const { path: name, type, mode, content } of entries) {
      const path = normalPath(name);
      if (type !== 'file' || !path) continue;
      files.push({ path, content: await collect(content), mode: mode & 0o111 ? 0o755 : 0o644 });
    }
  } catch (cause) {
    throw invalid(messageOf(cause), cause);
  }
  const hasChannels = files.some(({ path }) => /(^|\/)channels\//.test(path));
  if (!hasChannels) throw invalid('it has no channels folder');
  return files;
}

/** Archives of a git repository have everything in one folder, the service's has not. */
function withoutTopFolder(files: readonly LayerFile[]): readonly LayerFile[] {
  const tops = new Set(files.map(({ path }) => path.split('/')[0]));
  const [top = ''] = tops;
  if (tops.size !== 1 || basename(top) === 'channels') return files;
  return files.map((file) => ({ ...file, path: file.path.slice(top.length + 1) }));
}

function invalid(found: string, cause?: unknown): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot use the graph data: ${found}`, {
    hint: `Fetch it from ${GRAPH_DATA_URL}`,
    cause,
  });
}
