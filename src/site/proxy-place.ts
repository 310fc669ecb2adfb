import * as z from 'zod';
import { readText, readTextIfPresent } from '../core/files.ts';
import { parseKept } from '../core/kept-json.ts';
import { registerCredential } from '../core/redact.ts';
import { mirrorName } from './mirror-place.ts';
import type { Site } from './read-site.ts';
import type { SitePaths } from './site-paths.ts';

const loginSchema = z.object({ user: z.string(), password: z.string() });
/** Who may pass a proxy. */
export type ProxyLogin = Readonly<z.infer<typeof loginSchema>>;

/** The squid on the bastion as nodes name it: as the site says, or by the name of the bastion, or of the mirror on it. */
export function proxyHost(site: Pick<Site, 'proxy' | 'bastion' | 'registry' | 'name'>): string {
  const { proxy, bastion } = site;
  const given = bastion.address === 'localhost' ? undefined : bastion.address;
  return proxy.host ?? given ?? mirrorName(site);
}

/** The login that the credentials stage kept; undefined before it ran. */
export async function readProxyLogin({
  proxySecret,
}: Pick<SitePaths, 'proxySecret'>): Promise<ProxyLogin | undefined> {
  const text = await readTextIfPresent(proxySecret);
  return text === undefined ? undefined : loginIn(text, proxySecret);
}

function loginIn(text: string, path: string): ProxyLogin {
  const remake = 'atoll up --only credentials';
  const login = parseKept(text, { path, schema: loginSchema, remake });
  registerCredential(login.user, login.password);
  return login;
}

/** The proxy that nodes use; undefined where they use none. */
export async function proxyUrl(
  site: Site,
  paths: Pick<SitePaths, 'proxySecret'>,
  completeness: 'complete' | 'so-far',
): Promise<string | undefined> {
  if (site.proxy.url !== undefined || !site.proxy.enabled) return site.proxy.url;
  const login =
    completeness === 'complete'
      ? loginIn(await readText(paths.proxySecret), paths.proxySecret)
      : await readProxyLogin(paths);
  return proxyAddress(proxyHost(site), site.proxy.port, login);
}

export function proxyAddress(host: string, port: number, login: ProxyLogin | undefined): string {
  const encoded = [login?.user ?? '', login?.password ?? ''].map(encodeURIComponent).join(':');
  return `http://${login ? `${encoded}@` : ''}${host}:${port}`;
}
