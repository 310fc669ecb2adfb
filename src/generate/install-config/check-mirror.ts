import { containsAddress, parseAddress, parseCidr } from '../ip.ts';
import { hostNameOf, hostOf, isLocation, ruleFor } from '../mirror-rule.ts';
import { credentialFor, decodeAuth, type PullSecret, parsePullSecret } from '../pull-secret.ts';
import { type InstallFacts, RELEASE_REPOSITORIES } from './facts.ts';
import { isAtLeast } from './release-version.ts';
import type { InstallConfig } from './schema.ts';
import { error, type Violation, warning, when } from './violation.ts';

type Source = NonNullable<InstallConfig['imageDigestSources']>[number];

/** Mirror rules, pull secret and proxy: does every pull of the install end at the mirror? */
export function checkMirrorWiring(config: InstallConfig, facts: InstallFacts): Violation[] {
  const field = config.imageContentSources ? 'imageContentSources' : 'imageDigestSources';
  const sources = config[field] ?? [];
  return [
    ...checkFieldChoice(config, facts),
    ...sources.flatMap((source, index) => checkSource(`${field}[${index}]`, source, facts)),
    ...checkCoverage(field, sources, facts),
    ...checkPullSecret(config.pullSecret, sources, facts),
    ...checkProxy(config, sources),
  ];
}

function checkFieldChoice(config: InstallConfig, facts: InstallFacts): Violation[] {
  const both = config.imageContentSources !== undefined && config.imageDigestSources !== undefined;
  const knowsDigests = isAtLeast(facts.version, '4.14');
  return [
    ...when(both, () =>
      error('imageContentSources', 'imageDigestSources is set too', 'Keep only imageDigestSources'),
    ),
    ...when(config.imageDigestSources !== undefined && !knowsDigests, () =>
      error('imageDigestSources', 'releases before 4.14 do not know it', 'Use imageContentSources'),
    ),
    ...when(
      !both &&
        config.imageContentSources !== undefined &&
        facts.version !== undefined &&
        knowsDigests,
      () => warning('imageContentSources', 'it is deprecated', 'Use imageDigestSources'),
    ),
  ];
}

function checkSource(path: string, source: Source, facts: InstallFacts): Violation[] {
  const fix = 'Write "host[:port][/path]" without scheme, tag or digest';
  const { sourcePolicy } = source;
  return [
    ...when(!isLocation(source.source, { wildcard: true }), () =>
      error(`${path}.source`, `"${source.source}" is not a repository`, fix),
    ),
    ...(source.mirrors ?? []).flatMap((mirror, index) =>
      when(!isLocation(mirror), () =>
        error(`${path}.mirrors[${index}]`, `"${mirror}" is not a repository`, fix),
      ),
    ),
    ...when(
      sourcePolicy !== undefined &&
        !['NeverContactSource', 'AllowContactingSource'].includes(sourcePolicy),
      () =>
        error(
          `${path}.sourcePolicy`,
          `"${sourcePolicy}" is not a policy`,
          'Write "NeverContactSource" or "AllowContactingSource"',
        ),
    ),
    ...when(sourcePolicy !== undefined && !source.mirrors?.length, () =>
      error(`${path}.sourcePolicy`, 'it needs mirrors', 'Name a mirror, or remove the policy'),
    ),
    ...when(sourcePolicy !== undefined && !isAtLeast(facts.version, '4.21'), () =>
      warning(
        `${path}.sourcePolicy`,
        'installers before 4.21 do not know it',
        'Remove it, and set the policy in the mirror set after the install',
      ),
    ),
  ];
}

function checkCoverage(
  field: string,
  sources: readonly Source[],
  facts: InstallFacts,
): Violation[] {
  if (!facts.disconnected && !facts.mirror) return [];
  const mirrorHost = facts.mirror && hostOf(facts.mirror.host);
  const needed = facts.releaseRepositories ?? RELEASE_REPOSITORIES;
  return needed
    .filter((repository) => hostOf(repository) !== mirrorHost)
    .filter((repository) => !leadsToMirror(sources, repository, mirrorHost))
    .map((repository) =>
      error(
        field,
        `no rule leads "${repository}" of the release to the mirror`,
        `Add a source "${repository}" with its place in the mirror`,
      ),
    );
}

