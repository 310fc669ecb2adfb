import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { Response } from '../../../http/response.ts';
import type { OpenRequest } from '../../../http/transport.ts';
import type { BulkSource } from '../../../oci/bulk.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { mismatch } from '../../../oci/verify.ts';
import { pushing } from '../../client/auth/scope.ts';
import type { RegistryRequest } from '../../client/registry-client.ts';
import { type RepositoryClient, subjectAt } from '../repository-client.ts';
import { afterPart, type Session } from './upload-session.ts';

export interface PartsJob {
  readonly repo: RepositoryClient;
  readonly blob: Descriptor;
  readonly from: BulkSource;
  /** Sees every byte before it goes out. */
  readonly check: {
    take(chunk: Uint8Array, offset: number): void;
    finish(): void;
  };
  readonly session: Session;
  /** Infinity sends the rest in one request. */
  readonly partBytes: number;
  readonly onSession: (session: Session) => void;
  readonly onBytes: (bytes: number) => void;
}

/** Writes under way in one request: one is sent while the next is read. Each holds a read buffer. */
const WINDOW = 2;

/** Streams the blob from the session's offset to its end: GET, hash, PUT, in one pass. */
export async function sendParts(ctx: Context, job: PartsJob): Promise<void> {
  const sender = new PartSender(ctx, job);
  const download = await job.from.openBlob(ctx, job.blob, job.session.offset);
  try {
    await sender.begin();
    const window = job.partBytes === Number.POSITIVE_INFINITY ? WINDOW : 1;
    await download.pump(ctx, (chunk) => sender.take(chunk), window);
    job.check.finish();
    await sender.finish();
  } catch (error) {
    download.cancel();
    throw await sender.explain(error);
  }
}

interface Part {
  readonly request: OpenRequest;
  readonly sent: RegistryRequest;
  readonly end: number;
  readonly last: boolean;
}

class PartSender {
  readonly #ctx: Context;
  readonly #job: PartsJob;
  #session: Session;
  #part: Part | undefined;
  #position: number;

  constructor(ctx: Context, job: PartsJob) {
    this.#ctx = ctx;
    this.#job = job;
    this.#session = job.session;
    this.#position = job.session.offset;
  }

  async begin(): Promise<void> {
    this.#part = await this.#open();
  }

  take(chunk: Uint8Array): Promise<void> {
    this.#job.check.take(chunk, this.#position);
    const part = this.#part;
    if (part?.last) return this.#write(part, chunk);
    return this.#split(chunk);
  }

  async finish(): Promise<void> {
    const part = this.#part;
    if (!part) throw new Error('An upload ends with a part');
    const response = await part.request.finish();
    this.#part = undefined;
    await this.#expectTaken(part, response);
    await response.discard();
  }

  /** What really went wrong: an early answer of the registry says more than the cut that follows. */
  async explain(error: unknown): Promise<unknown> {
    const part = this.#part;
    this.#part = undefined;
    if (!part) return error;
    if (!part.request.answered) {
      part.request.abort(error);
      return error;
    }
    try {
      const response = await part.request.finish();
      await this.#expectTaken(part, response);
      response.cancel();
      return this.#lost('it answered before it had all of it');
    } catch (answer) {
      return answer;
    }
  }

  #write(part: Part, chunk: Uint8Array): Promise<void> {
    this.#position += chunk.length;
    this.#job.onBytes(chunk.length);
    return part.request.write(chunk);
  }

  async #split(chunk: Uint8Array): Promise<void> {
    let rest = chunk;
    while (rest.length > 0) {
      this.#part ??= await this.#open();
      const part = this.#part;
      const piece = rest.subarray(0, part.end - this.#position);
      rest = rest.subarray(piece.length);
      await this.#write(part, piece);
      if (this.#position === part.end && !part.last) await this.#close(part);
    }
  }

  async #open(): Promise<Part> {
    const { repo, blob, partBytes } = this.#job;
    const start = this.#position;
    const end = Math.min(blob.size, start + partBytes);
    const last = end === blob.size;
    const whole = start === 0 && last;
    const sent: RegistryRequest = {
      method: last ? 'PUT' : 'PATCH',
      target: last ? withDigest(this.#session.location, blob) : this.#session.location,
      headers: {
        'content-type': 'application/octet-stream',
        ...(whole ? {} : { 'content-range': `${start}-${end - 1}` }),
      },
      scopes: [pushing(repo.repository)],
    };
    const request = await repo.client.open(this.#ctx, sent, end - start);
    return { request, sent, end, last };
  }

  async #close(part: Part): Promise<void> {
    const { repo, onSession } = this.#job;
    const response = await part.request.finish();
    this.#part = undefined;
    await this.#expectTaken(part, response);
    await response.discard();
    this.#session = await afterPart(this.#ctx, repo, this.#session, response, part.end);
    onSession(this.#session);
    if (this.#session.offset !== part.end) throw this.#lost(`it has ${this.#session.offset} bytes`);
  }

  async #expectTaken(part: Part, response: Response): Promise<void> {
    const { repo, blob } = this.#job;
    await repo.client.noteAnswer(this.#ctx, response, part.sent);
    if (response.ok) return;
    const error = await repo.client.refuse(response, subjectAt(repo, 'write', blob.digest));
    throw this.#translate(error);
  }

  /** Some refusals of an upload mean something else than they do elsewhere. */
  #translate(error: AtollError): AtollError {
    const { status, registryCode } = error.details;
    if (registryCode === 'DIGEST_INVALID') return mismatch(this.#job.blob, error.message);
    if (status === 404 || status === 416) return this.#lost(error.message);
    if (status !== 401) return error;
    return new AtollError('TOKEN_EXPIRED', error.message, {
      hint: error.hint,
      details: error.details,
    });
  }

  #lost(found: string): AtollError {
    const { registry } = this.#job.repo.client;
    const what = `Cannot go on writing ${this.#job.blob.digest} to ${registry}: ${found}`;
    return new AtollError('REGISTRY_UNAVAILABLE', what, {
      details: { registry, repository: this.#job.repo.repository },
    });
  }
}

/** The session's URL may carry a query of its own, which has to stay. */
function withDigest(location: URL, blob: Descriptor): URL {
  const url = new URL(location);
  url.searchParams.set('digest', blob.digest);
  return url;
}
