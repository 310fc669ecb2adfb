import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLATFORMS } from '../../src/cli/platforms.ts';
import { type Context, silentContext } from '../../src/core/context.ts';
import { toYaml } from '../../src/generate/yaml.ts';
import { type OpenSite, openSite } from '../../src/site/open-site.ts';
import { readSite } from '../../src/site/read-site.ts';
import type { JsonObject, StepRun } from '../../src/workflow/step.ts';
import { tempDir } from './temp.ts';

export const PULL_SECRET = '{"auths":{"quay.io":{"auth":"dXBzdHJlYW06cGFzc3dvcmQx"}}}\n';

/** A small site of platform none; `change` goes on top, part by part. */
export function siteDocument(change: Readonly<Record<string, object>> = {}): object {
  const document: Record<string, unknown> = {
    name: 'north',
    release: { version: '4.18.2' },
    platform: { type: 'none' },
    registry: { host: 'localhost' },
    cluster: { name: 'north', baseDomain: 'example.com', pullSecret: 'pull-secret.json' },
  };
  for (const [part, value] of Object.entries(change)) {
    document[part] = { ...(document[part] as object | undefined), ...value };
  }
  return document;
}

/** A folder with a site file, a pull secret and these files; gone when the test ends. */
export async function siteFolder(
  change: Readonly<Record<string, object>> = {},
  files: Readonly<Record<string, string>> = {},
): Promise<{ readonly folder: string; readonly site: string }> {
  const folder = await tempDir();
  const all = {
    'pull-secret.json': PULL_SECRET,
    'atoll.yaml': toYaml(siteDocument(change)),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text, { mode: name.endsWith('.json') ? 0o600 : 0o644 });
  }
  return { folder, site: join(folder, 'atoll.yaml') };
}

/** Opens a site in a folder of its own, beside these files. Closed and gone when the test ends. */
export async function openTestSite(
  change: Readonly<Record<string, object>> = {},
  files: Readonly<Record<string, string>> = {},
  ctx: Context = silentContext(),
): Promise<OpenSite> {
  const { site: path } = await siteFolder(change, files);
  const site = await readSite(path, {}, PLATFORMS);
  const open = await openSite(ctx, site, { PATH: process.env.PATH });
  onTestFinished(() => open.close());
  return open;
}

/** What a stage gets from the runner. */
export function stepRun(
  outputs: Readonly<Record<string, JsonObject>> = {},
): StepRun & { readonly lines: string[] } {
  const lines: string[] = [];
  return {
    outputs,
    directory: '',
    resumed: false,
    log: (line) => lines.push(line),
    lines,
  };
}
