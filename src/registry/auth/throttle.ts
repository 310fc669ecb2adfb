import type { Context } from '../../core/context.ts';

/** Lets an address fail now and then, but not often. */
export interface Throttle {
  /** Seconds to wait before the next try, or 0 when it may try now. */
  waitSeconds(address: string): number;
  /** Whether it has failed lately. */
  isSuspect(address: string): boolean;
  failed(address: string): void;
}

const BURST = 10;
const SECONDS_PER_TRY = 3;
const MAX_ADDRESSES = 10_000;

/** A bucket of tries per address that fills up again slowly. */
export function createThrottle(ctx: Pick<Context, 'now'>): Throttle {
  const spent = new Map<string, { readonly tries: number; readonly at: number }>();

  const spentNow = (address: string, now: number) => {
    const known = spent.get(address);
    if (!known) return 0;
    return Math.max(0, known.tries - (now - known.at) / 1000 / SECONDS_PER_TRY);
  };

  return {
    waitSeconds(address) {
      const over = spentNow(address, ctx.now().getTime()) - (BURST - 1);
      return over <= 0 ? 0 : Math.ceil(over * SECONDS_PER_TRY);
    },
    isSuspect: (address) => spentNow(address, ctx.now().getTime()) > 0,
    failed(address) {
      const now = ctx.now().getTime();
      const tries = spentNow(address, now) + 1;
      spent.delete(address);
      spent.set(address, { tries, at: now });
      if (spent.size > MAX_ADDRESSES) spent.delete(spent.keys().next().value ?? '');
    },
  };
}
