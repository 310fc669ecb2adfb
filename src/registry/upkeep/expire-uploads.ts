import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import type { Store } from '../../store/store.ts';

const LOOK_MS = 3_600_000;

/** Drops uploads that nobody has continued for a long time, every hour until closed. */
export function expireUploads(ctx: Context, store: Store, expiryMs: number): { close(): void } {
  const timer = setInterval(() => {
    removeIdleUploads(ctx, store, expiryMs).catch((error: unknown) => {
      const message = `Cannot remove old uploads: ${messageOf(error)}`;
      ctx.emit({ type: 'warning.raised', message, subject: 'registry' });
    });
  }, LOOK_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** Returns how many were dropped. */
export async function removeIdleUploads(
  ctx: Context,
  store: Store,
  expiryMs: number,
): Promise<number> {
  let removed = 0;
  for await (const { id, idleSince } of store.uploads.list(ctx)) {
    if (ctx.now().getTime() - idleSince.getTime() < expiryMs) continue;
    if (await store.uploads.cancel(ctx, id)) removed += 1;
  }
  return removed;
}
