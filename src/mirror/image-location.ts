import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Source, Target } from '../oci/content.ts';
import {
  formatReference,
  parseReference,
  type Reference,
  referenceIfValid,
  tagOrDigestOf,
} from '../oci/reference.ts';
import type { Registries } from '../remote/registries.ts';
import { openDiskStore } from '../store/disk/disk-store.ts';
import { dirSource, openDirTarget } from '../store/layout/dir-transport.ts';
import { layoutRoot, layoutSource } from '../store/layout/source.ts';
import { layoutTarget } from '../store/layout/target.ts';

/** Where an image is, in the words of skopeo and podman. */
export type ImageLocation =
  | { readonly kind: 'docker'; readonly reference: Reference }
  | { readonly kind: 'oci'; readonly path: string; readonly name: string | undefined }
  | { readonly kind: 'dir'; readonly path: string };

const FORMS = '"docker://HOST/REPOSITORY[:TAG|@DIGEST]", "oci:DIR[:NAME]" or "dir:DIR"';

/** Parses `docker://…`, `oci:…` and `dir:…`. */
export function parseImageLocation(text: string): ImageLocation {
  const [, kind = '', rest = ''] = /^([a-z-]+):(.*)$/s.exec(text) ?? [];
  if (kind === 'docker' && rest.startsWith('//')) {
    return { kind, reference: parseReference(rest.slice(2)) };
  }
  if (kind === 'oci' && rest !== '') return { kind, ...splitName(rest) };
  if (kind === 'dir' && rest !== '') return { kind, path: rest };
  throw new AtollError('USAGE', `Cannot understand "${text}": it names no place for an image`, {
    hint: looksLikeReference(text) ? `Did you mean "docker://${text}"?` : `Write ${FORMS}`,
  });
}

/** The first colon ends the folder, as in the container tools; a name may hold more of them. */
function splitName(rest: string): { path: string; name: string | undefined } {
  const colon = rest.indexOf(':');
  if (colon < 0) return { path: rest, name: undefined };
  return { path: rest.slice(0, colon), name: rest.slice(colon + 1) || undefined };
}

function looksLikeReference(text: string): boolean {
  return text.includes('/') && referenceIfValid(text) !== undefined;
}

export function formatImageLocation(location: ImageLocation): string {
  switch (location.kind) {
    case 'docker':
      return `docker://${formatReference(location.reference)}`;
    case 'oci':
      return `oci:${location.path}${location.name === undefined ? '' : `:${location.name}`}`;
    case 'dir':
      return `dir:${location.path}`;
  }
}

export interface OpenSource {
  readonly source: Source;
  /** Tag or digest of the image there. */
  readonly reference: string;
  readonly sourceRepository: string | undefined;
}

export interface OpenTarget {
  readonly target: Target;
  readonly tags: readonly string[];
  /** Whether what belongs to the image can be kept beside it. */
  readonly holdsAttachments: boolean;
}

/** Opens an image for reading. Registries are asked as a pull would: through `registries.conf`. */
export async function openSource(
  ctx: Context,
  location: ImageLocation,
  registries: Registries,
): Promise<OpenSource> {
  if (location.kind === 'docker') {
    const { reference } = location;
    const sourceRepository = `${reference.registry}/${reference.repository}`;
    const source = registries.source(reference);
    return { source, reference: tagOrDigestOf(reference), sourceRepository };
  }
  if (location.kind === 'dir') {
    return { source: dirSource(location.path), reference: '', sourceRepository: undefined };
  }
  const store = await openDiskStore(location.path, { create: false });
  const { digest } = await layoutRoot(ctx, store, location.name);
  return { source: layoutSource(store), reference: digest, sourceRepository: undefined };
}

/** Opens a place for one image. Folders are made; registries are exactly the one that is named. */
export async function openTarget(
  location: ImageLocation,
  registries: Registries,
): Promise<OpenTarget> {
  if (location.kind === 'docker') {
    const { registry, repository, tag, digest } = location.reference;
    const target = registries.repository(registry, repository);
    const tags = tag !== undefined ? [tag] : digest === undefined ? ['latest'] : [];
    return { target, tags, holdsAttachments: true };
  }
  if (location.kind === 'dir') {
    return { target: await openDirTarget(location.path), tags: [], holdsAttachments: false };
  }
  const target = layoutTarget(await openDiskStore(location.path));
  return { target, tags: location.name ? [location.name] : [], holdsAttachments: true };
}
