import type { ContentImage, ContentKind } from '../../../content/content-image.ts';
import type { Reference } from '../../../oci/reference.ts';
import { signedDigest } from '../../../oci/referrers.ts';
import {
  GRAPH_IMAGE,
  RELEASE_COMPONENTS,
  RELEASE_IMAGES,
} from '../../../openshift/repositories.ts';
import { FROM_FOLDER } from '../../image-rules.ts';
import type { ArchivedCatalog, NamedImage } from './archive-catalogs.ts';

/** What an image is known to be. */
export type Origin = Pick<ContentImage, 'source' | 'kind'> & Partial<ContentImage>;

/** Where images came from, found out from what the archives hold; by `repository@digest`. */
export type Origins = ReadonlyMap<string, Origin>;

export const originKey = ({ repository, digest }: Pick<NamedImage, 'repository' | 'digest'>) =>
  `${repository}@${digest}`;

/** Signatures come with their images, not as images. */
export const isAttachment = ({ tag }: NamedImage): boolean => signedDigest(tag) !== undefined;

export const isRelease = ({ repository }: NamedImage): boolean => repository === RELEASE_IMAGES;

/** What an image is, by the place oc-mirror gave it and what else is known. */
export function contentOf(
  named: NamedImage,
  origins: Origins,
  place: ArchivedCatalog | undefined,
): ContentImage {
  const { repository, digest } = named;
  const known = origins.get(originKey(named));
  const entry = place?.entry;
  const source: Reference = known?.source ??
    (entry?.origin.kind === 'registry' ? entry.origin.reference : undefined) ?? {
      registry: FROM_FOLDER,
      repository,
      digest,
    };
  return {
    reason: 'in an archive of oc-mirror',
    ...known,
    kind: place ? 'catalog' : (kindOf(named) ?? known?.kind ?? 'additional'),
    source,
    digest,
    targetRepository: repository,
    targetTag: place?.tag ?? named.tag,
    ...(entry ? { catalog: entry.catalog } : {}),
    ...releaseOf(named),
  };
}

function kindOf({ repository, tag }: NamedImage): ContentKind | undefined {
  if (repository === RELEASE_IMAGES) return 'release';
  if (repository === RELEASE_COMPONENTS)
    return tag.includes('-kube-virt-container') ? 'kubevirt' : 'component';
  return repository === GRAPH_IMAGE ? 'graph' : undefined;
}

/** `4.18.1-x86_64-etcd`; a release that was named by digest has its hex instead of a version. */
const RELEASE_TAG =
  /^(?<release>(?<version>\d+\.\d+\.\d+.*?)-(?:x86_64|aarch64|ppc64le|s390x|multi)|(?<hex>[0-9a-f]{64}))(?:-(?<component>.+))?$/;

export function releaseOf({
  repository,
  tag,
}: NamedImage): Pick<ContentImage, 'release' | 'component'> {
  if (repository !== RELEASE_IMAGES && repository !== RELEASE_COMPONENTS) return {};
  const { release = tag, version = tag, component } = RELEASE_TAG.exec(tag)?.groups ?? {};
  return { release: { version, tag: release }, ...(component ? { component } : {}) };
}
