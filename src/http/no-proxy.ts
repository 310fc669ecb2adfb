import { BlockList, isIP } from 'node:net';
import { AtollError } from '../core/errors.ts';
import { registerCredential } from '../core/redact.ts';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL by the usual variables, or undefined for a direct connection. The rules are
 * those of the container tools: upper case first, and this machine itself never through a proxy.
 */
export function proxyFor(url: URL, env: Env): URL | undefined {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = variable(env, name);
  if (value === undefined || isLocal(bareHost(url))) return undefined;
  if (bypasses(url, variable(env, 'NO_PROXY') ?? '')) return undefined;
  return parseProxy(name, value);
}

function variable(env: Env, name: string): string | undefined {
  const value = env[name] || env[name.toLowerCase()];
  return value?.trim() ? value.trim() : undefined;
}

function parseProxy(name: string, value: string): URL {
  const text = /^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`;
  const proxy = URL.canParse(text) ? new URL(text) : undefined;
  if (proxy) registerUser(name, proxy);
  if (proxy?.hostname && /^https?:$/.test(proxy.protocol)) return proxy;
  // Not the value itself: it may hold a password.
  throw new AtollError('INPUT_INVALID', `Cannot use the proxy in ${name}: it is no http(s) URL`, {
    hint: `Set ${name} to something like "http://proxy.example.com:3128"`,
  });
}

function registerUser(name: string, { username, password }: URL): void {
  try {
    registerCredential(decodeURIComponent(username), decodeURIComponent(password));
  } catch {
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot use the proxy in ${name}: a "%" in its user or password stands for itself`,
      { hint: 'Write "%25" for "%", "%40" for "@", "%3A" for ":" and "%2F" for "/" there' },
    );
  }
}

function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
}

function isLocal(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function bypasses(url: URL, list: string): boolean {
  const host = bareHost(url);
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .split(',')
    .map((rule) => rule.trim().toLowerCase())
    .some((rule) => rule !== '' && matches(rule, host, port));
}

function matches(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return inNetwork(rule, host);
  const { name, only } = splitPort(rule);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0) return sameAddress(name, host);
  const suffix = name.startsWith('*.') ? name.slice(1) : name;
  if (suffix.startsWith('.')) return host.endsWith(suffix) && host.length > suffix.length;
  return host === suffix || host.endsWith(`.${suffix}`);
}

function splitPort(rule: string): { name: string; only: string | undefined } {
  if (isIP(rule) === 6) return { name: rule, only: undefined };
  const parts = /^(?<name>\[[^\]]*\]|[^:]*)(?::(?<port>\d+))?$/.exec(rule)?.groups;
  const name = (parts?.name ?? rule).replace(/^\[|\]$/g, '');
  return { name, only: parts?.port };
}

function sameAddress(rule: string, host: string): boolean {
  return inNetwork(`${rule}/${isIP(rule) === 6 ? 128 : 32}`, host);
}

function inNetwork(cidr: string, host: string): boolean {
  const [network = '', bits = ''] = cidr.split('/');
  const family = isIP(network);
  if (family === 0 || !/^\d+$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128)) return false;
  if (isIP(host) !== family) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}
