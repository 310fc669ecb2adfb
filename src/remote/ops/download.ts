import type { ChunkSink } from '../../core/chunk-sink.ts';
import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { deferred } from '../../http/deferred.ts';
import type { Response } from '../../http/response.ts';
import type { BlobDownload } from '../../oci/bulk.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { mismatch } from '../../oci/verify.ts';
import { pulling } from '../client/auth/scope.ts';
import { nameOf } from '../client/refusal.ts';
import { type RepositoryClient, subjectAt } from './repository-client.ts';

/** After so many new bytes a cut counts as the first one again. */
const PROGRESS_BYTES = 64 * 1024;

/** Asks for a blob from `offset` on; resolves when the answer has begun. */
export async function openDownload(
  ctx: Context,
  repo: RepositoryClient,
  blob: Descriptor,
  offset: number,
): Promise<BlobDownload> {
  if (offset > 0 && offset >= blob.size) return NOTHING_LEFT;
  const answer = await repo.client.attempt(ctx, subjectAt(repo, 'read', blob.digest), () =>
    ask(ctx, repo, blob, offset),
  );
  return new Download(repo, blob, offset, answer);
}

const NOTHING_LEFT: BlobDownload = {
  size: 0,
  pump: () => Promise.resolve(),
  cancel: () => undefined,
};

interface Answer {
  readonly response: Response;
  /** Bytes at the start that we have already: the server does not do ranges. */
  readonly skip: number;
}

class Download implements BlobDownload {
  readonly size: number;
  readonly #repo: RepositoryClient;
  readonly #blob: Descriptor;
  #position: number;
  /** The position up to which progress has been rewarded with more attempts. */
  #rewarded: number;
  #answer: Answer | undefined;
  /** Another request does not help: it was cancelled, or the content is wrong. */
  #hopeless = false;
  #current: Response | undefined;

  constructor(repo: RepositoryClient, blob: Descriptor, offset: number, answer: Answer) {
    this.size = blob.size - offset;
    this.#repo = repo;
    this.#blob = blob;
    this.#position = offset;
    this.#rewarded = offset;
    this.#answer = answer;
  }

  async pump(ctx: Context, sink: ChunkSink, window = 1): Promise<void> {
    const subject = subjectAt(this.#repo, 'read', this.#blob.digest);
    await this.#repo.client.attempt(ctx, subject, () => this.#drain(ctx, sink, window), {
      // The sink's own errors are not about this registry, and pass unchanged.
      isFinal: () => this.#hopeless || this.#current?.refused === true,
      hasProgressed: () => this.#hasProgressed(),
    });
  }

  cancel(): void {
    this.#hopeless = true;
    this.#answer?.response.cancel();
    this.#current?.cancel();
  }

  #hasProgressed(): boolean {
    if (this.#position - this.#rewarded < PROGRESS_BYTES) return false;
    this.#rewarded = this.#position;
    return true;
  }

  async #drain(ctx: Context, sink: ChunkSink, window: number): Promise<void> {
    if (this.#hopeless) throw new Error('The download was cancelled');
    const { response, skip } =
      this.#answer ?? (await ask(ctx, this.#repo, this.#blob, this.#position));
    this.#answer = undefined;
    this.#current = response;
    let ignore = skip;
    await response.pump((chunk) => {
      const old = Math.min(ignore, chunk.length);
      ignore -= old;
      return old === chunk.length ? undefined : this.#take(chunk.subarray(old), sink);
    }, window);
    if (this.#position < this.#blob.size) throw this.#short();
  }

  #take(chunk: Uint8Array, sink: ChunkSink): void | Promise<void> {
    const { size } = this.#blob;
    if (this.#position + chunk.length > size) {
      this.#hopeless = true;
      throw mismatch(this.#blob, `more than ${size} bytes`);
    }
    this.#position += chunk.length;
    return sink(chunk);
  }

  #short(): AtollError {
    const { digest, size } = this.#blob;
    const name = nameOf(subjectAt(this.#repo, 'read', digest));
    const found = `it ended after ${this.#position} of ${size} bytes`;
    return new AtollError('REGISTRY_UNAVAILABLE', `Cannot read ${name}: ${found}`, {
      details: {
        registry: this.#repo.client.registry,
        repository: this.#repo.repository,
        digest,
      },
    });
  }
}

async function ask(
  ctx: Context,
  repo: RepositoryClient,
  blob: Descriptor,
  offset: number,
): Promise<Answer> {
  const response = await repo.client.send(ctx, {
    method: 'GET',
    target: `${repo.repository}/blobs/${blob.digest}`,
    headers: offset > 0 ? { range: `bytes=${offset}-` } : {},
    scopes: [pulling(repo.repository)],
  });
  if (response.status === 416) {
    await response.discard();
    throw mismatch(blob, `no bytes after ${offset} of ${blob.size}`);
  }
  if (response.status !== 200 && response.status !== 206) {
    throw await repo.client.refuse(response, subjectAt(repo, 'read', blob.digest));
  }
  const skip = response.status === 206 ? 0 : offset;
  const wrong = wrongLength(response, blob, offset);
  if (wrong === undefined) return { response, skip };
  response.cancel();
  throw mismatch(blob, wrong);
}

/** What the head of the answer says that cannot be right, before a byte is read. */
function wrongLength(response: Response, { size }: Descriptor, offset: number): string | undefined {
  const partial = response.status === 206;
  const told = response.headers['content-length'];
  const expected = partial ? size - offset : size;
  if (told !== undefined && Number(told) !== expected)
    return `${told} instead of ${expected} bytes`;
  if (!partial) return undefined;
  const range = /^bytes (\d+)-(\d+)\/(\d+|\*)$/.exec(response.headers['content-range'] ?? '');
  if (range && Number(range[1]) === offset && Number(range[2]) === size - 1) return undefined;
  return `the range "${response.headers['content-range'] ?? ''}" instead of ${offset}-${size - 1}`;
}

/** The same bytes as an iterable, in memory of their own: for consumers that keep chunks. */
export async function* iterate(ctx: Context, download: BlobDownload): AsyncGenerator<Uint8Array> {
  let offered = deferred<Uint8Array | undefined>();
  let taken = deferred<void>();
  const pumping = download.pump(ctx, (chunk) => {
    offered.resolve(Buffer.from(chunk));
    return taken.promise;
  });
  pumping.then(
    () => offered.resolve(undefined),
    (error: unknown) => {
      // The consumer may have stopped reading: the failure must not be unhandled.
      offered.promise.catch(() => undefined);
      offered.reject(error);
    },
  );
  try {
    for (let chunk = await offered.promise; chunk; chunk = await offered.promise) {
      yield chunk;
      const accept = taken.resolve;
      offered = deferred();
      taken = deferred();
      accept();
    }
  } finally {
    download.cancel();
    taken.resolve();
  }
}
