import { dirname, isAbsolute, join, resolve } from 'node:path';
import { readText } from '../core/files.ts';
import { toYaml, type YamlDocument, yamlDocuments } from '../core/yaml.ts';
import { type InputProblem, inputError, type Locate, parseYamlInput } from '../core/yaml-input.ts';
import type { PlatformKind } from '../platform/platform.ts';
import { contradictions } from './contradictions.ts';
import { type AppliedOverride, applyEnvironment } from './environment.ts';
import { type SiteFile, siteSchema, unknownPlatform } from './schema.ts';

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
  const text = await readText(absolute);
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
  const [document] = yamlDocuments(text, 'strict');
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
