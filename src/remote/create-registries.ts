import type { Context } from '../core/context.ts';
import type { RetryPolicy } from '../core/retry.ts';
import { createServerRoutes } from '../http/server-routes.ts';
import { Transport } from '../http/transport.ts';
import { type Reference, repositoryName } from '../oci/reference.ts';
import { endpointRules, type PullEndpoint } from '../oci/registries/match.ts';
import type { RegistriesConf } from '../oci/registries/model.ts';
import {
  lookasideOf,
  type SignaturePlaces,
  withoutAttachments,
} from '../oci/registries/signature-places.ts';
import { createLimiter, type Limiter } from './client/limiter.ts';
import { RegistryClient } from './client/registry-client.ts';
import { type Tuning, tuned } from './client/tuning.ts';
import { type AuthLookup, loadAuthFiles } from './config/auth-file.ts';
import { loadRegistriesConf } from './config/load-registries-conf.ts';
import { loadSignaturePlaces } from './config/load-signature-places.ts';
import { listRepositories } from './ops/lists.ts';
import { blockedError, MirroredSource } from './pull-source.ts';
import type { PullSource, Registries, RegistryOptions, Repository } from './registries.ts';
import { RemoteRepository } from './repository.ts';

/** A client of registries. Files are read and connections made on first use. */
export function createRegistries(options: RegistryOptions = {}): Registries {
  return new OpenRegistries(options);
}

class OpenRegistries implements Registries {
  readonly #options: RegistryOptions;
  readonly #tuning: Tuning;
  readonly #transport: Transport;
  readonly #clients = new Map<string, RegistryClient>();
  readonly #limiters = new Map<string, Limiter>();
  /** The same for all who ask: many images share a repository. */
  readonly #repositories = new Map<string, Repository>();
  #confLoading: Promise<RegistriesConf> | undefined;
  #authLoading: Promise<AuthLookup> | undefined;
  #placesLoading: Promise<SignaturePlaces> | undefined;
  /** Files of `registries.d` and repositories that were told about. */
  readonly #told = new Set<string>();

  constructor(options: RegistryOptions) {
    this.#options = options;
    this.#tuning = tuned(options.tuning);
    this.#transport = new Transport(createServerRoutes(options), this.#tuning);
  }

  repository(registry: string, repository: string): Repository {
    const name = `${registry}/${repository}`;
    const open = async () => {
      const { insecure, blocked } = endpointRules(await this.#conf(), name);
      if (blocked) throw blockedError('reach', { registry, repository }, [name]);
      return this.#client(registry, insecure);
    };
    const { verifyTarget } = this.#options;
    return this.#once(name, () => new RemoteRepository(registry, repository, open, verifyTarget));
  }

  at({ reference, insecure }: Pick<PullEndpoint, 'reference' | 'insecure'>): Repository {
    const { registry, repository } = reference;
    const open = async () => this.#client(registry, insecure);
    const key = `at ${registry}/${repository}${insecure ? ' insecure' : ''}`;
    return this.#once(key, () => new RemoteRepository(registry, repository, open));
  }

  #once(key: string, make: () => Repository): Repository {
    const known = this.#repositories.get(key) ?? make();
    this.#repositories.set(key, known);
    return known;
  }

  source(reference: Reference): PullSource {
    return new MirroredSource(reference, {
      conf: () => this.#conf(),
      open: (endpoint) => this.at(endpoint),
      hasAttachments: (ctx) => this.#hasAttachments(ctx, reference),
    });
  }

  async lookaside(reference: Reference): Promise<string | undefined> {
    return lookasideOf(await this.#places(), reference);
  }

  async *catalog(ctx: Context, registry: string): AsyncGenerator<string> {
    const { insecure, blocked } = endpointRules(await this.#conf(), registry);
    if (blocked) throw blockedError('reach', { registry, repository: '' }, [registry]);
    yield* listRepositories(ctx, this.#client(registry, insecure));
  }

  limiter(registry: string): Limiter {
    const known = this.#limiters.get(registry) ?? createLimiter(this.#tuning.maxRequests);
    this.#limiters.set(registry, known);
    return known;
  }

  get retry(): RetryPolicy {
    return this.#tuning.retry;
  }

  async close(): Promise<void> {
    this.#transport.close();
  }

  /** `insecure` is per endpoint in registries.conf, so the same host may have a strict client too. */
  #client(registry: string, insecure: boolean): RegistryClient {
    const lax = insecure || this.#isInsecure(registry);
    const key = `${registry}${lax ? ' insecure' : ''}`;
    const known = this.#clients.get(key);
    if (known) return known;
    const client = new RegistryClient({
      registry,
      transport: this.#transport,
      limiter: this.limiter(registry),
      tuning: this.#tuning,
      asNode: this.#options.asNode,
      // An unverified registry can redirect anywhere, so verifying the target would add nothing.
      isInsecure: (host) => lax || this.#isInsecure(host),
      credentialFor: async (repository) => (await this.#auth()).credentialFor(registry, repository),
    });
    this.#clients.set(key, client);
    return client;
  }

  #isInsecure(host: string): boolean {
    const { insecure } = this.#options;
    return Array.isArray(insecure) ? insecure.includes(host) : insecure === true;
  }

  /** What `registries.d` switches off is not looked for, which is told once for each repository. */
  async #hasAttachments(ctx: Context, reference: Reference): Promise<boolean> {
    const file = withoutAttachments(await this.#places(), reference);
    if (file === undefined) return true;
    const name = repositoryName(reference);
    if (this.#told.has(name)) return false;
    this.#told.add(name);
    const message = `Signatures of ${name} are not looked for: "${file}" says use-sigstore-attachments: false`;
    ctx.emit({ type: 'note.added', message });
    return false;
  }

  #places(): Promise<SignaturePlaces> {
    this.#placesLoading ??= loadSignaturePlaces(this.#options);
    return this.#placesLoading;
  }

  #conf(): Promise<RegistriesConf> {
    this.#confLoading ??= loadRegistriesConf(this.#options);
    return this.#confLoading;
  }

  #auth(): Promise<AuthLookup> {
    this.#authLoading ??= this.#conf().then(({ credentialHelpers }) =>
      loadAuthFiles({ ...this.#options, credentialHelpers }),
    );
    return this.#authLoading;
  }
}
