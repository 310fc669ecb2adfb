import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { retry } from '../../core/retry.ts';
import type { ResumableTarget, Source, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { bulkSourceOf, isBulkTarget, type Transfer } from '../../remote/bulk.ts';
import { isMountTarget, isResumable } from './capabilities.ts';

export interface TransferRequest {
  readonly blob: Descriptor;
  readonly target: Target;
  readonly source: Source;
  /** A repository of the same registry that has the blob. */
  readonly mountFrom: string | undefined;
  /** The target lacks it for certain, whatever it says when asked. */
  readonly absent: boolean;
  /** Bytes that went; negative when some go again. */
  readonly onProgress: (bytes: number) => void;
}

/** Makes one blob be at the target: what is there is used, what a neighbour has is mounted. */
export async function transferBlob(ctx: Context, request: TransferRequest): Promise<Transfer> {
  const { blob, target, source, mountFrom, absent, onProgress } = request;
  if (isBulkTarget(target)) {
    const options = { mountFrom, absent, onProgress };
    return await target.putBlobFrom(ctx, blob, bulkSourceOf(source), options);
  }
  if (!absent && (await target.has(ctx, blob))) return 'reused';
  if (mountFrom !== undefined && isMountTarget(target)) {
    if (await target.mount(ctx, blob, mountFrom)) return 'mounted';
  }
  await retry(ctx, { operation: `copy ${blob.digest}`, attempts: 3 }, () => send(ctx, request));
  return 'copied';
}

async function send(ctx: Context, request: TransferRequest): Promise<void> {
  const { blob, target, onProgress } = request;
  let sent = 0;
  const count = (bytes: number) => {
    sent += bytes;
    onProgress(bytes);
  };
  try {
    if (isResumable(target)) await sendRest(ctx, request, target, count);
    else await target.putBlob(ctx, blob, chunksFrom(ctx, request, 0, count));
  } catch (error) {
    onProgress(-sent);
    throw error;
  }
}

async function sendRest(
  ctx: Context,
  request: TransferRequest,
  target: Target & ResumableTarget,
  count: (bytes: number) => void,
): Promise<void> {
  const { blob } = request;
  const offset = await target.partial(ctx, blob);
  try {
    count(offset);
    await target.putRest(ctx, blob, offset, chunksFrom(ctx, request, offset, count));
  } catch (error) {
    // Another process receives the same blob: ours goes beside it, and the first to end wins.
    if (!(error instanceof AtollError && error.code === 'LOCKED')) throw error;
    await target.putBlob(
      ctx,
      blob,
      chunksFrom(ctx, request, 0, () => undefined),
    );
  }
}

async function* chunksFrom(
  ctx: Context,
  { source, blob }: TransferRequest,
  offset: number,
  count: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  // Nothing is missing but the commit; asking a registry for zero bytes is an error there.
  if (offset >= blob.size) return;
  for await (const chunk of source.blob(ctx, blob, offset)) {
    ctx.signal.throwIfAborted();
    count(chunk.length);
    yield chunk;
  }
}
