import type { Locate } from '../../core/yaml-input.ts';
import type { ContentInput } from './content-schema.ts';
import type { ImageSetWarning } from './image-set.ts';

interface Remark {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly hint?: string;
}

/** What a file says that is accepted, but old or without effect. */
export function warningsIn(
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
