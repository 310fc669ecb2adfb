import semver from 'semver';
import type { Context } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { ReleaseArchitecture } from '../image-set/image-set.ts';
import type { GraphSource } from './graph/graph-source.ts';

export interface ListedRelease {
  readonly version: string;
  readonly architecture: ReleaseArchitecture;
  readonly channels: readonly string[];
  readonly url: string | undefined;
}

/** Releases of a channel, oldest first; a channel lists those of the minor version before, too. */
export async function releasesOfChannel(
  ctx: Context,
  graphs: GraphSource,
  channel: string,
  architectures: readonly ReleaseArchitecture[],
): Promise<ListedRelease[]> {
  const found: ListedRelease[] = [];
  for (const architecture of architectures) {
    const { nodes } = await graphs.graph(ctx, { channel, architecture, type: 'ocp' });
    found.push(
      ...nodes.map(({ version, channels, url }) => ({ version, architecture, channels, url })),
    );
  }
  return found.toSorted((a, b) => semver.compareBuild(a.version, b.version));
}

const PREFIXES = ['candidate', 'fast', 'stable', 'eus'];

/** The channels that releases of a minor version are in. Those the graph does not know are left out. */
export async function channelsOfVersion(
  ctx: Context,
  graphs: GraphSource,
  minor: string,
): Promise<string[]> {
  const found = new Set<string>();
  for (const prefix of PREFIXES) {
    try {
      const listed = await releasesOfChannel(ctx, graphs, `${prefix}-${minor}`, ['amd64']);
      const own = listed.filter(({ version }) => version.startsWith(`${minor}.`));
      for (const name of own.flatMap(({ channels }) => channels)) found.add(name);
    } catch (error) {
      ctx.signal.throwIfAborted();
      if (prefix === 'stable') throw error;
    }
  }
  return [...found].toSorted();
}

const RELEASE_TAG = /^(?<minor>\d+\.\d+)\.\d+-(?:x86_64|aarch64|ppc64le|s390x|multi)$/;

/** Minor versions that have releases, by the tags of their repository. */
export async function minorVersions(ctx: Context, repository: Source): Promise<string[]> {
  const found = new Set<string>();
  for await (const tag of repository.can.tags?.(ctx) ?? []) {
    const minor = RELEASE_TAG.exec(tag)?.groups?.minor;
    if (minor) found.add(minor);
  }
  return [...found].toSorted((a, b) => semver.compare(`${a}.0`, `${b}.0`));
}
