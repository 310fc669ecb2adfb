import { AtollError } from '../../../core/errors.ts';
import { readText } from '../../../core/files.ts';
import { registerCredential } from '../../../core/redact.ts';
import type { ProxyInput } from '../../../generate/install-config/install-config.ts';
import type { OptionSpec, OptionValues } from '../../command.ts';

export const PROXY_OPTIONS = {
  httpProxy: { type: 'string', value: 'URL', summary: 'Proxy of the cluster, without its login' },
  httpsProxy: { type: 'string', value: 'URL', summary: 'Proxy for https, where it is another' },
  proxyLogin: { type: 'string', value: 'FILE', summary: 'File with "user:password" for the proxy' },
  noProxy: {
    type: 'strings',
    value: 'NAME',
    summary: 'What goes past the proxy; the mirror is added',
  },
} as const satisfies Readonly<Record<string, OptionSpec>>;

/** The proxy of a cluster. Its login comes from a file: everybody sees a command line. */
export async function proxyFrom(
  options: OptionValues<typeof PROXY_OPTIONS>,
): Promise<ProxyInput | undefined> {
  const { httpProxy, httpsProxy = httpProxy, noProxy } = options;
  if (httpsProxy === undefined) return undefined;
  const login = options.proxyLogin === undefined ? undefined : await loginFrom(options.proxyLogin);
  return {
    httpProxy: httpProxy && withLogin('http-proxy', httpProxy, login),
    httpsProxy: withLogin('https-proxy', httpsProxy, login),
    noProxy,
  };
}

async function loginFrom(path: string): Promise<{ username: string; password: string }> {
  const [line = ''] = (await readText(path)).split(/\r?\n/);
  const colon = line.indexOf(':');
  if (colon < 1) {
    throw new AtollError('INPUT_INVALID', `Cannot use "${path}": it holds no "user:password"`, {
      hint: 'Write both on its first line, with a colon between them',
    });
  }
  const [username, password] = [line.slice(0, colon), line.slice(colon + 1)];
  registerCredential(username, password);
  return { username, password };
}

function withLogin(
  flag: string,
  url: string,
  login: { username: string; password: string } | undefined,
): string {
  const [, scheme, rest] = /^(https?:\/\/)([^\s@]+)$/.exec(url) ?? [];
  if (scheme === undefined || rest === undefined) {
    throw new AtollError('USAGE', `Cannot use "--${flag}": it is not a URL without a login`, {
      hint: 'Write "http://host:port", and give user and password with "--proxy-login FILE"',
    });
  }
  if (!login) return url;
  const [user, password] = [login.username, login.password].map(encodeURIComponent);
  return `${scheme}${user}:${password}@${rest}`;
}
