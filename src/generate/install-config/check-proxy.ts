import { hostNameOf } from '../../oci/registries/location.ts';
import { containsAddress, parseAddress, parseCidr } from '../ip.ts';
import { isDnsName } from './dns-name.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, when } from './violation.ts';

const AUTHORITY =
  /^(?:(?:[^\s/?#%]|%[0-9a-f]{2})*@)?(?:\[[0-9a-f:.]+\]|[^\s/?#@:[\]%]+)(?::\d{0,5})?(?:[/?][^\s#]*)?$/i;

/** The proxies, and that nothing on the way to the mirror goes through them. */
export function checkProxy({ proxy }: InstallConfig, mirrors: readonly string[]): Violation[] {
  if (!proxy) return [];
  const { httpProxy, httpsProxy, noProxy = '' } = proxy;
  return [
    ...when(!httpProxy && !httpsProxy, () =>
      error('proxy', 'it names no proxy', 'Set httpProxy, httpsProxy or both'),
    ),
    ...when(httpProxy !== undefined && !isUrl(httpProxy, /^http:\/\//i), () =>
      error(
        'proxy.httpProxy',
        'it is not an http:// URL',
        'Write "http://[user:password@]host:port"',
      ),
    ),
    ...when(httpsProxy !== undefined && !isUrl(httpsProxy, /^https?:\/\//i), () =>
      error(
        'proxy.httpsProxy',
        'it is not a URL',
        'Write "http://host:port" or "https://host:port"',
      ),
    ),
    ...checkNoProxy(noProxy, new Set(mirrors.map(hostNameOf))),
  ];
}

const isUrl = (text: string, scheme: RegExp): boolean =>
  scheme.test(text) && AUTHORITY.test(text.replace(scheme, ''));

function checkNoProxy(text: string, mirrors: ReadonlySet<string>): Violation[] {
  const entries = text === '' ? [] : text.split(',');
  return [
    ...(text === '*' ? [] : entries)
      .filter((entry) => !isExemption(entry))
      .map((entry) =>
        error(
          'proxy.noProxy',
          `"${entry}" is not an address, a range or a name`,
          'Separate with commas and no blanks; write ".example.com" for all below it',
        ),
      ),
    ...[...mirrors]
      .filter((name) => !entries.some((entry) => isExempt(entry, name)))
      .map((name) =>
        error('proxy.noProxy', `it lacks the mirror "${name}"`, 'Add it: the installer does not'),
      ),
  ];
}

const isExemption = (entry: string): boolean =>
  parseAddress(entry) !== undefined ||
  parseCidr(entry) !== undefined ||
  isDnsName(entry.replace(/^\./, ''));

function isExempt(entry: string, name: string): boolean {
  if (entry === '*' || entry === name) return true;
  const range = parseCidr(entry);
  const address = parseAddress(name.replace(/^\[|\]$/g, ''));
  if (range && address) return containsAddress(range, address);
  return name.endsWith(entry.startsWith('.') ? entry : `.${entry}`);
}
