import { createHash } from 'node:crypto';
import { join } from 'node:path';
import semver from 'semver';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { writeFileAtomic } from '../../core/files.ts';
import type { Source } from '../../oci/content.ts';
import { isImage } from '../../oci/manifest.ts';
import { parseReference } from '../../oci/reference.ts';
import type { CollectDeps } from '../collecting.ts';
import type { HelmChart, HelmRepository } from '../image-set/image-set.ts';
import { readSmallBlob } from '../layers/image-config.ts';
import { newestOf, type RepositoryChart, versionOf } from './chart-index.ts';
import type { ChartLogin } from './chart-login.ts';

const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const MAX_BYTES = 64 * 1024 * 1024;

/** Fetches the archive of a chart and checks it against its index. Returns where it is. */
export async function fetchChart(
  ctx: Context,
  { name, version, url, sha256 }: RepositoryChart,
  deps: Pick<CollectDeps, 'web'>,
  folder: string,
  login: ChartLogin | undefined,
): Promise<string> {
  const bytes = await deps.web.get(ctx, url, { maxBytes: MAX_BYTES, login });
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
  const base = url.replace(/^oci:\/\//, '').replace(/\/+$/, '');
  const source = deps.source(parseReference(`${base}/${name}`));
  const tag = await tagOf(ctx, source, name, version);
  const root = await source.resolve(ctx, tag);
  if (!root) throw missing(`chart "${name}" ${version}`, `it is not in ${url}`);
  const manifest = await source.manifest(ctx, root);
  const layer = isImage(manifest)
    ? manifest.content.layers.find(({ mediaType }) => mediaType === CHART_LAYER)
    : undefined;
  if (!layer) throw missing(`chart "${name}" ${version}`, 'what is there is no chart');
  return await saved(folder, await readSmallBlob(ctx, source, layer, MAX_BYTES));
}

/** A version is a tag; a range, or none, is looked for among all tags. */
async function tagOf(
  ctx: Context,
  source: Source,
  name: string,
  wanted: string | undefined,
): Promise<string> {
  // Tags cannot hold a plus; helm writes an underscore.
  if (wanted !== undefined && semver.valid(wanted)) return wanted.replaceAll('+', '_');
  const versions: { version: string; tag: string }[] = [];
  for await (const tag of source.can.tags?.(ctx) ?? [])
    versions.push({ version: tag.replaceAll('_', '+'), tag });
  const found = wanted === undefined ? newestOf(versions) : versionOf(versions, wanted);
  if (found) return found.tag;
  throw new AtollError('INPUT_INVALID', `Cannot choose a version of chart "${name}"`, {
    hint: `Give its version: the registry lists ${versions.length === 0 ? 'none' : `${versions.length}, of which none fits`}`,
  });
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
