import { join } from 'node:path';
import type { Context } from '../core/context.ts';
import { readTextIfPresent } from '../core/files.ts';
import { MADE_FILE } from '../platform/platform.ts';
import type { JsonObject } from '../workflow/step.ts';
import { hasMirror, mirrorHost } from './mirror-place.ts';
import { proxyAddress, proxyUrl, readProxyLogin } from './proxy-place.ts';
import { INSTALL_FILES } from './stages/config.ts';
import { writeSecret } from './stages/secrets.ts';
import type { StageId, StageWork } from './stages/stage.ts';

type Files = Readonly<Record<string, string | undefined>>;

/**
 * What a stage leaves in SHARED_DIR, under the names that steps of a step registry read: so those can
 * follow ours. They may hold credentials, so only their owner reads them.
 */
export async function leaveSharedFiles(
  ctx: Context,
  work: StageWork,
  stage: StageId,
  output: JsonObject,
): Promise<void> {
  const files = (await FILES[stage]?.(work, output)) ?? {};
  for (const [name, text] of Object.entries(files)) {
    ctx.signal.throwIfAborted();
    if (text === undefined) continue;
    await writeSecret(join(sharedDir(work.paths), name), text.endsWith('\n') ? text : `${text}\n`);
  }
}

export const sharedDir = ({ state }: Pick<StageWork['paths'], 'state'>): string =>
  join(state, 'shared');

const FILES: Readonly<
  Partial<Record<StageId, (work: StageWork, output: JsonObject) => Promise<Files>>>
> = {
  infrastructure: async ({ site, paths }) => {
    const made = await readTextIfPresent(join(paths.state, MADE_FILE));
    return made === undefined ? {} : (site.platformKind.sharedFiles?.(made) ?? {});
  },
  bastion: async ({ site }, { host }) => {
    const { user, address } = site.bastion;
    const shown = typeof host === 'string' ? host.split('@').at(-1) : undefined;
    const known = address ?? (site.platformKind.makesBastion ? shown : 'localhost');
    const there = known === 'localhost' ? {} : { bastion_ssh_user: user };
    return { bastion_public_address: known, bastion_private_address: known, ...there };
  },
  registry: async (work) => ({
    mirror_registry_url: hasMirror(work.site) ? mirrorHost(work.site) : undefined,
    ...(await proxyFiles(work)),
  }),
  config: async ({ paths }) => ({
    'install-config.yaml': await readTextIfPresent(
      join(paths.install, INSTALL_FILES.installConfig),
    ),
  }),
  cluster: async ({ paths }) => {
    const at = (...names: readonly string[]) =>
      readTextIfPresent(join(paths.install, 'cluster', ...names));
    return {
      kubeconfig: await at('auth', 'kubeconfig'),
      'kubeadmin-password': await at('auth', 'kubeadmin-password'),
      'metadata.json': await at('metadata.json'),
    };
  },
};

async function proxyFiles({ site, paths }: StageWork): Promise<Files> {
  const { enabled, port, publicUrl } = site.proxy;
  const url = await proxyUrl(site, paths, 'so-far');
  if (!enabled || site.proxy.url !== undefined)
    return { proxy_private_url: url, proxy_public_url: publicUrl ?? url };
  const login = await readProxyLogin(paths);
  const address = await readTextIfPresent(join(sharedDir(paths), 'bastion_public_address'));
  return {
    proxy_private_url: url,
    proxy_public_url: address ? proxyAddress(address.trim(), port, login) : url,
    custom_proxy_credential: login && `${login.user}:${login.password}`,
  };
}
