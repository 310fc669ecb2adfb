import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { readTextIfPresent } from '../../core/files.ts';
import { REDACTED, redact } from '../../core/redact.ts';
import type { Site } from '../../site/read-site.ts';
import { sitePaths } from '../../site/site-paths.ts';
import type { ConfigFile, PageData } from '../model/page-data.ts';
import { dataIn } from '../server/page.ts';
import { runNames } from './runs.ts';

/** What people read. Ignition files and kubeconfigs are secrets from end to end. */
const READABLE = /\.(?:ya?ml|conf|pem|json|toml)$/;
const SECRET = /(?:^|\/)(?:auth|\.openshift_install_state\.json)(?:\/|$)/;
const MAX_BYTES = 256 * 1024;
const PRIVATE_KEY = /(-----BEGIN [A-Z ]*PRIVATE KEY-----)[\s\S]*?(-----END)/g;
const SECRET_LINE = /^(\s*(?:pullSecret|password|token|secretAccessKey)\s*:\s*)(?!\s*$).+$/gim;

/** Files to show, below the folder that their names are told from. */
export interface ShownFiles {
  readonly directory: string;
  readonly paths: readonly string[];
}

/** The site file and the files that were generated from it. */
export async function siteFiles(site: Site): Promise<ShownFiles> {
  const { install, mirror } = sitePaths(site);
  const resources = join(mirror, 'working-dir', 'cluster-resources');
  const paths = [site.path, ...(await filesBelow(install)), ...(await filesBelow(resources))];
  return { directory: site.directory, paths };
}

/** Files with secrets masked, each with its text of the run before where that is another. */
export async function readConfig(
  { directory, paths }: ShownFiles,
  runs: string,
  run: string | undefined,
): Promise<readonly ConfigFile[]> {
  const before = await earlierConfig(runs, run);
  const files = await Promise.all(
    paths.map(async (path) => {
      const text = masked((await readTextIfPresent(path).catch(() => undefined)) ?? '');
      const name = relative(directory, path);
      const earlier = before.get(name);
      return { path: name, text, before: earlier === text ? undefined : earlier };
    }),
  );
  return files.filter(({ text }) => text !== '');
}

function masked(text: string): string {
  return redact(text)
    .replace(PRIVATE_KEY, `$1\n${REDACTED}\n$2`)
    .replace(SECRET_LINE, `$1${REDACTED}`);
}

export async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const paths = entries
    .filter((name) => READABLE.test(name) && !SECRET.test(name))
    .toSorted()
    .map((name) => join(folder, name));
  const sizes = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
  return paths.filter((_, index) => {
    const found = sizes[index];
    return found?.isFile() && found.size <= MAX_BYTES;
  });
}

/** The files as the report of the run before had them. */
async function earlierConfig(
  runs: string,
  run: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  for (const name of await runNames(runs)) {
    if (run === undefined || name >= run) continue;
    const html = await readTextIfPresent(join(runs, name, 'report.html')).catch(() => undefined);
    const { config } = (html === undefined ? {} : (dataIn(html) ?? {})) as Partial<PageData>;
    if (config) return new Map(config.map(({ path, text }) => [path, text]));
  }
  return new Map();
}
