import { dirname, isAbsolute, join, resolve } from 'node:path';
import { AtollError } from '../core/errors.ts';
import { readTextIfPresent } from '../core/files.ts';
import { nearest } from '../core/nearest.ts';
import { toYaml, type YamlDocument, yamlDocuments } from '../core/yaml.ts';
import { isTooLong } from '../core/yaml-file.ts';
import { type InputProblem, inputError, type Locate, parseYamlInput } from '../core/yaml-input.ts';
import { optionalCapabilities } from '../openshift/capabilities.ts';
import { parseReleaseVersion } from '../openshift/version.ts';
import type { PlatformKind } from '../platform/platform.ts';
import { type AppliedOverride, applyEnvironment } from './environment.ts';
import {
  MIRROR_TYPES,
  type SiteFile,
  siteDefaults,
  siteSchema,
  unknownPlatform,
} from './schema.ts';

/** A site that has been read and checked. */
export interface Site extends SiteFile {
  /** Absolute path of the site file. */
  readonly path: string;
  /** Folder of the site file: what relative paths in it start from. */
  readonly directory: string;
  /** Where atoll remembers: journal, inventory, secrets, runs. */
  readonly state: string;
  readonly overrides: readonly AppliedOverride[];
  /** What `platform.type` names. */
  readonly platformKind: PlatformKind;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Reads a site file with the environment on top. Every mistake is found in one go. */
export async function readSite(
  path: string,
  env: Env,
  platforms: readonly PlatformKind[],
): Promise<Site> {
  const absolute = resolve(path);
  const text = await readTextIfPresent(absolute);
  if (text === undefined) {
    throw new AtollError('FILE_UNREADABLE', `Cannot read "${absolute}": there is no site file`, {
      hint: 'Write one with "atoll init", or name yours with --site',
      details: { path: absolute },
    });
  }
  const { site, problems } = parseSite(absolute, text, env, platforms);
  if (!site) throw inputError(path, problems);
  return site;
}

/** A text that is broken elsewhere may still say it; one that is not even that says nothing. */
function platformTypeIn(document: YamlDocument | undefined): unknown {
  try {
    const { platform } = (document?.value() ?? {}) as { platform?: { type?: unknown } };
    return platform?.type;
  } catch {
    return undefined;
  }
}

/** The site in a text, or the mistakes in it. */
export function parseSite(
  path: string,
  text: string,
  env: Env,
  platforms: readonly PlatformKind[],
): { site: Site | undefined; problems: readonly InputProblem[] } {
  // One schema, not the union of all: what is wrong is told in the words of the platform it is on.
  const [document] = isTooLong(text) ? [] : yamlDocuments(text, 'strict');
  const platformKind = platforms.find(({ name }) => name === platformTypeIn(document));
  const schema = siteSchema(platformKind?.settings ?? unknownPlatform(platforms));
  const original = parseYamlInput(schema, text);
  const broken = original.problems.some(
    (problem) => problem.path === '' && problem.line !== undefined,
  );
  if (broken || !platformKind) return { site: undefined, problems: original.problems };

  const { value, applied } = applyEnvironment(
    (document?.value() ?? {}) as Record<string, unknown>,
    env,
    platformKind.environment,
  );
  const input = applied.length === 0 ? original : parseYamlInput(schema, toYaml(value));
  if (input.value === undefined)
    return { site: undefined, problems: relocate(input.problems, original.locate, applied) };

  const directory = dirname(path);
  const site: Site = {
    ...input.value,
    path,
    directory,
    state: join(directory, '.atoll'),
    overrides: applied,
    platformKind,
  };
  const problems = contradictions(site, original.locate);
  return problems.length > 0 ? { site: undefined, problems } : { site, problems: [] };
}

/** Places in the merged text mean nothing to the user: point into the file, or name the variable. */
function relocate(
  problems: readonly InputProblem[],
  locate: Locate,
  applied: readonly AppliedOverride[],
): InputProblem[] {
  return problems.map((problem) => {
    const override = applied.find(({ field }) => field === problem.path);
    if (override)
      return {
        ...problem,
        line: undefined,
        column: undefined,
        message: `${problem.message}, from ${override.variable}`,
      };
    return { ...problem, ...locate(problem.path.split('.')) };
  });
}

/** A path of the site file, as this process can open it. */
export function sitePath(site: Pick<Site, 'directory'>, path: string): string {
  return isAbsolute(path) ? path : join(site.directory, path);
}

interface Rule {
  readonly path: readonly string[];
  readonly broken: (site: SiteFile) => boolean;
  readonly message: string;
}

/** Choices that exclude each other, which no single field shows. */
const RULES: readonly Rule[] = [
  {
    path: ['mirror', 'imageSet'],
    broken: ({ mirror }) =>
      mirror.imageSet !== undefined && (mirror.operators ?? mirror.additionalImages) !== undefined,
    message: 'an ImageSetConfiguration file and inline content exclude each other',
  },
  {
    path: ['registry', 'host'],
    broken: ({ registry }) => registry.type === 'existing' && registry.host === undefined,
    message: 'an existing registry needs its host',
  },
  {
    path: ['registry', 'authfile'],
    broken: ({ registry }) => registry.type !== 'existing' && registry.authfile !== undefined,
    message: 'the embedded registry makes its own login: only an existing one has an authfile',
  },
  {
    path: ['registry', 'storage'],
    broken: ({ registry }) => registry.type === 'existing' && registry.storage !== undefined,
    message: 'an existing registry keeps its content where it wants',
  },
  {
    path: ['registry', 'type'],
    broken: ({ registry, mode }) => !isMirror(registry) && mode === 'disconnected',
    message: 'a disconnected site lives from its mirror: embedded or existing',
  },
  {
    path: ['registry', 'type'],
    broken: ({ registry }) => !isMirror(registry) && isDescribed(registry),
    message: 'without a registry there is no host, path, storage or CA of one',
  },
  {
    path: ['mirror'],
    broken: ({ registry, mirror }) => !isMirror(registry) && isMirroring(mirror),
    message: 'without a registry nothing is mirrored (registry.type)',
  },
  {
    path: ['mirror', 'bundle'],
    broken: ({ mirror }) => mirror.flow !== 'bundle' && mirror.bundle !== undefined,
    message: 'a bundle is made with "flow: bundle" only',
  },
  {
    path: ['proxy', 'enabled'],
    broken: ({ proxy, registry, bastion }) =>
      proxy.enabled &&
      !(proxy.url ?? proxy.host ?? bastion.address) &&
      registry.type !== 'embedded',
    message: 'nodes cannot reach a proxy that has no name; name it: proxy.host',
  },
  {
    path: ['proxy'],
    broken: ({ proxy: { enabled, port, host, image } }) =>
      !enabled && (port !== siteDefaults.proxyPort || (host ?? image) !== undefined),
    message: 'port, host and image are those of a squid on the bastion: proxy.enabled',
  },
  {
    path: ['proxy', 'publicUrl'],
    broken: ({ proxy }) => proxy.publicUrl !== undefined && proxy.url === undefined,
    message: 'is the same proxy as seen from outside: name it as nodes see it, too: proxy.url',
  },
  {
    path: ['cluster', 'disabledCapabilities'],
    broken: ({ cluster, release }) =>
      cluster.disabledCapabilities.length > 0 && release.version === undefined,
    message: 'needs release.version: every release has other capabilities',
  },
  {
    path: ['cluster', 'controlPlane'],
    broken: ({ cluster }) => cluster.controlPlane === 2,
    message: 'two machines cannot keep a quorum: 1, 3, 4 or 5',
  },
  {
    path: ['release', 'channel'],
    broken: ({ release }) => !holdsRelease(release),
    message: 'the channel does not hold the release: its minor version is another one',
  },
  {
    path: ['bastion', 'ami'],
    broken: ({ bastion }) => bastion.ami !== undefined && bastion.address !== undefined,
    message: 'a bastion is either made from an AMI or there already, not both',
  },
  {
    path: ['steps', 'insert'],
    broken: ({ steps }) =>
      steps.insert.some((entry) => (entry.before === undefined) === (entry.after === undefined)),
    message: 'each inserted step says either "before" or "after"',
  },
];

const isMirror = ({ type }: SiteFile['registry']) => MIRROR_TYPES.some((one) => one === type);

const isDescribed = ({ host, path, storage, ca }: SiteFile['registry']) =>
  (host ?? path ?? storage ?? ca) !== undefined;

function isMirroring({ imageSet, operators, additionalImages, flow }: SiteFile['mirror']): boolean {
  return flow === 'bundle' || (imageSet ?? operators ?? additionalImages) !== undefined;
}

/** A channel holds releases of its own minor version and of the one or two before it. */
function holdsRelease({ channel = '', version = '' }: SiteFile['release']): boolean {
  const [, major, minor] = /-(\d+)\.(\d+)$/.exec(channel) ?? [];
  const [ownMajor, ownMinor] = version.split('.');
  if (minor === undefined || ownMinor === undefined || major !== ownMajor) return true;
  const ahead = Number(minor) - Number(ownMinor);
  return ahead >= 0 && ahead <= 2;
}

function contradictions(site: SiteFile, locate: Locate): InputProblem[] {
  const broken = RULES.filter((rule) => rule.broken(site));
  return [
    ...broken.map(({ path, message }) => ({ ...locate(path), message })),
    ...unknownCapabilities(site, locate),
  ];
}

function unknownCapabilities({ cluster, release }: SiteFile, locate: Locate): InputProblem[] {
  if (release.version === undefined) return [];
  const known = optionalCapabilities(parseReleaseVersion(release.version));
  return cluster.disabledCapabilities.flatMap((name, index) => {
    if (known.includes(name)) return [];
    const close = nearest(name, known);
    return {
      ...locate(['cluster', 'disabledCapabilities', index]),
      message: `"${name}" is nothing ${release.version} can do without`,
      hint: close ? `did you mean "${close}"?` : `one of ${known.join(', ')}`,
    };
  });
}
