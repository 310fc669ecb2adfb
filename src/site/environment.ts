import { AtollError } from '../core/errors.ts';
import { registerCredential, registerSecret } from '../core/redact.ts';
import type { EnvironmentOverride } from '../platform/platform.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Tree = Record<string, unknown>;

/** The variables CI jobs of disconnected installs set on any platform, and the fields they stand for. */
const OVERRIDES: readonly EnvironmentOverride[] = [
  {
    variable: 'MIRROR_REGISTRY_HOST',
    path: ['registry', 'host'],
    read: (text) => splitHost(text).host,
  },
  {
    variable: 'MIRROR_REGISTRY_HOST',
    path: ['registry', 'port'],
    read: (text, name) => portOf(text, name),
  },
  { variable: 'BASTION_HOST_PUBLIC_DNS', path: ['bastion', 'address'] },
  { variable: 'PROXY_PRIVATE_URL', path: ['proxy', 'url'] },
  { variable: 'PROXY_PUBLIC_URL', path: ['proxy', 'publicUrl'] },
  { variable: 'CREDENTIALS_MODE', path: ['cluster', 'credentialsMode'] },
  { variable: 'BASE_DOMAIN', path: ['cluster', 'baseDomain'] },
  { variable: 'CLUSTER_NAME', path: ['cluster', 'name'] },
];

export interface AppliedOverride {
  readonly variable: string;
  readonly field: string;
}

/** The document with environment variables on top, and which of them counted. */
export function applyEnvironment(
  document: Tree,
  env: Env,
  ofPlatform: readonly EnvironmentOverride[],
): { value: Tree; applied: readonly AppliedOverride[] } {
  const value = structuredClone(document);
  const applied: AppliedOverride[] = [];
  for (const { variable, path, read } of [...OVERRIDES, ...ofPlatform]) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    const found = read ? read(text, variable) : text;
    if (found === undefined) continue;
    if (variable.startsWith('PROXY_')) registerProxyPassword(text);
    setAt(value, path, found);
    applied.push({ variable, field: path.join('.') });
  }
  if (env.CUSTOM_PROXY_CREDENTIAL)
    applied.push(...giveCredential(value, env.CUSTOM_PROXY_CREDENTIAL));
  return { value, applied };
}

/** `user:password` for the proxies of the site, where their URLs name nobody. */
function giveCredential(document: Tree, credential: string): AppliedOverride[] {
  const variable = 'CUSTOM_PROXY_CREDENTIAL';
  const colon = credential.indexOf(':');
  if (colon < 1)
    throw new AtollError('INPUT_INVALID', `Cannot use ${variable}: it is not USER:PASSWORD`);
  const [user, password] = [credential.slice(0, colon), credential.slice(colon + 1)];
  registerCredential(user, password);
  const proxy = (document.proxy ?? {}) as Tree;
  // The credentials stage gives it to a proxy of our own.
  if (proxy.enabled === true && proxy.url === undefined) return [{ variable, field: 'proxy' }];
  return ['url', 'publicUrl'].flatMap((field) => {
    const text = proxy[field];
    if (typeof text !== 'string' || !URL.canParse(text) || new URL(text).username) return [];
    const url = new URL(text);
    url.username = user;
    url.password = password;
    proxy[field] = url.href.replace(/\/$/, '');
    return { variable, field: `proxy.${field}` };
  });
}

function setAt(tree: Tree, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path;
  if (rest.length === 0) {
    tree[first] = value;
    return;
  }
  const inner = tree[first];
  const next = inner !== null && typeof inner === 'object' ? (inner as Tree) : {};
  tree[first] = next;
  setAt(next, rest, value);
}

function splitHost(text: string): { host: string; port: string | undefined } {
  const [host = '', port] = text.split(':');
  return { host, port };
}

function portOf(text: string, variable: string): number | undefined {
  const { port } = splitHost(text);
  if (port === undefined) return undefined;
  const number = Number(port);
  if (Number.isInteger(number)) return number;
  throw new AtollError(
    'INPUT_INVALID',
    `Cannot use ${variable}="${text}": "${port}" is not a port`,
    {
      hint: 'Write it as HOST or HOST:PORT',
    },
  );
}

function registerProxyPassword(url: string): void {
  const password = URL.canParse(url) ? new URL(url).password : '';
  if (password) registerSecret(decodeURIComponent(password));
}
