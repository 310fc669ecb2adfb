import type { Context } from '../core/context.ts';
import { AtollError } from '../core/errors.ts';
import type { Source } from './content.ts';
import type { Descriptor } from './descriptor.ts';
import type { Digest } from './digest.ts';
import type { RawManifest } from './manifest.ts';
import { isManifestType } from './media-types.ts';

/** One piece of content of an image. */
export interface Node {
  readonly descriptor: Descriptor;
  /** Set for manifests and indexes. */
  readonly manifest?: RawManifest;
  /** Outermost first; empty for the root. */
  readonly ancestors: readonly Digest[];
}

export interface WalkOptions {
  /** Indexes in indexes; real ones have two levels. */
  readonly maxDepth?: number;
  /** Which children of a manifest to follow. All of them unless said otherwise. */
  readonly select?: (manifest: RawManifest) => readonly Descriptor[];
  /** Digests already seen, to be shared between walks; each is visited once. */
  readonly seen?: Set<Digest>;
}

const MAX_DEPTH = 8;

/**
 * Visits a manifest and all it refers to, each digest once, parents before children. Refuses what
 * contains itself or is nested deeper than any honest image.
 */
export async function* walk(
  ctx: Context,
  source: Pick<Source, 'manifest'>,
  root: Descriptor,
  options: WalkOptions = {},
): AsyncGenerator<Node> {
  yield* visit(ctx, source, { descriptor: root, ancestors: [] }, { seen: new Set(), ...options });
}

async function* visit(
  ctx: Context,
  source: Pick<Source, 'manifest'>,
  node: Node,
  options: WalkOptions & { readonly seen: Set<Digest> },
): AsyncGenerator<Node> {
  const { descriptor, ancestors } = node;
  ctx.signal.throwIfAborted();
  const what = `use ${ancestors[0] ?? descriptor.digest}`;
  refuseLoop(what, descriptor, ancestors, options.maxDepth);
  if (options.seen.has(descriptor.digest)) return;
  options.seen.add(descriptor.digest);
  if (!isManifestType(descriptor.mediaType)) return yield node;

  const manifest = await source.manifest(ctx, descriptor);
  yield { ...node, manifest };
  const below = [...ancestors, descriptor.digest];
  for (const child of options.select?.(manifest) ?? manifest.children) {
    yield* visit(ctx, source, { descriptor: child, ancestors: below }, options);
  }
}

/** Refuses an index that holds itself, or so many others in each other that nobody can have meant it. */
export function refuseLoop(
  what: string,
  { digest }: Descriptor,
  ancestors: readonly Digest[],
  maxDepth = MAX_DEPTH,
): void {
  const found = ancestors.includes(digest)
    ? 'it contains itself'
    : ancestors.length > maxDepth
      ? `it is nested more than ${maxDepth} deep`
      : undefined;
  if (found === undefined) return;
  throw new AtollError('MANIFEST_INVALID', `Cannot ${what}: ${found}`, {
    hint: 'Do not use this image; no builder makes such an index',
    details: { digest },
  });
}
