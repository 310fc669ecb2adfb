import type { Context } from '../../core/context.ts';
import { counted } from '../../core/format.ts';
import { type Digest, splitDigest } from '../../oci/digest.ts';
import type { ContentImage } from '../content-image.ts';
import type { OperatorCatalog } from '../image-set/image-set.ts';
import { rebuildCatalog } from './rebuild/rebuild-catalog.ts';
import { type ResolvedCatalog, selectedDocuments } from './resolve-catalog.ts';

/** The catalog itself: as it is, with its signatures, when all of it is wanted; else built anew. */
export async function catalogImage(
  ctx: Context,
  wanted: OperatorCatalog,
  resolved: ResolvedCatalog,
): Promise<ContentImage> {
  const { open, selection, isWhole } = resolved;
  const common = {
    kind: 'catalog' as const,
    source: open.reference,
    catalog: wanted.catalog,
    packages: selection.packages.map(({ name }) => name),
    targetRepository:
      wanted.targetCatalog ?? (open.isLayout ? open.reference.repository : undefined),
  };
  if (isWhole) {
    return {
      ...common,
      digest: open.root.digest,
      ...(open.isLayout ? { from: open.source } : {}),
      platforms: wanted.platforms,
      targetTag: targetTag(wanted, resolved, open.root.digest),
      reason: 'the whole catalog, unchanged',
      sigstore: 'wanted',
    };
  }
  const built = await rebuildCatalog(ctx, open, {
    selection,
    documents: await selectedDocuments(ctx, resolved),
    platforms: wanted.platforms,
  });
  return {
    ...common,
    digest: built.descriptor.digest,
    from: built.source,
    targetTag: targetTag(wanted, resolved, built.descriptor.digest),
    reason: `catalog filtered to ${counted(selection.packages.length, 'package')}`,
    // It is not what was signed.
    sigstore: 'none',
  };
}

/** `targetTag`, else the tag upstream; what upstream names by digest alone is named by its digest here. */
function targetTag(
  wanted: OperatorCatalog,
  { open }: ResolvedCatalog,
  digest: Digest,
): string | undefined {
  if (wanted.targetTag !== undefined) return wanted.targetTag;
  if (open.isLayout) return 'latest';
  if (open.reference.tag !== undefined) return undefined;
  const { algorithm, hex } = splitDigest(digest);
  return `${algorithm}-${hex}`;
}
