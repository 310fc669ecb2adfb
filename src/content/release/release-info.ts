import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { byFirst } from '../../core/order.ts';
import { knows } from '../../openshift/features.ts';
import { parseReleaseVersion } from '../../openshift/version.ts';
import type { ComponentReach } from './locate-component.ts';
import type { OpenRelease } from './open-release.ts';
import { type OsStream, osStreams } from './os-streams.ts';
import type { Component } from './payload/image-references.ts';

/** A release in a few facts. */
export interface ReleaseInfo {
  readonly version: string;
  readonly digest: string;
  readonly architecture: string;
  readonly tag: string;
  readonly created: string | undefined;
  /** The release image by digest, under the name it was asked for. */
  readonly image: string | undefined;
  /** `host/repository` that answered: the mirror, where one is used. */
  readonly readFrom: string | undefined;
  readonly url: string | undefined;
  readonly previous: readonly string[];
  readonly next: readonly string[];
  readonly components: number;
  readonly manifests: number;
  /** Versions of what the components build, such as kubernetes. */
  readonly versions: Readonly<Record<string, string>>;
}

const VERSIONS = 'io.openshift.build.versions';
const META_FILES = new Set(['image-references', 'release-metadata']);

/** The same, with the RHELs its nodes can run: from 4.23 on there is more than one. */
export async function releaseInfoWithStreams(
  ctx: Context,
  release: OpenRelease,
  reach: ComponentReach,
): Promise<ReleaseInfo & { readonly osStreams?: readonly OsStream[] }> {
  const info = releaseInfo(release);
  if (!knows(parseReleaseVersion(info.version), 'osImageStream')) return info;
  try {
    return { ...info, osStreams: await osStreams(ctx, release, reach) };
  } catch (error) {
    ctx.signal.throwIfAborted();
    const message = `The streams of its nodes could not be read: ${messageOf(error)}`;
    ctx.emit({ type: 'warning.raised', subject: info.tag, message });
    return info;
  }
}

export function releaseInfo({ payload, place, pullSpec }: OpenRelease): ReleaseInfo {
  const manifests = [...payload.manifests.keys()].filter((name) => !META_FILES.has(name));
  return {
    version: payload.version,
    digest: payload.digest,
    architecture: payload.architecture,
    tag: payload.tag,
    created: payload.created,
    image: pullSpec,
    readFrom: place.source.endpoint,
    url: payload.metadata.url,
    previous: payload.metadata.previous,
    next: payload.metadata.next,
    components: payload.components.length,
    manifests: manifests.length,
    versions: componentVersions(payload.components),
  };
}

/** `kubernetes=1.31.5,other=1.0` on many components: one value for each name, in order. */
function componentVersions(components: readonly Component[]): Record<string, string> {
  const pairs = components
    .flatMap(({ annotations }) => annotations[VERSIONS]?.split(',') ?? [])
    .map((pair) => pair.split('='))
    .filter((pair): pair is [string, string] => pair.length === 2);
  return Object.fromEntries(pairs.toSorted(byFirst));
}
