import type { Context } from '../../../core/context.ts';
import { AtollError } from '../../../core/errors.ts';
import type { BulkSource, Transfer, TransferOptions } from '../../../oci/bulk.ts';
import type { Descriptor } from '../../../oci/descriptor.ts';
import { hasBlob } from '../blobs.ts';
import { type RepositoryClient, subjectAt } from '../repository-client.ts';
import { ContentCheck } from './content-check.ts';
import { sendParts } from './upload-parts.ts';
import { openSession, rememberedSession, type Session, sessionStatus } from './upload-session.ts';

export interface UploadOptions extends TransferOptions {
  /** The source can be opened only once, so a failure after that is final. */
  readonly once?: boolean | undefined;
}

/** Makes sure that the repository has a blob: found, mounted or sent; whole or not at all. */
export async function upload(
  ctx: Context,
  repo: RepositoryClient,
  blob: Descriptor,
  from: BulkSource,
  options: UploadOptions = {},
): Promise<Transfer> {
  const job = new Upload(repo, blob, from, options);
  const subject = subjectAt(repo, 'write', blob.digest);
  return await repo.client.attempt(ctx, subject, (attempt) => job.run(ctx, attempt), {
    isFinal: () => job.isSpent,
  });
}

const SMALLEST_PART = 512 * 1024;

class Upload {
  readonly #repo: RepositoryClient;
  readonly #blob: Descriptor;
  readonly #from: BulkSource;
  readonly #options: UploadOptions;
  #session: Session | undefined;
  #check: ContentCheck;
  #partBytes = Number.POSITIVE_INFINITY;
  #reported = 0;
  #started = false;
  #isLast = false;

  constructor(repo: RepositoryClient, blob: Descriptor, from: BulkSource, options: UploadOptions) {
    this.#repo = repo;
    this.#blob = blob;
    this.#from = from;
    this.#options = options;
    this.#check = new ContentCheck(blob);
  }

  /** Whether the source was opened and cannot be opened again. */
  get isSpent(): boolean {
    return this.#options.once === true && this.#started;
  }

  async run(ctx: Context, attempt: number): Promise<Transfer> {
    this.#isLast = attempt >= this.#repo.client.tuning.retry.attempts;
    try {
      return await this.#try(ctx);
    } catch (error) {
      if (error instanceof AtollError && error.code === 'CONTENT_MISMATCH') this.#startOver();
      throw error;
    }
  }

