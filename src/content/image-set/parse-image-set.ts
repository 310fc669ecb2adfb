import * as z from 'zod';
import { readText } from '../../core/files.ts';
import { isObject } from '../../core/shape.ts';
import { inputError, type Locate, parseYamlInput } from '../../core/yaml-input.ts';
import { type ContentInput, contentSchema } from './content-schema.ts';
import { type ApiVersion, only, refused, text, wholeNumber } from './fields.ts';
import type { ImageSet, ImageSetWarning } from './image-set.ts';

type Purpose = ImageSet['purpose'];

const GROUP = 'mirror.openshift.io/';
const VERSIONS: readonly ApiVersion[] = ['v1alpha2', 'v2alpha1'];
const KINDS = { mirror: 'ImageSetConfiguration', delete: 'DeleteImageSetConfiguration' } as const;
const GIB = 1024 ** 3;

/** Reads an ImageSetConfiguration or DeleteImageSetConfiguration; every mistake in it is in the error. */
export async function readImageSet(path: string): Promise<ImageSet> {
  return parseImageSet(await readText(path), path);
}

export function parseImageSet(yaml: string, file: string): ImageSet {
  let purpose: Purpose = 'mirror';
  let version: ApiVersion = 'v2alpha1';
  const parsed = parseYamlInput(
    (document) => {
      ({ purpose, version } = headOf(document));
      return imageSetSchema(version, purpose);
    },
    yaml,
    { nullIsAbsent: true, once: true },
  );
  if (parsed.value === undefined) throw inputError(file, parsed.problems);
  const { value, input, locate } = parsed;
  const content = value.mirror ?? value.delete;
  const written = input.mirror ?? input.delete;
  if (!content || !written) throw new Error(`"${file}" was accepted without content`);
  return {
    purpose,
    apiVersion: version,
    file,
    archiveSizeBytes: value.archiveSize ? value.archiveSize * GIB : undefined,
    ...content,
    warnings: warningsIn(input, purpose, written, locate),
  };
}

/** Which schema a document asks for; what is unknown is then a mistake in the newest. */
function headOf(document: unknown): { readonly purpose: Purpose; readonly version: ApiVersion } {
  const { apiVersion, kind } = isObject(document) ? document : {};
  if (typeof kind === 'string' && kind.startsWith('Delete')) {
    return { purpose: 'delete', version: 'v2alpha1' };
  }
  return {
    purpose: 'mirror',
    version: apiVersion === `${GROUP}v1alpha2` ? 'v1alpha2' : 'v2alpha1',
  };
}

/** One kind of document in one version; deleting is known to v2alpha1 alone. */
export function imageSetSchema(version: ApiVersion, purpose: Purpose) {
  const content = contentSchema(version, purpose);
  const another = (other: Purpose) => refused(`a document with "${other}" has another kind`);
  return z.strictObject({
    apiVersion: head(
      `${KINDS[purpose]} has apiVersion`,
      `${GROUP}${version}`,
      apiVersions(purpose),
    ),
    kind: head('an image set has kind', KINDS[purpose], Object.values(KINDS)),
    mirror: purpose === 'mirror' ? content : another('mirror'),
    delete: purpose === 'delete' ? content : another('delete'),
    archiveSize: wholeNumber.optional().describe('Largest chunk of a bundle, in GiB'),
    storageConfig: only(
      version === 'v1alpha2',
      storageConfig,
      'it belongs to v1alpha2; atoll needs no place for metadata',
    ),
    metadata: refused('an image set has none'),
  });
}

const storageConfig = z.strictObject({
  local: z.strictObject({ path: text }).optional(),
  registry: z.strictObject({ imageURL: text, skipTLS: z.boolean().optional() }).optional(),
});

function apiVersions(purpose: Purpose): string[] {
  const known = purpose === 'delete' ? VERSIONS.slice(-1) : VERSIONS;
  return known.map((version) => `${GROUP}${version}`);
}

/** A field that says what the document is: all that it could say is shown where it says something else. */
function head<const T extends string>(subject: string, expected: T, choices: readonly string[]) {
  return z.literal(expected, {
    error: ({ input }) =>
      input === undefined ? undefined : `${subject} ${choices.join(' or ')}, not "${input}"`,
  });
}

interface Remark {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
}

/** What a file says that is accepted, but old or without effect. */
function warningsIn(
  document: { readonly storageConfig?: unknown },
  purpose: 'mirror' | 'delete',
  content: ContentInput,
  locate: Locate,
): ImageSetWarning[] {
  const remarks = [
    ...[...contentRemarks(content)].map((at) => ({ ...at, path: [purpose, ...at.path] })),
    ...(document.storageConfig === undefined ? [] : [STORAGE]),
  ];
  const warnings = remarks.map(({ path, message, hint }) => {
    const { line = 1, column = 1 } = locate(path);
    return { message, line, column, ...(hint ? { hint } : {}) };
  });
  // What an alias repeats is said once.
  const unique = new Map(warnings.map((warning) => [JSON.stringify(warning), warning]));
  return [...unique.values()].toSorted((a, b) => a.line - b.line);
}

const STORAGE: Remark = {
  path: ['storageConfig'],
  message: 'storageConfig is not used: no metadata is kept between runs',
  hint: 'Deltas come from "--have INVENTORY" or "--since" instead',
};

function* contentRemarks({ platform, operators, helm, samples }: ContentInput): Iterable<Remark> {
  if (platform) yield* platformRemarks(platform);
  for (const [index, { targetName, originalRef }] of (operators ?? []).entries()) {
    const path = ['operators', index];
    if (targetName) yield { path: [...path, 'targetName'], ...OLD_NAME };
    if (originalRef) yield { path: [...path, 'originalRef'], ...OLD_REFERENCE };
  }
  yield* helmRemarks(helm?.repositories ?? []);
  if (samples?.length) yield { path: ['samples'], ...NO_SAMPLES };
}

function* helmRemarks(
  repositories: NonNullable<NonNullable<ContentInput['helm']>['repositories']>,
): Iterable<Remark> {
  for (const [index, { charts = [] }] of repositories.entries()) {
    for (const [chart, { path }] of charts.entries()) {
      if (path)
        yield { path: ['helm', 'repositories', index, 'charts', chart, 'path'], ...NO_PATH };
    }
  }
}

const OLD_NAME = { message: 'targetName is old', hint: 'Write targetCatalog' };
const OLD_REFERENCE = { message: 'originalRef is old', hint: 'Write targetCatalog and targetTag' };
const NO_PATH = { message: '"path" means nothing for a chart of a repository' };
const NO_SAMPLES = {
  message: '"samples" is not carried out, as in every version of oc-mirror',
  hint: 'List the images under "additionalImages"',
};

type PlatformInput = NonNullable<ContentInput['platform']>;

function* platformRemarks({ release, channels = [], graph }: PlatformInput): Iterable<Remark> {
  const path = ['platform', 'channels'];
  for (const [index, { shortestPath, minVersion, maxVersion }] of channels.entries()) {
    if (!shortestPath || minVersion || maxVersion) continue;
    const message = 'without minVersion and maxVersion there is no path to take';
    yield { path: [...path, index, 'shortestPath'], message };
  }
  if (release && channels.length > 0) {
    yield { path, message: 'the channels are not looked at, because "release" is set' };
  }
  if (!release && channels.length === 0 && !graph) {
    yield { path, message: '"platform" asks for no release: it has neither channels nor one' };
  }
}
