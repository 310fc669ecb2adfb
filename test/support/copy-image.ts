import { silentContext } from '../../src/core/context.ts';
import type { Source, Target } from '../../src/oci/content.ts';
import type { Descriptor } from '../../src/oci/descriptor.ts';
import { isManifestType } from '../../src/oci/media-types.ts';

const ctx = silentContext();

/** Copies a tree in the plainest way, for tests of sources and targets. */
export async function copyImage(from: Source, to: Target, node: Descriptor): Promise<void> {
  if (await to.has(ctx, node)) return;
  if (!isManifestType(node.mediaType)) {
    await to.putBlob(ctx, node, from.blob(ctx, node));
    return;
  }
  const manifest = await from.manifest(ctx, node);
  for (const child of manifest.children) await copyImage(from, to, child);
  await to.putManifest(ctx, manifest);
}

/** The same, and then says what the image is. */
export async function copyRoot(
  from: Source,
  to: Target,
  root: Descriptor,
  name?: string,
): Promise<void> {
  await copyImage(from, to, root);
  await to.can.setRoot?.(ctx, root, name);
}
