import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Source, Target } from '../oci/content.ts';
import {
  formatReference,
  parseReference,
  type Reference,
  tagOrDigestOf,
} from '../oci/reference.ts';
import type { Registries } from '../remote/registries.ts';
import { type DiskStore, openDiskStore } from '../store/disk/disk-store.ts';
import { dirSource, openDirTarget } from '../store/layout/dir-transport.ts';
import { type LayoutSource, layoutRoot, layoutSource } from '../store/layout/source.ts';
import { type LayoutTarget, layoutTarget } from '../store/layout/target.ts';

/** Where an image is, in the words of skopeo and podman. */
export type Transport =
  | { readonly kind: 'docker'; readonly reference: Reference }
  | { readonly kind: 'oci'; readonly path: string; readonly name: string | undefined }
  | { readonly kind: 'dir'; readonly path: string };

const FORMS = '"docker://HOST/REPOSITORY[:TAG|@DIGEST]", "oci:DIR[:NAME]" or "dir:DIR"';

/** Parses `docker://…`, `oci:…` and `dir:…`. */
export function parseTransport(text: string): Transport {
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
  try {
    return text.includes('/') && parseReference(text) !== undefined;
  } catch {
    return false;
  }
}

export function formatTransport(transport: Transport): string {
  switch (transport.kind) {
    case 'docker':
      return `docker://${formatReference(transport.reference)}`;
    case 'oci':
      return `oci:${transport.path}${transport.name === undefined ? '' : `:${transport.name}`}`;
    case 'dir':
      return `dir:${transport.path}`;
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
  transport: Transport,
  registries: Registries,
): Promise<OpenSource> {
  if (transport.kind === 'docker') {
    const { reference } = transport;
    const sourceRepository = `${reference.registry}/${reference.repository}`;
    const source = registries.source(reference);
    return { source, reference: tagOrDigestOf(reference), sourceRepository };
  }
  if (transport.kind === 'dir') {
    return { source: dirSource(transport.path), reference: '', sourceRepository: undefined };
  }
  const store = await openDiskStore(transport.path, { create: false });
  const { digest } = await layoutRoot(ctx, store, transport.name);
  return { source: layoutSource(store), reference: digest, sourceRepository: undefined };
}

/** Opens a place for one image. Folders are made; registries are exactly the one that is named. */
export async function openTarget(
  transport: Transport,
  registries: Registries,
): Promise<OpenTarget> {
  if (transport.kind === 'docker') {
    const { registry, repository, tag, digest } = transport.reference;
    const target = registries.repository(registry, repository);
    const tags = tag !== undefined ? [tag] : digest === undefined ? ['latest'] : [];
    return { target, tags, holdsAttachments: true };
  }
  if (transport.kind === 'dir') {
    return { target: await openDirTarget(transport.path), tags: [], holdsAttachments: false };
  }
  const store = await openDiskStore(transport.path);
  const target = wholeLayout(store);
  return { target, tags: transport.name ? [transport.name] : [], holdsAttachments: true };
}

/** A layout as a target whose names count only for images that are whole: others come again. */
function wholeLayout(store: DiskStore): LayoutSource & LayoutTarget {
  const [source, target] = [layoutSource(store), layoutTarget(store)];
  return {
    ...source,
    ...target,
    async resolve(ctx, tagOrDigest) {
      const found = await source.resolve(ctx, tagOrDigest);
      return found && (await target.has(ctx, found)) ? found : undefined;
    },
  };
}
