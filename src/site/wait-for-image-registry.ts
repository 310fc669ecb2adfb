import type { Context } from '../core/context.ts';
import { AtollError, isTransient } from '../core/errors.ts';
import { sleep } from '../core/retry.ts';
import type { Registries } from '../remote/registries.ts';

const PATIENCE_MS = 30_000;
const LOOK_AGAIN_MS = 50;

export interface RegistryWait {
  readonly patienceMs?: number | undefined;
  /** Why it will never answer; undefined while it still may. */
  readonly ended?: (() => Promise<AtollError | undefined>) | undefined;
}

/** Waits until a registry answers a question about content, credentials and all. */
export async function waitForImageRegistry(
  ctx: Context,
  registries: Pick<Registries, 'repository'>,
  host: string,
  { patienceMs = PATIENCE_MS, ended }: RegistryWait = {},
): Promise<void> {
  const deadline = ctx.now().getTime() + patienceMs;
  for (;;) {
    try {
      await registries.repository(host, 'atoll/probe').resolve(ctx, 'none');
      return;
    } catch (error) {
      if (error instanceof AtollError && error.code === 'IMAGE_UNKNOWN') return;
      if (!isTransient(error) || ctx.now().getTime() > deadline) throw error;
    }
    const end = await ended?.();
    if (end) throw end;
    await sleep(ctx, LOOK_AGAIN_MS);
  }
}
