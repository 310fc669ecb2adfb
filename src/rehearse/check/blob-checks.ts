import type { Context } from '../../core/context.ts';
import { AtollError, messageOf } from '../../core/errors.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { verified } from '../../oci/verify.ts';
import type { Repository } from '../../remote/registries.ts';

export type Depth = 'head' | 'full';

/** What became of one blob. */
export type BlobState =
  | { readonly state: 'good' }
  | { readonly state: 'missing' }
  | { readonly state: 'damaged'; readonly words: string }
  | { readonly state: 'refused'; readonly error: unknown };

export interface CheckedBytes {
  readonly blobs: number;
  readonly downloadedBytes: number;
}

const GOOD: BlobState = { state: 'good' };
const ABSENT = new Set<string>(['IMAGE_UNKNOWN', 'CONTENT_MISSING']);

/**
 * Looks at blobs, each once per repository; with `full` the bytes of each are read and compared with
 * the digest, once per registry, since a registry keeps them once.
 */
export class BlobChecks {
  readonly #depth: Depth;
  readonly #seen = new Map<string, Promise<BlobState>>();
  readonly #read = new Map<string, Promise<BlobState>>();
  #downloadedBytes = 0;

  constructor(depth: Depth) {
    this.#depth = depth;
  }

  get totals(): CheckedBytes {
    const digests = new Set([...this.#seen.keys()].map((key) => key.slice(key.indexOf('@') + 1)));
    return { blobs: digests.size, downloadedBytes: this.#downloadedBytes };
  }

  check(ctx: Context, repository: Repository, blob: Descriptor): Promise<BlobState> {
    const key = `${repository.registry}/${repository.repository}@${blob.digest}`;
    return once(this.#seen, key, () => this.#look(ctx, repository, blob));
  }

  async #look(ctx: Context, repository: Repository, blob: Descriptor): Promise<BlobState> {
    const head = await this.#head(ctx, repository, blob);
    if (head.state !== 'good' || this.#depth === 'head') return head;
    const key = `${repository.registry}@${blob.digest}`;
    const read = await once(this.#read, key, () => this.#download(ctx, repository, blob));
    return read.state === 'missing' ? withheld(blob) : read;
  }

  async #head(ctx: Context, repository: Repository, blob: Descriptor): Promise<BlobState> {
    try {
      // Neither there nor as long as it should be: reading it tells which.
      return (await repository.has(ctx, blob)) ? GOOD : await this.#download(ctx, repository, blob);
    } catch (error) {
      ctx.signal.throwIfAborted();
      return wasAnswered(error) ? await this.#open(ctx, repository, blob) : stateOf(ctx, error);
    }
  }

  /** Nodes never send HEAD: a registry that refuses it may still serve the GET. */
  async #open(ctx: Context, repository: Repository, blob: Descriptor): Promise<BlobState> {
    try {
      (await repository.openBlob(ctx, blob)).cancel();
      return GOOD;
    } catch (error) {
      return stateOf(ctx, error);
    }
  }

  async #download(ctx: Context, repository: Repository, blob: Descriptor): Promise<BlobState> {
    try {
      for await (const chunk of verified(blob, repository.blob(ctx, blob))) {
        this.#downloadedBytes += chunk.length;
      }
      return GOOD;
    } catch (error) {
      return stateOf(ctx, error);
    }
  }
}

/** A registry that notices damage while it serves a blob moves it away: announced, never given. */
function withheld({ digest }: Descriptor): BlobState {
  return { state: 'damaged', words: `${digest} is announced, but cannot be read to its end` };
}

const wasAnswered = (error: unknown) =>
  error instanceof AtollError && error.details.status !== undefined;

function stateOf(ctx: Context, error: unknown): BlobState {
  ctx.signal.throwIfAborted();
  const code = error instanceof AtollError ? error.code : '';
  if (ABSENT.has(code)) return { state: 'missing' };
  if (code === 'CONTENT_MISMATCH') return { state: 'damaged', words: messageOf(error) };
  return { state: 'refused', error };
}

function once<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const running = known.get(key) ?? make();
  known.set(key, running);
  return running;
}
