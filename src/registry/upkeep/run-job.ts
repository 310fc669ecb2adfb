import type { Context } from '../../core/context.ts';
import { messageOf } from '../../core/errors.ts';
import { createPacer } from '../../core/pacer.ts';
import type { FileBacked, Store } from '../../store/store.ts';
import type { ContentProblem } from '../../store/upkeep/problems.ts';
import { blobFiles } from '../storage/blob-files.ts';
import { protectTags } from '../storage/tag-protection.ts';
import { checkRegistry } from './check.ts';
import { collectRegistry } from './gc.ts';
import { applyRetention, type RetentionRule } from './retention.ts';
import { readState, type UpkeepJob, type UpkeepState, writeState } from './state.ts';

const HEARTBEAT_MS = 30_000;
/** Nobody waits for what a job frees, and an image may take hours to be pushed. */
const GRACE_MS = 24 * 3_600_000;

export interface UpkeepJobOptions {
  /** What a scrub reads in a second at most. */
  readonly bytesPerSecond?: number | undefined;
  /** Look, but leave everything as it is. */
  readonly readOnly?: boolean | undefined;
  /** Applied before garbage is collected. */
  readonly retention?: readonly RetentionRule[] | undefined;
  readonly protectedTags?: readonly string[] | undefined;
}

type Numbers = Partial<UpkeepState>;

/** Does one job and writes down how it went. Safe beside pushes and beside another one of its kind. */
export async function runUpkeepJob(
  ctx: Context,
  store: Store,
  job: UpkeepJob,
  options: UpkeepJobOptions = {},
): Promise<UpkeepState> {
  const before = await readState(ctx, store, job);
  const now = () => ctx.now().toISOString();
  const started = {
    ...before,
    startedAt: now(),
    runs: (before?.runs ?? 0) + 1,
    failures: before?.failures ?? 0,
  };
  const say = (state: Pick<UpkeepState, 'outcome'> & Numbers): UpkeepState => ({
    ...started,
    seenAt: now(),
    ...state,
  });
  const tell = async (state: UpkeepState) => {
    await writeState(ctx, store, job, state);
    return state;
  };
  await tell(say({ outcome: 'running' }));
  const heartbeat = setInterval(() => {
    tell(say({ outcome: 'running' })).catch(() => undefined);
  }, HEARTBEAT_MS);
  try {
    const numbers = await (job === 'gc'
      ? collect(ctx, store, options)
      : scrub(ctx, store, options));
    clearInterval(heartbeat);
    return await tell(say({ outcome: 'done', succeededAt: now(), message: undefined, ...numbers }));
  } catch (error) {
    clearInterval(heartbeat);
    const failures = started.failures + 1;
    return await tell(say({ outcome: 'failed', failures, message: messageOf(error) }));
  }
}

async function collect(
  ctx: Context,
  store: Store,
  { retention = [], protectedTags = [] }: UpkeepJobOptions,
): Promise<Numbers> {
  const isProtected = protectTags(protectedTags);
  const { removedTags } = await applyRetention(ctx, store, { rules: retention, isProtected });
  const { removedBlobs, freedBytes } = await collectRegistry(ctx, store, { graceMs: GRACE_MS });
  return { removedTags: removedTags.length, removedBlobs, freedBytes };
}

async function scrub(
  ctx: Context,
  store: Store,
  { bytesPerSecond, readOnly = false }: UpkeepJobOptions,
): Promise<Numbers> {
  const report = await checkRegistry(ctx, store, { pacer: createPacer(bytesPerSecond) });
  for (const problem of report.problems) tellProblem(ctx, problem);
  if (!readOnly) await setAside(ctx, store, report.problems);
  return { checkedBytes: report.bytes, problems: report.problems.length };
}

function tellProblem(ctx: Context, { digest, found, detail, references }: ContentProblem): void {
  const breaks = references.length > 0 ? `; it breaks ${references.slice(0, 5).join(', ')}` : '';
  const message = `The content ${digest} is ${found}: ${detail}${breaks}`;
  const hint = 'Push it again, or run "atoll registry check --repair-from REGISTRY"';
  ctx.emit({ type: 'warning.raised', message, hint, subject: digest });
}

/** As a pull would: what is out of reach counts as missing, so the next push sends it again. */
async function setAside(
  ctx: Context,
  store: Store & Partial<FileBacked>,
  problems: readonly ContentProblem[],
): Promise<void> {
  const { root, blobPath } = store;
  if (root === undefined || blobPath === undefined) return;
  const files = blobFiles(ctx, { root, blobPath }, () => undefined);
  for (const { digest } of problems.filter(({ found }) => found === 'damaged')) {
    const file = await files.open(digest);
    if (!file) continue;
    await files.verify(file).finally(() => file.handle.close());
  }
}
