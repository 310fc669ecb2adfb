import type { Context } from '../core/context.ts';
import { ApiClient, type ClientOptions } from './api/client.ts';
import { readKubeconfig } from './api/kubeconfig.ts';
import { Resources } from './api/resources.ts';

export interface ConnectOptions extends ClientOptions {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
}

/** Opens the API of a cluster for some work, and closes it whatever happens. */
export async function withCluster<T>(
  ctx: Context,
  { kubeconfig, context, ...options }: ConnectOptions,
  work: (resources: Resources) => Promise<T>,
): Promise<T> {
  const access = await readKubeconfig(kubeconfig, { context, now: ctx.now() });
  const client = new ApiClient(access, options);
  try {
    return await work(new Resources(client));
  } finally {
    client.close();
  }
}
