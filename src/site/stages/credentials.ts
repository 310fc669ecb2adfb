import { stat } from 'node:fs/promises';
import type { Context } from '../../core/context.ts';
import { readText, SECRET_MODE } from '../../core/files.ts';
import { shellLine } from '../../core/format.ts';
import { registerCredential, registerPullSecret } from '../../core/redact.ts';
import { formatPullSecret, mergePullSecret, parsePullSecret } from '../../generate/pull-secret.ts';
import type { Host } from '../../host/host.ts';
import { generatePassword } from '../../registry/auth/passwords.ts';
import { hashOf } from '../../workflow/hash.ts';
import { bastionPlace, isElsewhere } from '../bastion/bastion-place.ts';
import { lendCloudLogin } from '../bastion/cloud-login.ts';
import { readProxyLogin } from '../proxy-place.ts';
import { sitePath } from '../read-site.ts';
import { bastionOf } from './places.ts';
import { writeSecret } from './secrets.ts';
import { asJson, type Stage, type StageWork } from './stage.ts';

export const credentialsStage: Stage = {
  id: 'credentials',
  needs: ['bastion'],
  inputs: ({ cluster, proxy }) => asJson({ pullSecret: cluster.pullSecret, proxy: proxy.enabled }),
  plan: ({ site }) => [
    `copy the pull secret ${site.cluster.pullSecret} to the bastion, readable by its owner alone`,
    ...(site.proxy.enabled ? ['make a login for the proxy, or take CUSTOM_PROXY_CREDENTIAL'] : []),
    ...(isElsewhere(site) ? [`as ${bastionPlace(site).pullSecret}; cleanup takes it away`] : []),
  ],
  // A new pull secret under the same name must be noticed.
  always: true,
  run: async (ctx, work) => {
    const { site, paths } = work;
    const path = sitePath(site, site.cluster.pullSecret);
    const text = await readText(path);
    registerPullSecret(text);
    const secret = parsePullSecret(text, `"${path}"`);
    if (((await stat(path)).mode & 0o077) !== 0) {
      ctx.emit({
        type: 'warning.raised',
        message: `Others can read the pull secret "${path}"`,
        hint: `Run: ${shellLine(['chmod', '600', path])}`,
      });
    }
    const merged = formatPullSecret(mergePullSecret({ existing: text, add: [] }));
    const bastion = await bastionOf(ctx, work);
    await writeSecret(paths.upstreamSecret, merged);
    const proxy = site.proxy.enabled ? await keepProxyLogin(work) : undefined;
    if (!bastion.isHere) {
      await lend(ctx, work, bastion, merged, proxy);
      await lendCloudLogin(ctx, work, bastion);
    }
    return {
      registries: Object.keys(secret.auths).toSorted(),
      fingerprint: hashOf([merged, proxy ?? '']),
    };
  },
};

/** Puts it on another machine, for as long as the install takes: where that machine's stages read it. */
async function lend(
  ctx: Context,
  work: StageWork,
  bastion: Host,
  text: string,
  proxy: string | undefined,
): Promise<void> {
  const { pullSecret, paths } = bastionPlace(work.site);
  const copies = [pullSecret, paths.upstreamSecret, paths.mergedSecret];
  for (const id of proxy === undefined ? copies : [...copies, paths.proxySecret])
    await work.inventory.claim({ kind: 'bastion-file', id, temporary: true, lifetime: 'install' });
  for (const path of [pullSecret, paths.upstreamSecret])
    await bastion.put(ctx, path, text, { mode: SECRET_MODE });
  if (proxy !== undefined) await bastion.put(ctx, paths.proxySecret, proxy, { mode: SECRET_MODE });
}

/** The login of the proxy on the bastion, on disk before anything depends on it: as said, as it was, or new. */
async function keepProxyLogin({ site, paths, env }: StageWork): Promise<string> {
  const url = site.proxy.url === undefined ? undefined : new URL(site.proxy.url);
  const inUrl = url?.username ? [url.username, url.password].map(decodeURIComponent).join(':') : '';
  const [user = '', ...rest] = (inUrl || (env.CUSTOM_PROXY_CREDENTIAL ?? '')).split(':');
  const login =
    rest.length > 0
      ? { user, password: rest.join(':') }
      : ((await readProxyLogin(paths)) ?? { user: 'atoll', password: generatePassword() });
  registerCredential(login.user, login.password);
  const text = `${JSON.stringify(login)}\n`;
  await writeSecret(paths.proxySecret, text);
  return text;
}
