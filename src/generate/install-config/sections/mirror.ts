import * as z from 'zod';
import { hostOf, isLocation, splitLocation } from '../../../oci/registries/location.ts';
import { longestMatch } from '../../../oci/registries/match.ts';
import { knows, sinceOf } from '../../../openshift/features.ts';
import {
  ALWAYS_NEEDED_REPOSITORIES,
  releaseRepositories,
} from '../../../openshift/repositories.ts';
import type { ReleaseVersion } from '../../../openshift/version.ts';
import { type MirrorRule, normalizeRules } from '../../mirror-rule.ts';
import { credentialFor, decodeAuth, type PullSecret, parsePullSecret } from '../../pull-secret.ts';
import type { InstallFacts } from '../facts.ts';
import { type Fields, text, texts, word } from '../fields.ts';
import type { Surroundings } from '../traits.ts';
import { error, oneOf, type Violation, warning, when } from '../violation.ts';

export interface MirrorInput {
  /** Where the images of the release are found; they become `imageDigestSources`. */
  readonly mirrorRules?: readonly MirrorRule[] | undefined;
  readonly pullSecret: string;
}

const sources = z
  .array(z.looseObject({ source: word, mirrors: texts, sourcePolicy: text }))
  .optional();
export const mirrorFields = {
  imageContentSources: sources,
  imageDigestSources: sources,
  pullSecret: z.string(),
};
export type MirrorConfig = Fields<typeof mirrorFields>;
type Source = NonNullable<MirrorConfig['imageDigestSources']>[number];

export function buildSources(rules: readonly MirrorRule[], version: ReleaseVersion | undefined) {
  if (rules.length === 0) return {};
  const withPolicy = knows(version, 'mirrorSourcePolicy');
  const entries = normalizeRules(rules).map(({ source, mirrors, policy }) => ({
    mirrors: [...mirrors],
    source,
    ...(policy && withPolicy ? { sourcePolicy: policy } : {}),
  }));
  return knows(version, 'imageDigestSources')
    ? { imageDigestSources: entries }
    : { imageContentSources: entries };
}

export const sourcesOf = (config: MirrorConfig): readonly Source[] =>
  (config.imageContentSources?.length ? config.imageContentSources : config.imageDigestSources) ??
  [];

/** Mirror rules and pull secret: does every pull of the install end at the mirror? */
export function checkMirrorWiring(config: MirrorConfig, { facts }: Surroundings): Violation[] {
  const field = config.imageContentSources?.length ? 'imageContentSources' : 'imageDigestSources';
  const used = sourcesOf(config);
  return [
    ...checkFieldChoice(config, facts),
    ...used.flatMap((source, index) => checkSource(`${field}[${index}]`, source, facts)),
    ...checkCoverage(field, used, facts),
    ...checkPullSecret(config.pullSecret, used, facts),
  ];
}

function checkFieldChoice(config: MirrorConfig, facts: InstallFacts): Violation[] {
  const hasContent = (config.imageContentSources ?? []).length > 0;
  const hasDigests = (config.imageDigestSources ?? []).length > 0;
  const knowsDigests = knows(facts.version, 'imageDigestSources');
  return [
    ...when(hasContent && hasDigests, () =>
      error('imageContentSources', 'imageDigestSources is set too', 'Keep only imageDigestSources'),
    ),
    ...when(hasDigests && !knowsDigests, () =>
      error(
        'imageDigestSources',
        `releases before ${sinceOf('imageDigestSources')} do not know it`,
        'Use imageContentSources',
      ),
    ),
    ...when(hasContent && !hasDigests && facts.version !== undefined && knowsDigests, () =>
      warning('imageContentSources', 'it is deprecated', 'Use imageDigestSources'),
    ),
  ];
}

function checkSource(path: string, source: Source, facts: InstallFacts): Violation[] {
  const fix = 'Write "host[:port][/path]" without scheme, tag or digest';
  const sourcePolicy = source.sourcePolicy || undefined;
  return [
    ...when(!isNamedRepository(source.source), () =>
      error(`${path}.source`, `"${source.source}" is not a repository`, fix),
    ),
    ...(source.mirrors ?? []).flatMap((mirror, index) =>
      when(!isNamedRepository(mirror), () =>
        error(`${path}.mirrors[${index}]`, `"${mirror}" is not a repository`, fix),
      ),
    ),
    ...oneOf(`${path}.sourcePolicy`, sourcePolicy, ['NeverContactSource', 'AllowContactingSource']),
    ...when(sourcePolicy !== undefined && !source.mirrors?.length, () =>
      error(`${path}.sourcePolicy`, 'it needs mirrors', 'Name a mirror, or remove the policy'),
    ),
    ...when(sourcePolicy !== undefined && !knows(facts.version, 'mirrorSourcePolicy'), () =>
      warning(
        `${path}.sourcePolicy`,
        `installers before ${sinceOf('mirrorSourcePolicy')} do not know it`,
        'Remove it, and set the policy in the mirror set after the install',
      ),
    ),
  ];
}

/** What the installer takes: a whole host, or a path below one that cannot be mistaken for a path. */
function isNamedRepository(text: string): boolean {
  const { host, path } = splitLocation(text);
  return (
    isLocation(text) && !host.startsWith('[') && (path === '' || /[.:]|^localhost$/.test(host))
  );
}

function checkCoverage(
  field: string,
  sources: readonly Source[],
  facts: InstallFacts,
): Violation[] {
  if (!facts.disconnected && !facts.mirror) return [];
  const mirrorHost = facts.mirror && hostOf(facts.mirror.host);
  const usual = facts.version ? releaseRepositories(facts.version) : ALWAYS_NEEDED_REPOSITORIES;
  const needed = facts.releaseRepositories ?? usual;
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
  const best = longestMatch(rules, ({ source }) => source, repository);
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
