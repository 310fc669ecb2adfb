import type { Context } from '../core/context.ts';
import type { RetryPolicy } from '../core/retry.ts';
import type { HttpOptions } from '../http/options.ts';
import type { Source, SourceAbilities, Target, TargetAbilities } from '../oci/content.ts';
import type { Digest } from '../oci/digest.ts';
import type { Reference } from '../oci/reference.ts';
import type { PullEndpoint } from '../oci/registries/match.ts';
import type { Limiter } from './client/limiter.ts';
import type { TuningOptions } from './client/tuning.ts';

/** How registries are reached: the usual files, or the ones named here. */
export interface RegistryOptions extends HttpOptions {
  /** Auth file that wins over all others. */
  readonly authfile?: string | undefined;
  /** `registries.conf` to use instead of the system's. */
  readonly registriesConf?: string | undefined;
  /** Folder to use instead of the usual `registries.d`. */
  readonly registriesD?: string | undefined;
  /**
   * As strict as a container runtime: `/v2/` must answer 200 or 401, and credentials are shown only
   * where it asked for them.
   */
  readonly asNode?: boolean | undefined;
  /** Ask a registry for every blob before believing that it has an image. */
  readonly verifyTarget?: boolean | undefined;
  /** Timeouts, attempts and sizes that differ from the defaults. */
  readonly tuning?: TuningOptions | undefined;
}

/** One repository of one registry, exactly there: no mirrors, no rewriting. */
export interface Repository
  extends Source,
    Target,
    Required<SourceAbilities>,
    Required<Pick<TargetAbilities, 'mount' | 'putBlobFrom'>> {
  readonly can: SourceAbilities & TargetAbilities;
  readonly registry: string;
  readonly repository: string;
  /** Removes a manifest by digest, or a tag; false when it was not there. */
  remove(ctx: Context, tagOrDigest: string): Promise<boolean>;
  removeBlob(ctx: Context, digest: Digest): Promise<boolean>;
}

/** Reads as a node pulls: the endpoint that has the manifest serves everything else too. */
export interface PullSource extends Source, Required<SourceAbilities> {
  /** `host/repository` that answered last; undefined before the first answer. */
  readonly endpoint: string | undefined;
}

/** All registries of one run: connections, tokens and limits are shared within it. */
export interface Registries {
  repository(registry: string, repository: string): Repository;
  /** The repository of one endpoint that `registries.conf` leads to, with its `insecure`. */
  at(endpoint: Pick<PullEndpoint, 'reference' | 'insecure'>): Repository;
  /** Reads through `registries.conf`: rewriting, mirrors in order, blocked. */
  source(reference: Reference): PullSource;
  /** Where `registries.d` says that GPG signatures of an image lie: a URL up to its digest. */
  lookaside(reference: Reference): Promise<string | undefined>;
  /** The repositories that a registry lists for this login; not every registry has a list. */
  catalog(ctx: Context, registry: string): AsyncIterable<string>;
  /** The limit of concurrent requests to this registry: halved by a 429, then growing back. */
  limiter(registry: string): Limiter;
  /** How everything that is tried again here is tried again. */
  readonly retry: RetryPolicy;
  close(): Promise<void>;
}
