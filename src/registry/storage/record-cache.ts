import type { Context } from '../../core/context.ts';
import type { Records, StampedRecords } from '../../store/store.ts';

interface Kept {
  readonly stamp: string;
  readonly value: unknown;
}

const isAnnotated = (value: unknown): boolean =>
  value !== null && typeof value === 'object' && 'annotations' in value;

/** Records of which some may be in memory. */
export interface CachedRecords extends Records {
  /** At once: what is in memory and still true; undefined for what has to be read. */
  recall?(key: string): unknown;
}

const isStamped = (records: Records): records is StampedRecords => 'stamp' in records;

/**
 * Reads records from memory as long as their stamp says that nobody, in this process or another,
 * has written them since. Records without stamps are read every time, and so are those that can be
 * large: descriptors with annotations, which another registry or an older version made.
 */
export function cachedRecords(records: Records, maxEntries = 20_000): CachedRecords {
  if (!isStamped(records)) return records;
  const kept = new Map<string, Kept>();

  async function load(ctx: Context, key: string, stamp: string): Promise<unknown> {
    const value = await records.get(ctx, key);
    // Stamped before it was read: if it changed in between, the next look reads it again.
    if (value !== undefined && !isAnnotated(value)) kept.set(key, { stamp, value });
    if (kept.size > maxEntries) kept.delete(kept.keys().next().value ?? '');
    return value;
  }

  return {
    recall(key) {
      const known = kept.get(key);
      return known && records.stamp(key) === known.stamp ? known.value : undefined;
    },
    get(ctx, key) {
      const stamp = records.stamp(key);
      const known = kept.get(key);
      if (stamp !== undefined && known?.stamp === stamp) return Promise.resolve(known.value);
      kept.delete(key);
      return stamp === undefined ? Promise.resolve(undefined) : load(ctx, key, stamp);
    },
    put: (ctx, key, value) => records.put(ctx, key, value),
    remove: (ctx, key) => records.remove(ctx, key),
    list: (ctx, prefix, after) => records.list(ctx, prefix, after),
  };
}
