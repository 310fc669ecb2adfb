import type { ContentImage, ContentKind } from '../../../content/content-image.ts';
import type { ImageSet, OperatorCatalog } from '../../../content/image-set/image-set.ts';
import type { Digest } from '../../../oci/digest.ts';
import type { Reference } from '../../../oci/reference.ts';
import { signedDigest } from '../../copy/attachments.ts';
import { GRAPH_IMAGE, RELEASE_COMPONENTS, RELEASE_IMAGES } from '../../destination.ts';
import { FROM_FOLDER } from '../../image-rules.ts';

/** One named image of an archive. */
export interface NamedImage {
  readonly repository: string;
  readonly tag: string;
  readonly digest: Digest;
}

/** Where images came from, found out from what the archives hold. */
export type Origins = ReadonlyMap<
  string,
  Pick<ContentImage, 'source' | 'kind'> & Partial<ContentImage>
>;

/** oc-mirror keeps a rebuilt catalog under the md5 of its filter. */
const FILTER_TAG = /^[0-9a-f]{32}$/;

/** Signatures come with their images, not as images. */
export const isAttachment = ({ tag }: NamedImage): boolean => signedDigest(tag) !== undefined;

export const isRelease = ({ repository }: NamedImage): boolean => repository === RELEASE_IMAGES;
export const isCatalog = ({ tag }: NamedImage): boolean => FILTER_TAG.test(tag);

/** What an image is, by the place oc-mirror gave it and what else is known. */
export function contentOf(named: NamedImage, origins: Origins, set?: ImageSet): ContentImage {
  const { repository, digest } = named;
  const known = origins.get(`${repository}@${digest}`) ?? origins.get(`@${digest}`);
  const catalog = isCatalog(named) ? catalogOf(named, set) : undefined;
  const source: Reference = known?.source ??
    (catalog?.origin.kind === 'registry' ? catalog.origin.reference : undefined) ?? {
      registry: FROM_FOLDER,
      repository,
      digest,
    };
  return {
    reason: 'in an archive of oc-mirror',
    ...known,
    kind: kindOf(named) ?? known?.kind ?? 'additional',
    source,
    digest,
    targetRepository: repository,
    targetTag: catalog ? catalogTag(catalog, named) : named.tag,
    ...(catalog ? { catalog: catalog.catalog } : {}),
    ...releaseOf(named),
  };
}

function kindOf({ repository, tag }: NamedImage): ContentKind | undefined {
  if (repository === RELEASE_IMAGES) return 'release';
  if (repository === RELEASE_COMPONENTS)
    return tag.includes('-kube-virt-container') ? 'kubevirt' : 'component';
  if (repository === GRAPH_IMAGE) return 'graph';
  return FILTER_TAG.test(tag) ? 'catalog' : undefined;
}

/** `4.18.1-x86_64-etcd`; a release that was named by digest has its hex instead of a version. */
const RELEASE_TAG =
  /^(?<release>(?<version>\d+\.\d+\.\d+.*?)-(?:x86_64|aarch64|ppc64le|s390x|multi)|(?<hex>[0-9a-f]{64}))(?:-(?<component>.+))?$/;

function releaseOf({ repository, tag }: NamedImage): Partial<ContentImage> {
  if (repository !== RELEASE_IMAGES && repository !== RELEASE_COMPONENTS) return {};
  const { release = tag, version = tag, component } = RELEASE_TAG.exec(tag)?.groups ?? {};
  return { release: { version, tag: release }, ...(component ? { component } : {}) };
}

/** The entry of the configuration a catalog belongs to, where there is only one that fits. */
function catalogOf({ repository }: NamedImage, set?: ImageSet): OperatorCatalog | undefined {
  const fitting = (set?.operators ?? []).filter(
    ({ origin, targetCatalog }) =>
      targetCatalog === repository ||
      (origin.kind === 'registry' && origin.reference.repository === repository),
  );
  return fitting.length === 1 ? fitting[0] : undefined;
}

function catalogTag({ targetTag, origin }: OperatorCatalog, { tag }: NamedImage): string {
  return targetTag ?? (origin.kind === 'registry' ? origin.reference.tag : undefined) ?? tag;
}
