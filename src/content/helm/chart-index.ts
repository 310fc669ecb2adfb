import semver from 'semver';
import * as z from 'zod';
import { AtollError, messageOf } from '../../core/errors.ts';
import { nearest } from '../../core/nearest.ts';
import { parseYaml } from '../../core/yaml.ts';
import type { HelmChart, HelmRepository } from '../image-set/image-set.ts';

const versionSchema = z.looseObject({
  version: z.coerce.string(),
  type: z.string().nullish(),
  digest: z.string().nullish(),
  urls: z.array(z.string()).nullish(),
});
/** As helm reads it: what is empty counts as not there. */
const versionsSchema = z
  .array(versionSchema.nullish())
  .nullish()
  .transform((versions) => (versions ?? []).flatMap((version) => version ?? []));
const indexSchema = z.looseObject({ entries: z.record(z.string(), versionsSchema) });

type ChartVersion = z.infer<typeof versionSchema>;
export type ChartIndex = z.infer<typeof indexSchema>;

/** One chart of a repository that is to be rendered. */
export interface RepositoryChart {
  readonly name: string;
  readonly version: string;
  readonly url: string;
  /** sha256 of the archive in hex, where the index gives one. */
  readonly sha256: string | undefined;
  readonly asked: Pick<HelmChart, 'imagePaths' | 'platforms' | 'valuesFiles'>;
}

export function parseChartIndex(text: string, { name }: HelmRepository): ChartIndex {
  try {
    return indexSchema.parse(parseYaml(text, 'lenient'));
  } catch (cause) {
    const issue = cause instanceof z.ZodError ? cause.issues[0] : undefined;
    const found = issue ? `${issue.path.join('.')}: ${issue.message}` : messageOf(cause);
    throw new AtollError(
      'INPUT_INVALID',
      `Cannot read the index of Helm repository "${name}": ${found.split('\n')[0]}`,
      { cause, hint: 'Check the URL of the repository: below it there has to be an index.yaml' },
    );
  }
}

/** Every version of every application, as if each were asked for by name. */
export function everyChart({ entries }: ChartIndex): HelmChart[] {
  return Object.entries(entries).flatMap(([name, versions]) =>
    versions
      .filter(({ type }) => type !== 'library')
      .map(({ version }) => ({
        name,
        version,
        path: undefined,
        imagePaths: [],
        valuesFiles: [],
        platforms: undefined,
      })),
  );
}

/** The version that is asked for, the newest of a range, else the newest that is no pre-release. */
export function findChart(
  index: ChartIndex,
  repository: HelmRepository,
  asked: HelmChart,
): RepositoryChart {
  const versions = Object.hasOwn(index.entries, asked.name) ? index.entries[asked.name] : undefined;
  if (!versions || versions.length === 0) {
    throw unknown(`chart "${asked.name}" in repository "${repository.name}"`, {
      word: asked.name,
      known: Object.keys(index.entries),
    });
  }
  const found =
    asked.version === undefined ? newestOf(versions) : versionOf(versions, asked.version);
  if (found) return chartOf(repository, asked.name, found, asked);
  throw unknown(`version ${asked.version} of chart "${asked.name}"`, {
    word: asked.version ?? '',
    known: versions.map(({ version }) => version),
  });
}

interface Versioned {
  readonly version: string;
}

/** As it is written, else with or without a leading "v", else the newest that a range such as `^1.2` allows. */
export function versionOf<V extends Versioned>(
  versions: readonly V[],
  wanted: string,
): V | undefined {
  const bare = (version: string) => version.replace(/^v/, '');
  return (
    versions.find(({ version }) => version === wanted) ??
    versions.find(({ version }) => bare(version) === bare(wanted)) ??
    newestFirst(versions).find(({ parsed }) => isInRange(parsed, wanted))?.each
  );
}

const LOOSE = { loose: true, includePrerelease: true } as const;

/** As helm reads ranges: commas are spaces, \`!=\` leaves one out, and pre-releases count where one is named. */
function isInRange(version: semver.SemVer, range: string): boolean {
  return range.split('||').some((part) => {
    const conditions = part.replaceAll(',', ' ').replaceAll(/([<>=!~^])\s+/g, '$1');
    const words = conditions.split(/\s+/).filter((word) => word !== '');
    if (version.prerelease.length > 0 && !words.some((word) => /\d-\w/.test(word))) return false;
    const without = words.filter((word) => word.startsWith('!=')).map((word) => word.slice(2));
    const within = words.filter((word) => !word.startsWith('!=')).join(' ');
    return (
      semver.validRange(within) !== null &&
      semver.satisfies(version, within, LOOSE) &&
      !without.some((word) => semver.satisfies(version, word, LOOSE))
    );
  });
}

/** The newest that is no pre-release, else the newest. */
export function newestOf<V extends Versioned>(versions: readonly V[]): V | undefined {
  const sorted = newestFirst(versions);
  return (sorted.find(({ parsed }) => parsed.prerelease.length === 0) ?? sorted[0])?.each;
}

function newestFirst<V extends Versioned>(versions: readonly V[]) {
  return versions
    .flatMap((each) => {
      const parsed = semver.parse(each.version, { loose: true });
      return parsed ? [{ each, parsed }] : [];
    })
    .toSorted((a, b) => semver.compareBuild(b.parsed, a.parsed));
}

function chartOf(
  { name: repository, url }: HelmRepository,
  name: string,
  { version, urls, digest }: ChartVersion,
  asked: RepositoryChart['asked'],
): RepositoryChart {
  const [first] = urls ?? [];
  if (!first) throw unknown(`a URL of chart "${name}" ${version} in "${repository}"`);
  const base = url.endsWith('/') ? url : `${url}/`;
  const sha256 = /^(?:sha256:)?([0-9a-f]{64})$/.exec(digest ?? '')?.[1];
  return { name, version, url: new URL(first, base).href, sha256, asked };
}

function unknown(what: string, near?: { word: string; known: readonly string[] }): AtollError {
  const close = near && nearest(near.word, near.known);
  const known = near?.known.slice(0, 12).join(', ');
  return new AtollError('INPUT_INVALID', `Cannot find ${what}`, {
    hint: close ? `Did you mean "${close}"?` : known ? `There are ${known}` : undefined,
  });
}
