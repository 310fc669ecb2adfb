import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { PLATFORMS } from '../../src/cli/platforms.ts';
import { type Context, silentContext } from '../../src/core/context.ts';
import { toYaml } from '../../src/core/yaml.ts';
import { WorkingDir } from '../../src/mirror/flow/working-dir.ts';
import { parseDigest } from '../../src/oci/digest.ts';
import { parseReference } from '../../src/oci/reference.ts';
import { type OpenSite, openSite } from '../../src/site/open-site.ts';
import { readSite } from '../../src/site/read-site.ts';
import type { SitePaths } from '../../src/site/site-paths.ts';
import { writeMergedSecret } from '../../src/site/stages/secrets.ts';
import type { JsonObject, StepRun } from '../../src/workflow/step.ts';
import { tempDir } from './temp.ts';

export const PULL_SECRET = '{"auths":{"quay.io":{"auth":"dXBzdHJlYW06cGFzc3dvcmQx"}}}\n';

/** Parts of a site file; those that are objects go on top of what is there. */
export type SiteChange = Readonly<Record<string, object | string>>;

/** A small site of platform none; `change` goes on top, part by part. */
function siteDocument(change: SiteChange = {}): object {
  const document: Record<string, unknown> = {
    name: 'north',
    release: { version: '4.18.2' },
    platform: { type: 'none' },
    registry: { host: 'localhost' },
    cluster: { name: 'north', baseDomain: 'example.com', pullSecret: 'pull-secret.json' },
  };
  for (const [part, value] of Object.entries(change)) {
    const before = document[part] as object | undefined;
    document[part] = typeof value === 'object' ? { ...before, ...value } : value;
  }
  return document;
}

/** A folder with a site file, a pull secret and these files; gone when the test ends. */
export async function siteFolder(
  change: SiteChange = {},
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
  change: SiteChange = {},
  files: Readonly<Record<string, string>> = {},
  ctx: Context = silentContext(),
): Promise<OpenSite> {
  const { site } = await siteFolder(change, files);
  return await openSiteFile(site, ctx);
}

/** Opens a site until the test ends. */
export async function openSiteFile(
  path: string,
  ctx: Context = silentContext(),
): Promise<OpenSite> {
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

/** What `fillMirror` says is there. */
export const IN_MIRROR = {
  digest: parseDigest(`sha256:${'1'.repeat(64)}`),
  release: 'quay.io/openshift-release-dev/ocp-release',
  components: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
} as const;

/** Leaves what the credentials, registry and images stages would, for a mirror at localhost:5000. */
export async function fillMirror(paths: SitePaths): Promise<void> {
  const auth = Buffer.from('mirror:a-password').toString('base64');
  await mkdir(dirname(paths.mirrorSecret), { recursive: true });
  await writeFile(paths.mirrorSecret, JSON.stringify({ auths: { 'localhost:5000': { auth } } }));
  await writeFile(paths.upstreamSecret, PULL_SECRET);
  await writeMergedSecret(paths);
  const { digest, release, components } = IN_MIRROR;
  const image = (kind: 'release' | 'component', source: string, target: string) => ({
    image: {
      kind,
      source: parseReference(`${source}@${digest}`),
      digest,
      reason: 'a test',
      release: { version: '4.18.2', tag: '4.18.2-x86_64' },
    },
    target: parseReference(`localhost:5000/${target}:4.18.2-x86_64`),
    digest,
  });
  await new WorkingDir(paths.mirror).addMirrored([
    image('release', release, 'openshift/release-images'),
    image('component', components, 'openshift/release'),
  ]);
}

const FAKE_INSTALLER = `#!/bin/sh
# fake-openshift-install: stands for the installer in tests. It notes how it was called.
echo "$*" >> "$(dirname "$0")/calls"
echo "fake installer: $1 $2"
for word in "$@"; do dir="$word"; done
case "$1" in
create)
  case "$2" in
  manifests)
    rm "$dir/install-config.yaml" && mkdir -p "$dir/manifests" "$dir/openshift" && touch "$dir/manifests/cvo-overrides.yaml" ;;
  *) (cd "$dir" && ls manifests openshift > "$dir/../taken") && rm -r "$dir/manifests" "$dir/openshift" && touch "$dir/bootstrap.ign" "$dir/metadata.json" ;;
  esac ;;
wait-for) test ! -e "$(dirname "$0")/fail-$2" ;;
esac
`;

/** Puts a script in the place of openshift-install; `calls` beside it has its arguments. */
export async function putFakeInstaller({ tools }: Pick<SitePaths, 'tools'>): Promise<void> {
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, 'fake-openshift-install'), FAKE_INSTALLER, { mode: 0o755 });
  await symlink('fake-openshift-install', join(tools, 'openshift-install'));
}
