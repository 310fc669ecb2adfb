import { isRepository } from '../reference.ts';

const HOST =
  /^(?!.*(?:\.\.|-\.|\.-))(?:\*\.)?(?:\[[0-9a-fA-F:.]+\]|[a-zA-Z0-9](?:[a-zA-Z0-9._-]*[a-zA-Z0-9])?)(?::\d{1,5})?$/;

/** Whether this is `host[:port][/path]` without tag or digest; a `*.` in front where allowed. */
export function isLocation(text: string, options: { readonly wildcard?: boolean } = {}): boolean {
  const { host, path } = splitLocation(text);
  if (!HOST.test(host)) return false;
  if (host.startsWith('*.')) return options.wildcard === true && path === '';
  return path === '' ? !text.endsWith('/') : isRepository(path);
}

export function splitLocation(text: string): { host: string; path: string } {
  const slash = text.indexOf('/');
  if (slash < 0) return { host: text, path: '' };
  return { host: text.slice(0, slash), path: text.slice(slash + 1) };
}

/** `host[:port]` of a location or an image. */
export const hostOf = (location: string): string => splitLocation(location).host;

/** The name of a host without its port: what DNS, `/etc/hosts` and `noProxy` know. */
export const hostNameOf = (location: string): string => hostOf(location).replace(/:\d+$/, '');
