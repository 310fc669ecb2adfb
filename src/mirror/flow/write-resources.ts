import { readdir, rm } from 'node:fs/promises';
import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { systemCodeOf } from '../../core/errors.ts';
import { makeFolder, readText, readTextIfPresent, writeFileAtomic } from '../../core/files.ts';
import { yamlDocuments } from '../../core/yaml.ts';
import {
  type CatalogNames,
  clusterResources,
  installConfigPart,
  pulledByTag,
  RESOURCE_FILE,
  type ResourceOptions,
} from './cluster-resources.ts';
import { knownMirrors, type OtherMirrors } from './other-mirrors.ts';
import type { WorkingDir } from './working-dir.ts';

export interface WrittenResources {
  /** Files to apply to a cluster, sorted. */
  readonly resources: readonly string[];
  /** Text for the install-config of a new cluster; undefined where no release is mirrored. */
  readonly installConfig: string | undefined;
}

export interface ResourceWriteOptions extends Pick<ResourceOptions, 'icsp'> {
  /** Remembered, until another list for the same mirror is given. */
  readonly alsoAt?: OtherMirrors | undefined;
}

/** Rewrites `cluster-resources` from all that is in the mirror; what is no longer true goes. */
export async function writeResources(
  ctx: Context,
  workingDir: WorkingDir,
  { icsp, alsoAt }: ResourceWriteOptions = {},
): Promise<WrittenResources> {
  const images = await workingDir.mirrored();
  const options: ResourceOptions = { icsp, others: await knownMirrors(workingDir, alsoAt) };
  const folder = workingDir.file('cluster-resources');
  await makeFolder(folder);
  const found = await resourceFiles(workingDir);
  const names = await catalogNames(workingDir, found);
  const files = clusterResources(images, await workingDir.signatures(), options, names);
  for (const name of found) {
    if (!files.has(name)) await rm(workingDir.file('cluster-resources', name));
  }
  const written: string[] = [];
  for (const [name, text] of files) {
    const path = workingDir.file('cluster-resources', name);
    await writeTold(ctx, path, text);
    written.push(path);
  }
  if (icsp) warnOfTags(ctx, pulledByTag(images));
  const installConfig = installConfigPart(images, options) || undefined;
  const path = workingDir.file('install-config.yaml');
  if (installConfig === undefined) await rm(path, { force: true });
  else await writeTold(ctx, path, installConfig);
  return { resources: written.toSorted(), installConfig };
}

async function resourceFiles(workingDir: WorkingDir): Promise<string[]> {
  const all = await readdir(workingDir.file('cluster-resources')).catch((error: unknown) => {
    if (systemCodeOf(error) === 'ENOENT') return [];
    throw error;
  });
  return all.filter((name) => RESOURCE_FILE.test(name));
}

/** What earlier runs called the catalogs, whether there were any or not. */
export const earlierNames = async (workingDir: WorkingDir): Promise<CatalogNames> =>
  catalogNames(workingDir, await resourceFiles(workingDir));

/** Made where there are catalogs: every run comes by here. */
const catalogSchema = () =>
  z.object({
    spec: z.object({
      image: z.string().optional(),
      source: z.object({ image: z.object({ ref: z.string() }) }).optional(),
    }),
  });

/** What earlier runs called the catalogs: clusters know them by these names. */
async function catalogNames(
  workingDir: WorkingDir,
  files: readonly string[],
): Promise<CatalogNames> {
  const names = new Map<string, string>();
  for (const file of files) {
    const [, name = '', prefix] = /^((cs|cc)-.*)\.yaml$/.exec(file) ?? [];
    if (prefix === undefined) continue;
    const text = await readText(workingDir.file('cluster-resources', file));
    const { data } = catalogSchema().safeParse(yamlDocuments(text, 'strict')[0]?.value());
    const image = data?.spec.image ?? data?.spec.source?.image.ref;
    if (image !== undefined) names.set(`${prefix} ${image}`, name);
  }
  return names;
}

/** Makes a file hold this text, and tells of it. */
export async function writeTold(ctx: Context, path: string, text: string): Promise<void> {
  const before = await readTextIfPresent(path).catch(() => undefined);
  if (before !== text) await writeFileAtomic(path, text);
  ctx.emit({ type: 'file.written', path, sizeBytes: Buffer.byteLength(text) });
}

function warnOfTags(ctx: Context, sources: readonly string[]): void {
  if (sources.length === 0) return;
  ctx.emit({
    type: 'warning.raised',
    message: `An ImageContentSourcePolicy does not apply to pulls by tag: ${sources.join(', ')}`,
    hint: 'Refer to these images by digest, or leave out --icsp on clusters of 4.13 and later',
  });
}
