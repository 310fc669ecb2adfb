import { AtollError } from '../../../../core/errors.ts';
import { readText } from '../../../../core/files.ts';
import { registerCredential } from '../../../../core/redact.ts';
import type { ProxyInput } from '../../../../generate/install-config/sections/proxy.ts';
import { manyTexts, text } from '../flags.ts';

const proxyUrl = (flag: string, summary: string) =>
  text('URL', summary)
    .transform((url) => withoutLogin(flag, url))
    .optional();

/** The proxy of a cluster. Its login comes from a file: everybody sees a command line. */
export const PROXY_FLAGS = {
  httpProxy: proxyUrl('http-proxy', 'Proxy of the cluster, without its login'),
  httpsProxy: proxyUrl('https-proxy', 'Proxy for https, where it is another'),
  proxyLogin: text('FILE', 'File with "user:password" for the proxy')
    .transform(readLogin)
    .optional(),
  noProxy: manyTexts('NAME', 'What goes past the proxy; the mirror is added'),
};

interface Login {
  readonly username: string;
  readonly password: string;
}

interface ProxyOptions {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly proxyLogin?: Login | undefined;
  readonly noProxy: readonly string[];
}

export function proxyOf(options: ProxyOptions): ProxyInput | undefined {
  const { httpProxy, httpsProxy = httpProxy, proxyLogin, noProxy } = options;
  if (httpsProxy === undefined) return undefined;
  return {
    httpProxy: httpProxy && withLogin(httpProxy, proxyLogin),
    httpsProxy: withLogin(httpsProxy, proxyLogin),
    noProxy,
  };
}

async function readLogin(path: string): Promise<Login> {
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

function withoutLogin(flag: string, url: string): string {
  if (/^https?:\/\/[^\s@]+$/.test(url)) return url;
  throw new AtollError('USAGE', `Cannot use "--${flag}": it is not a URL without a login`, {
    hint: 'Write "http://host:port", and give user and password with "--proxy-login FILE"',
  });
}

function withLogin(url: string, login: Login | undefined): string {
  if (!login) return url;
  const [user, password] = [login.username, login.password].map(encodeURIComponent);
  return url.replace('://', () => `://${user}:${password}@`);
}
