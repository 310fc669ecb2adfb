import { hostNameOf, hostOf } from '../../oci/registries/location.ts';
import { ruleFor, serves } from '../../oci/registries/match.ts';
import type { Inspected } from './inspection.ts';
import { isInside, urlHost } from './references.ts';

type Check = (config: Inspected) => string[];

/** Everything in a config that points outside the mirror or will not work without the internet. */
export function warningsFor(config: Inspected): string[] {
  return [...new Set(CHECKS.flatMap((check) => check(config)))];
}

const mirrorHosts = (config: Inspected): Set<string> =>
  new Set(config.mirrors.flatMap(({ mirrors }) => mirrors.map(hostOf)));

const CHECKS: readonly Check[] = [
  ({ unreadable }) => [...unreadable],
  noMirror,
  outsideImages,
  outsideUrls,
  missingCredentials,
  missingTrust,
  insecureMirrors,
  openSources,
  proxyWithoutMirror,
  certificateTrouble,
  unverifiedFetches,
];

function noMirror({ kind, mirrors, releaseImage }: Inspected): string[] {
  if (kind !== 'bootstrap' || mirrors.length > 0) return [];
  return [
    `registries.conf has no mirror: every pull goes to ${releaseImage ? hostOf(releaseImage) : 'the source'} itself`,
  ];
}

/** Images that no mirror covers, or that its mirrors skip because of the kind of pull. */
function outsideImages(config: Inspected): string[] {
  const hosts = mirrorHosts(config);
  return config.references.flatMap(({ kind, path, text }) => {
    if (kind !== 'image' || hosts.has(hostOf(text)) || isInside(hostNameOf(text))) return [];
    const [named = '', digest] = text.split('@');
    const rule = ruleFor(config.conf, named.replace(/:[^/:]*$/, ''));
    if (!rule || rule.mirrors.length === 0) return [`${path}: no mirror covers the image ${text}`];
    const isDigested = digest !== undefined;
    if (rule.mirrors.some((mirror) => serves(rule, mirror, isDigested))) return [];
    const [has, only] = isDigested ? ['a digest', 'tags'] : ['a tag', 'digests'];
    return [`${path}: ${text} has ${has}, and the mirror of ${rule.prefix} serves ${only} only`];
  });
}

function outsideUrls(config: Inspected): string[] {
  const hosts = new Set([...mirrorHosts(config)].map(hostNameOf));
  const own = clusterDomains(config);
  return config.references.flatMap(({ kind, path, text }) => {
    const host = urlHost(text);
    if (kind !== 'url' || host === '' || isInside(host) || hosts.has(host)) return [];
    if (own.some((domain) => host.endsWith(domain))) return [];
    return [`${path}: ${text} is outside the mirror`];
  });
}

/** Domains of the cluster, from the names of its API in kubeconfigs and pointer configs. */
function clusterDomains({ texts, fetches }: Inspected): string[] {
  const all = [...texts.values(), ...fetches.map(({ source }) => source)].join('\n');
  const names = [...all.matchAll(/\bhttps:\/\/api(?:-int)?(\.[a-z0-9.-]+):(?:6443|22623)\b/g)];
  return [...new Set(names.map(([, domain = '']) => domain))];
}

function missingCredentials(config: Inspected): string[] {
  const known = new Set(config.credentialsFor);
  if (config.credentialsFor.length === 0 && config.kind !== 'bootstrap') return [];
  return [...mirrorHosts(config)]
    .filter((host) => !known.has(host))
    .map((host) => `The pull secret has no credential for the mirror ${host}`);
}

function missingTrust(config: Inspected): string[] {
  if (config.kind !== 'bootstrap' || config.mirrors.length === 0) return [];
  const trusted = config.certificates.some(({ path }) => /ca-trust|certs\.d/.test(path));
  return trusted
    ? []
    : ['No CA is added to the trust store: the mirror must have a public certificate'];
}

function insecureMirrors({ mirrors }: Inspected): string[] {
  return mirrors
    .filter(({ insecure }) => insecure)
    .map(({ source }) => `The mirror of ${source} is used without verifying its certificate`);
}

function openSources({ mirrors }: Inspected): string[] {
  return mirrors
    .filter((rule) => rule.blocked && rule.mirrors.length === 0)
    .map(({ source }) => `${source} is blocked and has no mirror: nothing can be pulled from it`);
}

/** The mirror is not added to noProxy by the installer, so pulls would go through the proxy. */
function proxyWithoutMirror(config: Inspected): string[] {
  const all = [...config.texts.values()].join('\n');
  if (!/\bHTTPS?_PROXY=/i.test(all)) return [];
  const [, excluded = ''] = /\bNO_PROXY="?([^"\n]*)/i.exec(all) ?? [];
  const entries = excluded.split(',').map((entry) => entry.trim());
  return [...mirrorHosts(config)]
    .filter((host) => !entries.some((entry) => isExcluded(hostNameOf(host), entry)))
    .map((host) => `A proxy is set and NO_PROXY does not have the mirror ${host}`);
}

const isExcluded = (host: string, entry: string): boolean =>
  entry === '*' ||
  host === entry ||
  (entry !== '' && host.endsWith(`.${entry.replace(/^\./, '')}`));

function certificateTrouble({ certificates }: Inspected): string[] {
  return certificates
    .filter(({ state }) => state === 'expired' || state === 'not yet valid')
    .map(({ path, subject, state, notAfter, notBefore }) =>
      state === 'expired'
        ? `${path}: the certificate of ${subject} expired at ${notAfter}`
        : `${path}: the certificate of ${subject} is not valid before ${notBefore}`,
    );
}

function unverifiedFetches({ fetches }: Inspected): string[] {
  return fetches
    .filter(({ source, verified }) => source.startsWith('http://') && !verified)
    .map(({ source }) => `${source} is fetched without encryption and without a hash`);
}