function leadsToMirror(
  sources: readonly Source[],
  repository: string,
  mirrorHost: string | undefined,
): boolean {
  const rules = sources.map(({ source, mirrors = [] }) => ({ source, mirrors }));
  const best = ruleFor(rules, repository);
  const hosts = (best?.mirrors ?? []).map(hostOf);
  return mirrorHost === undefined ? hosts.length > 0 : hosts.includes(mirrorHost);
}

function checkPullSecret(
  text: string,
  sources: readonly Source[],
  facts: InstallFacts,
): Violation[] {
  const path = 'pullSecret';
  const secret = readSecret(text);
  if (!secret) {
    const fix = 'Give JSON of the form {"auths":{"HOST":{"auth":"…"}}}, with at least one entry';
    return [error(path, 'it is not a pull secret', fix)];
  }
  const mirrors = new Set([
    ...sources.flatMap((source) => source.mirrors ?? []),
    ...(facts.mirror && sources.length === 0 ? [facts.mirror.host] : []),
  ]);
  const without = [...mirrors].filter((mirror) => !credentialFor(secret, mirror));
  return [
    ...checkEntries(secret),
    ...[...new Set(without.map(hostOf))].map((host) =>
      error(
        path,
        `it has no entry for the mirror "${host}"`,
        'Merge it in with "atoll render auth"',
      ),
    ),
    ...when(facts.disconnected === true && 'cloud.openshift.com' in secret.auths, () =>
      warning(
        path,
        'its entry for cloud.openshift.com switches telemetry on, which has nobody to talk to',
        'Drop the upstream entries with "atoll render auth --keep none"',
      ),
    ),
  ];
}

function checkEntries(secret: PullSecret): Violation[] {
  return Object.entries(secret.auths)
    .filter(([, entry]) => !entry.credsStore && !decodeAuth(entry))
    .map(([host]) =>
      error(
        'pullSecret',
        `its entry for "${host}" holds no user and password`,
        'Log in there again',
      ),
    );
}

function readSecret(text: string): PullSecret | undefined {
  try {
    const secret = parsePullSecret(text);
    return Object.keys(secret.auths).length > 0 ? secret : undefined;
  } catch {
    return undefined;
  }
}

function checkProxy({ proxy }: InstallConfig, sources: readonly Source[]): Violation[] {
  if (!proxy) return [];
  const entries = (proxy.noProxy ?? '').split(',').filter((entry) => entry !== '');
  const mirrors = new Set(sources.flatMap((source) => (source.mirrors ?? []).map(hostNameOf)));
  return [
    ...when(!proxy.httpProxy && !proxy.httpsProxy, () =>
      error('proxy', 'it names no proxy', 'Set httpProxy, httpsProxy or both'),
    ),
    ...when(proxy.httpProxy !== undefined && !/^http:\/\/[^/\s]+/.test(proxy.httpProxy), () =>
      error(
        'proxy.httpProxy',
        'it is not an http:// URL',
        'Write "http://[user:password@]host:port"',
      ),
    ),
    ...when(proxy.httpsProxy !== undefined && !/^https?:\/\/[^/\s]+/.test(proxy.httpsProxy), () =>
      error(
        'proxy.httpsProxy',
        'it is not a URL',
        'Write "http://host:port" or "https://host:port"',
      ),
    ),
    ...entries
      .filter((entry) => entry !== '*' && /[\s*]/.test(entry))
      .map((entry) =>
        error(
          'proxy.noProxy',
          `"${entry}" has a blank or a wildcard`,
          'Write ".example.com" for all below it',
        ),
      ),
    ...[...mirrors]
      .filter((name) => !entries.some((entry) => isExempt(entry, name)))
      .map((name) =>
        error('proxy.noProxy', `it lacks the mirror "${name}"`, 'Add it: the installer does not'),
      ),
  ];
}

function isExempt(entry: string, name: string): boolean {
  if (entry === '*' || entry === name) return true;
  const range = parseCidr(entry);
  const address = parseAddress(name.replace(/^\[|\]$/g, ''));
  if (range && address) return containsAddress(range, address);
  return name.endsWith(entry.startsWith('.') ? entry : `.${entry}`);
}
