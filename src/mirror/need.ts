import * as z from 'zod';
import type { ContentImage } from '../content/content-image.ts';
import { lazily } from '../core/lazily.ts';
import { byFirst } from '../core/order.ts';
import { formatReference, type Reference } from '../oci/reference.ts';

const taggedSchema = lazily(() => {
  const text = z.string();
  return z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('release'), tag: text }),
    z.object({ kind: z.literal('bundle'), catalog: text, name: text }),
    z.object({ kind: z.literal('package'), catalog: text, name: text }),
    z.object({ kind: z.literal('catalog'), catalog: text }),
    z.object({ kind: z.literal('chart'), name: text, version: text.optional() }),
    z.object({ kind: z.literal('graph') }),
    z.object({
      kind: z.literal('additional'),
      source: text,
      repository: text.optional(),
      tag: text.optional(),
    }),
  ]);
});

/**
 * What needs an image: a release, a bundle or package of a catalog, a chart, a line of the image set. An
 * image is deleted when nothing needs it any more.
 */
export type Need = z.output<ReturnType<typeof taggedSchema>>;

/** A need in a file. Older versions wrote one line of words, which is read as the same need. */
export const needSchema = lazily(() =>
  z.union([
    taggedSchema(),
    z.string().transform((words, context): Need => {
      const need = parseWords(words);
      if (need) return need;
      context.addIssue({ code: 'custom', message: `"${words}" is no need` });
      return z.NEVER;
    }),
  ]),
);

export function needsOf(image: ContentImage): Need[] {
  const source = formatReference(image.source);
  switch (image.kind) {
    case 'release':
    case 'component':
    case 'kubevirt':
      return [{ kind: 'release', tag: image.release?.tag ?? source }];
    case 'bundle':
    case 'related':
      return bundleNeeds(image);
    case 'catalog':
      return [{ kind: 'catalog', catalog: image.catalog ?? source }];
    case 'helm':
      return [chartNeed(image.chart ?? source)];
    case 'graph':
      return [{ kind: 'graph' }];
    case 'additional':
    case 'file':
      return [additionalNeed(image.source, image.targetRepository, image.targetTag)];
  }
}

/** A line of `additionalImages`: the same image at another place is another line. */
export function additionalNeed(
  source: Reference,
  repository: string | undefined,
  tag: string | undefined,
): Need {
  return {
    kind: 'additional',
    source: formatReference(source),
    ...(repository ? { repository } : {}),
    ...(tag ? { tag } : {}),
  };
}

function bundleNeeds({ catalog = '', packages = [], bundles = [] }: ContentImage): Need[] {
  if (bundles.length > 0) return bundles.map((name) => ({ kind: 'bundle', catalog, name }));
  return packages.map((name) => ({ kind: 'package', catalog, name }));
}

/** `web 1.2.3`, or the name alone. */
function chartNeed(title: string): Need {
  const [name = '', version] = title.split(' ', 2);
  return { kind: 'chart', name, ...(version ? { version } : {}) };
}

const FIELDS = ['kind', 'tag', 'catalog', 'name', 'version', 'source', 'repository'];

/** Equal for equal needs, however they were made. */
export function needKey(need: Need): string {
  return JSON.stringify(need, FIELDS);
}

/** Both lists as one, sorted, each need once. */
export function joinNeeds(...lists: readonly (readonly Need[] | undefined)[]): Need[] {
  const byKey = new Map(lists.flatMap((list) => list ?? []).map((need) => [needKey(need), need]));
  return [...byKey].toSorted(byFirst).map(([, need]) => need);
}

const WORDS = /^(?<kind>[a-z]+)(?: (?<rest>.*))?$/s;
const ADDITIONAL = /^(?<source>\S+)(?: at (?<repository>[^:]*):(?<tag>.*))?$/;

/** `bundle CATALOG NAME` and its like. Names of bundles and packages hold no space, catalogs may. */
function parseWords(words: string): Need | undefined {
  const { kind = '', rest = '' } = WORDS.exec(words)?.groups ?? {};
  const space = rest.lastIndexOf(' ');
  switch (kind) {
    case 'release':
      return { kind, tag: rest };
    case 'bundle':
    case 'package':
      return space < 0
        ? undefined
        : { kind, catalog: rest.slice(0, space), name: rest.slice(space + 1) };
    case 'catalog':
      return { kind, catalog: rest };
    case 'chart':
      return chartNeed(rest);
    case 'graph':
      return { kind };
    case 'additional': {
      const { source, repository, tag } = ADDITIONAL.exec(rest)?.groups ?? {};
      if (source === undefined) return undefined;
      return { kind, source, ...(repository ? { repository } : {}), ...(tag ? { tag } : {}) };
    }
    default:
      return undefined;
  }
}
