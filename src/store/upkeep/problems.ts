import { byText } from '../../core/order.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import type { Digest } from '../../oci/digest.ts';
import type { ContentGraph } from './graph.ts';

/** Content that is not as it should be, and what breaks because of it. */
export interface ContentProblem {
  readonly digest: Digest;
  readonly found: 'damaged' | 'missing';
  readonly detail: string;
  /** Manifests that refer to it directly. */
  readonly manifests: readonly Digest[];
  /** Names of the images that need it. */
  readonly references: readonly string[];
}

/** What is wrong with which content, before anybody has asked who needs it. */
export type Bad = Map<Digest, Pick<ContentProblem, 'found' | 'detail'>>;

/** Adds to each problem what it breaks; those that break the most images come first. */
export function explain(graph: ContentGraph, bad: Bad): readonly ContentProblem[] {
  const parents = parentsOf(graph);
  const names = namesOf(graph, parents, [...bad.keys()]);
  return [...bad]
    .map(([digest, problem]) => ({
      digest,
      ...problem,
      manifests: (parents.get(digest) ?? []).toSorted(),
      references: [...(names.get(digest) ?? [])].toSorted(),
    }))
    .toSorted((a, b) => b.references.length - a.references.length || byText(a.digest, b.digest));
}

function parentsOf(graph: ContentGraph): ReadonlyMap<Digest, readonly Digest[]> {
  const parents = new Map<Digest, Digest[]>();
  for (const [manifest, { children }] of graph.manifests) {
    for (const child of children) appendTo(parents, child, manifest);
  }
  return parents;
}

function appendTo(parents: Map<Digest, Digest[]>, { digest }: Descriptor, parent: Digest): void {
  const known = parents.get(digest);
  if (known) known.push(parent);
  else parents.set(digest, [parent]);
}

/** The names of the roots above each bad digest: there are few bad ones, so climb from them. */
function namesOf(
  graph: ContentGraph,
  parents: ReadonlyMap<Digest, readonly Digest[]>,
  bad: readonly Digest[],
): ReadonlyMap<Digest, ReadonlySet<string>> {
  const rootNames = new Map<Digest, string[]>();
  for (const { digest, name } of graph.roots) {
    rootNames.set(digest, [...(rootNames.get(digest) ?? []), name]);
  }
  return new Map(
    bad.map((digest) => [
      digest,
      new Set([...above(digest, parents)].flatMap((each) => rootNames.get(each) ?? [])),
    ]),
  );
}

function above(
  digest: Digest,
  parents: ReadonlyMap<Digest, readonly Digest[]>,
): ReadonlySet<Digest> {
  const all = new Set<Digest>([digest]);
  // A set may grow while it is walked.
  for (const each of all) for (const parent of parents.get(each) ?? []) all.add(parent);
  return all;
}
