import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { isImage } from '../../oci/manifest.ts';
import { parseReference } from '../../oci/reference.ts';
import type { CollectDeps } from '../collecting.ts';
import type { HelmChart, HelmRepository } from '../image-set/image-set.ts';
import { readSmallBlob } from '../layers/image-config.ts';
import type { RepositoryChart } from './chart-index.ts';

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const MAX_BYTES = 64 * 1024 * 1024;

/** Fetches the archive of a chart and checks it against its index. Returns where it is. */
export async function fetchChart(
  ctx: Context,
  { name, version, url, sha256 }: RepositoryChart,
  deps: Pick<CollectDeps, 'web'>,
  folder: string,
): Promise<string> {
  const bytes = await deps.web.get(ctx, url, { maxBytes: MAX_BYTES });
  if (!bytes) throw missing(`chart "${name}" ${version}`, `there is nothing at ${url}`);
  const found = sha256Of(bytes);
  if (sha256 !== undefined && found !== sha256) {
    throw new AtollError(
      'CONTENT_MISMATCH',
      `Cannot use chart "${name}" ${version}: its sha256 is ${found}, not ${sha256}`,
      { hint: 'Fetch it again; if it repeats, the repository is damaged' },
    );
  }
  return await saved(folder, bytes);
}

/** The same for a chart that a registry keeps: `oci://host/path` and the chart's name. */
export async function pullChart(
  ctx: Context,
  { url }: HelmRepository,
  { name, version }: HelmChart,
  deps: Pick<CollectDeps, 'source'>,
  folder: string,
): Promise<string> {
  if (version === undefined) {
    throw new AtollError('INPUT_INVALID', `Cannot choose a version of chart "${name}"`, {
      hint: 'Give its version: registries have no index of charts',
    });
  }
  const base = url.replace(/^oci:\/\//, '').replace(/\/+$/, '');
  // Tags cannot hold a plus; helm writes an underscore.
  const reference = parseReference(`${base}/${name}:${version.replaceAll('+', '_')}`);
  const source = deps.source(reference);
  const root = await source.resolve(ctx, reference.tag as string);
  if (!root) throw missing(`chart "${name}" ${version}`, `it is not in ${url}`);
  const manifest = await source.manifest(ctx, root);
  const layer = isImage(manifest)
    ? manifest.content.layers.find(({ mediaType }) => mediaType === CHART_LAYER)
    : undefined;
  if (!layer) throw missing(`chart "${name}" ${version}`, 'what is there is no chart');
  return await saved(folder, await readSmallBlob(ctx, source, layer, MAX_BYTES));
}

/** By content: two repositories may have a chart of the same name and version. */
async function saved(folder: string, bytes: Uint8Array): Promise<string> {
  const path = join(folder, `${sha256Of(bytes)}.tgz`);
  await writeFileAtomic(path, bytes);
  return path;
}

const sha256Of = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function missing(what: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot fetch ${what}: ${found}`);
}
