import type { Context } from '../../core/context.ts';
import { formatBytes } from '../../core/format.ts';
import { matchesPattern } from '../../core/wildcard.ts';
import type { Digest } from '../../oci/digest.ts';
import { isImage } from '../../oci/manifest.ts';
import { findSoundManifest } from '../../store/read-manifest.ts';
import type { Store, StoredBlob } from '../../store/store.ts';
import { WireError } from '../serving/wire-error.ts';
import type { Links } from './links.ts';

/** How much each repository whose name fits the pattern may hold. */
export interface QuotaRule {
  readonly repositories: string;
  readonly bytes: number;
}

/**
 * A repository holds its manifests and what they name, each piece counted once, also when other
 * repositories hold it too: what somebody may push does not depend on what others do. Blobs that no
 * manifest names yet do not count; garbage collection takes them.
 */
export interface Quotas {
  /** Throws 403 when so many more bytes cannot fit, whatever they turn out to be. */
  requireRoom(repository: string, bytes: number): Promise<void>;
  /** Runs `store` when a manifest made of these pieces fits in; pushes into one repository take turns. */
  within<T>(repository: string, pieces: readonly StoredBlob[], store: () => Promise<T>): Promise<T>;
}

export function createQuotas(
  ctx: Context,
  store: Store,
  links: Links,
  rules: readonly QuotaRule[],
): Quotas {
  const limitOf = (repository: string) =>
    rules.find((rule) => matchesPattern(rule.repositories, repository))?.bytes;
  const holdings = createHoldings(ctx, store, links);
  const turns = new Map<string, Promise<unknown>>();

  async function inTurn<T>(repository: string, task: () => Promise<T>): Promise<T> {
    const before = turns.get(repository) ?? Promise.resolve();
    const mine = before.then(task, task);
    turns.set(repository, mine);
    try {
      return await mine;
    } finally {
      if (turns.get(repository) === mine) turns.delete(repository);
    }
  }

  return {
    async requireRoom(repository, bytes) {
      const limit = limitOf(repository);
      if (limit === undefined) return;
      const used = sum((await holdings.of(repository)).values());
      // What is sent may be there already; whether it fits is decided with its manifest.
      if (used >= limit || bytes > limit) throw exceeded({ repository, limit, used, bytes });
    },
    async within(repository, pieces, task) {
      const limit = limitOf(repository);
      if (limit === undefined) return await task();
      return await inTurn(repository, async () => {
        const held = await holdings.of(repository);
        const used = sum(held.values());
        const added = new Map(pieces.map(({ digest, size }) => [digest, size]));
        for (const digest of held.keys()) added.delete(digest);
        const bytes = sum(added.values());
        if (bytes > 0 && used + bytes > limit) throw exceeded({ repository, limit, used, bytes });
        return await task();
      });
    },
  };
}

/** What a manifest holds never changes, so it is read once. */
const MAX_MANIFESTS = 50_000;

function createHoldings(ctx: Context, store: Store, links: Links) {
  const known = new Map<Digest, readonly StoredBlob[]>();

  async function piecesOf(digest: Digest): Promise<readonly StoredBlob[]> {
    const found = known.get(digest);
    if (found) return found;
    const manifest = await findSoundManifest(ctx, store.blobs, digest);
    if (!manifest) return [];
    // The manifests of an index count where they are themselves.
    const children = isImage(manifest) ? manifest.children : [];
    const pieces = [manifest.descriptor, ...children].map(({ digest: each, size }) => ({
      digest: each,
      size,
    }));
    if (known.size >= MAX_MANIFESTS) known.clear();
    known.set(digest, pieces);
    return pieces;
  }

  return {
    async of(repository: string): Promise<ReadonlyMap<Digest, number>> {
      const held = new Map<Digest, number>();
      for await (const digest of links.manifests.list(ctx, repository)) {
        for (const piece of await piecesOf(digest)) held.set(piece.digest, piece.size);
      }
      return held;
    },
  };
}

const sum = (sizes: Iterable<number>): number =>
  [...sizes].reduce((total, size) => total + size, 0);

interface Excess {
  readonly repository: string;
  readonly limit: number;
  readonly used: number;
  readonly bytes: number;
}

function exceeded({ repository, limit, used, bytes }: Excess): WireError {
  const message =
    `The quota of "${repository}" is ${formatBytes(limit)}: it holds ${formatBytes(used)}, ` +
    `and this needs ${formatBytes(bytes)} more`;
  const detail = { quotaBytes: limit, usedBytes: used, neededBytes: bytes };
  return new WireError('DENIED', message, { detail });
}
