import { onTestFinished } from 'vitest';
import {
  type EmbeddedRegistry,
  type EmbeddedRegistryOptions,
  startEmbeddedRegistry,
} from './embedded-registry.ts';
import { type RegistryHttp, registryHttp } from './registry-http.ts';

/** Our own registry for one test: it stops with it, and comes with a client of plain HTTP. */
export async function serveForTest(
  options: EmbeddedRegistryOptions = {},
): Promise<EmbeddedRegistry & { readonly http: RegistryHttp }> {
  const registry = await startEmbeddedRegistry(options);
  onTestFinished(registry.stop);
  return { ...registry, http: registryHttp(registry.url) };
}