  async #try(ctx: Context): Promise<Transfer> {
    const session =
      (await this.#continued(ctx)) ?? (await this.#remembered(ctx)) ?? (await this.#opened(ctx));
    if (typeof session === 'string') return session;
    this.#session = session;
    this.#options.memory?.remember(session.location.href);
    this.#report(session.offset);
    this.#started = true;
    for (;;) {
      try {
        await this.#send(ctx);
        this.#options.memory?.remember(undefined);
        return 'copied';
      } catch (error) {
        if (!this.#canShrink(error)) throw error;
        await this.#restart(ctx);
      }
    }
  }

  /** After a failure: the upload where the registry says it stands, if it still knows it. */
  async #continued(ctx: Context): Promise<Session | Transfer | undefined> {
    const session = this.#session;
    if (!session) return undefined;
    // From now on in parts: the next failure then costs no more than one.
    this.#partBytes = Math.min(this.#partBytes, this.#repo.client.tuning.partBytes);
    const status = await this.#found(ctx, sessionStatus(ctx, this.#repo, session));
    this.#session = undefined;
    const { position } = this.#check;
    const usable = status && status.offset > 0 && status.offset <= position;
    if (usable && status.offset < this.#blob.size) return status;
    this.#check = new ContentCheck(this.#blob);
    return position === this.#blob.size ? await this.#taken(ctx) : undefined;
  }

  /** The registry may have stored the blob although its answer was lost, for example by a proxy's timeout. */
  async #taken(ctx: Context): Promise<Transfer | undefined> {
    const { absent, memory } = this.#options;
    if (absent || !(await hasBlob(ctx, this.#repo, this.#blob))) return undefined;
    memory?.remember(undefined);
    return 'copied';
  }

  /** An upload that an earlier process left behind, once what it sent has been hashed again. */
  async #remembered(ctx: Context): Promise<Session | undefined> {
    const location = this.#started ? undefined : this.#options.memory?.location;
    if (location === undefined) return undefined;
    const session = await this.#found(ctx, rememberedSession(ctx, this.#repo, location));
    if (!session || session.offset === 0 || session.offset >= this.#blob.size) return undefined;
    await this.#replay(ctx, session.offset);
    return session;
  }

  /** Retries a failed status request; on the last attempt a new upload is opened instead. */
  async #found(ctx: Context, asking: Promise<Session | undefined>): Promise<Session | undefined> {
    try {
      return await asking;
    } catch (error) {
      if (ctx.signal.aborted || !this.#isLast) throw error;
      return undefined;
    }
  }

  async #replay(ctx: Context, end: number): Promise<void> {
    const download = await this.#from.openBlob(ctx, this.#blob, 0);
    const seenAll = new Error('The rest is not needed');
    this.#check = new ContentCheck(this.#blob);
    try {
      await download.pump(ctx, (chunk) => {
        const { position } = this.#check;
        this.#check.take(chunk.subarray(0, end - position), position);
        if (this.#check.position >= end) throw seenAll;
      });
    } catch (error) {
      if (error !== seenAll) throw error;
    } finally {
      download.cancel();
    }
  }

  async #opened(ctx: Context): Promise<Session | Transfer> {
    const { mountFrom, absent } = this.#options;
    if (this.#started || absent) return await this.#plain(ctx);
    if (mountFrom !== undefined) {
      const opened = await openSession(ctx, this.#repo, this.#blob, mountFrom);
      if (opened) return opened === 'present' ? 'mounted' : opened.session;
    }
    return await this.#asked(ctx);
  }

  /** Mounting a blob from its own repository asks for it and opens the upload in one request. */
  async #asked(ctx: Context): Promise<Session | Transfer> {
    const { client, repository } = this.#repo;
    if (client.features.mountFuse) {
      const opened = await openSession(ctx, this.#repo, this.#blob, repository);
      if (opened) return opened === 'present' ? 'reused' : opened.session;
      client.features.mountFuse = false;
    }
    if (await hasBlob(ctx, this.#repo, this.#blob)) return 'reused';
    return await this.#plain(ctx);
  }

  async #plain(ctx: Context): Promise<Session> {
    const opened = await openSession(ctx, this.#repo, this.#blob, undefined);
    if (typeof opened === 'object') return opened.session;
    throw new Error('An upload without mount cannot be present');
  }

  async #send(ctx: Context): Promise<void> {
    const session = this.#session;
    if (!session) throw new Error('An upload needs a session');
    const whole = this.#blob.size - session.offset <= this.#partBytes;
    await sendParts(ctx, {
      repo: this.#repo,
      blob: this.#blob,
      from: this.#from,
      check: this.#check,
      partBytes: whole ? Number.POSITIVE_INFINITY : Math.max(this.#partBytes, session.minPartBytes),
      session,
      onSession: (next) => {
        this.#session = next;
        this.#options.memory?.remember(next.location.href);
      },
      onBytes: (bytes) => {
        this.#reported += bytes;
        this.#options.onProgress?.(bytes);
      },
    });
  }

  /** The registry, or a proxy before it, takes no body of this size: smaller ones may pass. */
  #canShrink(error: unknown): boolean {
    if (!(error instanceof AtollError) || error.details.status !== 413) return false;
    const { partBytes } = this.#repo.client.tuning;
    const next = this.#partBytes === Number.POSITIVE_INFINITY ? partBytes : this.#partBytes / 4;
    if (this.#options.once || next < SMALLEST_PART || next >= this.#blob.size) return false;
    this.#partBytes = next;
    return true;
  }

  async #restart(ctx: Context): Promise<void> {
    this.#check = new ContentCheck(this.#blob);
    this.#session = await this.#plain(ctx);
    this.#report(0);
  }

  /** Corrects the progress when bytes have to be sent again. */
  #report(offset: number): void {
    if (this.#reported === offset) return;
    this.#options.onProgress?.(offset - this.#reported);
    this.#reported = offset;
  }

  /** What was sent was wrong, so nothing of it is continued. */
  #startOver(): void {
    this.#session = undefined;
    this.#check = new ContentCheck(this.#blob);
  }
}
