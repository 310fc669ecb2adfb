import type { Context } from '../../core/context.ts';
import { AtollError } from '../../core/errors.ts';
import { type RetryPolicy, retry } from '../../core/retry.ts';
import { bulkSourceOf, type Transfer } from '../../oci/bulk.ts';
import type { BlobResumption, Source, Target } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';

export interface TransferRequest {
  readonly blob: Descriptor;
  readonly target: Target;
  readonly source: Source;
  /** A repository of the same registry that has the blob. */
  readonly mountFrom: string | undefined;
  /** The target lacks it for certain, whatever it says when asked. */
  readonly absent: boolean;
  readonly retry: RetryPolicy;
  /** Bytes that went; negative when some go again. */
  readonly onProgress: (bytes: number) => void;
}

/** Makes one blob be at the target: used if it is there, mounted if another repository has it, else sent. */
export async function transferBlob(ctx: Context, request: TransferRequest): Promise<Transfer> {
  const { blob, target, source, mountFrom, absent, onProgress } = request;
  const { putBlobFrom, mount } = target.can;
  if (putBlobFrom) {
    const options = { mountFrom, absent, onProgress };
    return await putBlobFrom(ctx, blob, bulkSourceOf(source), options);
  }
  if (!absent && (await target.has(ctx, blob))) return 'reused';
  if (mountFrom !== undefined && (await mount?.(ctx, blob, mountFrom))) return 'mounted';
  const policy = { ...request.retry, operation: `copy ${blob.digest}` };
  await retry(ctx, policy, () => send(ctx, request));
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
    if (target.can.resume) await sendRest(ctx, request, target.can.resume, count);
    else await target.putBlob(ctx, blob, chunksFrom(ctx, request, 0, count));
  } catch (error) {
    onProgress(-sent);
    throw error;
  }
}

async function sendRest(
  ctx: Context,
  request: TransferRequest,
  resume: BlobResumption,
  count: (bytes: number) => void,
): Promise<void> {
  const { blob, target } = request;
  const offset = await resume.partial(ctx, blob);
  try {
    await resume.putRest(ctx, blob, offset, chunksFrom(ctx, request, offset, count));
  } catch (error) {
    // Another process receives the same blob: this copy goes beside it, and the first to end wins.
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
