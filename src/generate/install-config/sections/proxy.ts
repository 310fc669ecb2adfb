import { sortedUnique } from '../../../core/order.ts';
import { hostNameOf } from '../../../oci/registries/location.ts';
import { isDnsName } from '../../dns-name.ts';
import { containsAddress, parseAddress, parseCidr } from '../../ip.ts';
import type { MirrorRule } from '../../mirror-rule.ts';
import { type Fields, part, text } from '../fields.ts';
import { error, type Violation, when } from '../violation.ts';
import { isWithin, type NetworksConfig, rangesOf } from './networks.ts';

export interface ProxyInput {
  readonly httpProxy?: string | undefined;
  readonly httpsProxy?: string | undefined;
  readonly noProxy?: readonly string[] | undefined;
}

export const proxyFields = { proxy: part({ httpProxy: text, httpsProxy: text, noProxy: text }) };

/** The installer adds much to `noProxy` by itself, but not the mirror. */
export function buildProxy(proxy: ProxyInput | undefined, rules: readonly MirrorRule[]) {
  if (!proxy) return {};
  const mirrors = rules.flatMap((rule) => rule.mirrors.map(hostNameOf));
  const noProxy = sortedUnique([...(proxy.noProxy ?? []), ...mirrors]).join(',');
  return {
    proxy: {
      ...(proxy.httpProxy ? { httpProxy: proxy.httpProxy } : {}),
      ...(proxy.httpsProxy ? { httpsProxy: proxy.httpsProxy } : {}),
      ...(noProxy ? { noProxy } : {}),
    },
  };
}

const AUTHORITY =
  /^(?:(?:[^\s/?#%]|%[0-9a-f]{2})*@)?(?<host>\[[0-9a-f:.]+\]|[^\s/?#@:[\]%]+)(?::\d{0,5})?(?:[/?][^\s#]*)?$/i;
const hostIn = (url: string, scheme: RegExp): string | undefined =>
  scheme.test(url) ? AUTHORITY.exec(url.replace(scheme, ''))?.groups?.host : undefined;

/** The proxies, and that nothing on the way to the mirror goes through them. */
export function checkProxy(
  config: Fields<typeof proxyFields> & NetworksConfig,
  mirrors: readonly string[],
): Violation[] {
  if (!config.proxy) return [];
  const { httpProxy = '', httpsProxy = '', noProxy = '' } = config.proxy;
  const http = hostIn(httpProxy, /^http:\/\//i);
  const https = hostIn(httpsProxy, /^https?:\/\//i);
  return [
    ...when(!httpProxy && !httpsProxy, () =>
      error('proxy', 'it names no proxy', 'Set httpProxy, httpsProxy or both'),
    ),
    ...when(httpProxy !== '' && http === undefined, () =>
      error(
        'proxy.httpProxy',
        'it is not an http:// URL',
        'Write "http://[user:password@]host:port"',
      ),
    ),
    ...when(httpsProxy !== '' && https === undefined, () =>
      error(
        'proxy.httpsProxy',
        'it is not a URL',
        'Write "http://host:port" or "https://host:port"',
      ),
    ),
    ...checkPlace('proxy.httpProxy', http, config),
    ...checkPlace('proxy.httpsProxy', https, config),
    ...checkNoProxy(noProxy, new Set(mirrors.map(hostNameOf))),
  ];
}

/** An address of a pod or service is no place for a proxy: nodes cannot reach it. */
function checkPlace(path: string, host: string | undefined, config: NetworksConfig): Violation[] {
  const address = parseAddress((host ?? '').replace(/^\[|\]$/g, ''));
  const { cluster, service } = rangesOf(config);
  return when(address !== undefined && isWithin([...cluster, ...service], address), () =>
    error(path, `${host} lies in the networks of pods and services`, 'Name a proxy outside'),
  );
}

function checkNoProxy(given: string, mirrors: ReadonlySet<string>): Violation[] {
  const entries = given === '' ? [] : given.split(',');
  return [
    ...(given === '*' ? [] : entries)
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
