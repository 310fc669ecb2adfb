import * as z from 'zod';
import type { Context } from '../../core/context.ts';
import { isTransient } from '../../core/errors.ts';
import { attemptFailed, sleep } from '../../core/retry.ts';
import { WATCH_SECONDS } from './client.ts';
import { idOf, type KubeObject, keyOf, objectSchema } from './object.ts';
import type { Kind, ListOptions, Resources } from './resources.ts';
import { ApiError } from './status-error.ts';

/** A change of one object. After a list, what is there comes as `added` or `modified`. */
export interface Change {
  readonly type: 'added' | 'modified' | 'deleted';
  readonly object: KubeObject;
}

export interface WatchOptions extends ListOptions {
  /** Between attempts while the API is away. */
  readonly retryMs?: number | undefined;
}

const eventSchema = z.object({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({}),
});
type WatchEvent = z.output<typeof eventSchema>;
const TYPES = { ADDED: 'added', MODIFIED: 'modified', DELETED: 'deleted' } as const;
const RETRY_MS = 2000;
const GONE = 410;

/**
 * Every change of the objects of a kind until the signal aborts, however often the connection or the
 * API goes away in between: it goes on from the last version it saw, and where the API has forgotten
 * that one, it lists again and tells the difference.
 */
export async function* watch(
  ctx: Context,
  resources: Resources,
  kind: Kind,
  options: WatchOptions = {},
): AsyncGenerator<Change> {
  const seen: Seen = { known: new Map(), version: undefined, failures: 0 };
  const what = { resources, kind, options };
  for (;;) {
    ctx.signal.throwIfAborted();
    try {
      yield* seen.version ? followed(ctx, what, seen) : listed(ctx, what, seen);
    } catch (error) {
      await recover(ctx, what, seen, error);
    }
  }
}

interface Watched {
  readonly resources: Resources;
  readonly kind: Kind;
  readonly options: WatchOptions;
}

/** What a watch knows: where it goes on, and what it has told. */
interface Seen {
  readonly known: Map<string, KubeObject>;
  version: string | undefined;
  failures: number;
}

async function* listed(ctx: Context, what: Watched, seen: Seen): AsyncGenerator<Change> {
  const { resources, kind, options } = what;
  const { objects, resourceVersion } = await resources.list(ctx, kind, options);
  yield* differences(seen.known, objects);
  seen.version = resourceVersion;
  // The cluster does not know the kind yet.
  if (resourceVersion === '') await sleep(ctx, options.retryMs ?? RETRY_MS);
}

async function* followed(ctx: Context, what: Watched, seen: Seen): AsyncGenerator<Change> {
  for await (const event of eventsAfter(ctx, what, seen.version ?? '')) {
    seen.failures = 0;
    seen.version = versionOf(event) ?? seen.version;
    const change = changeOf(event, what.kind);
    if (change) yield remembered(seen.known, change);
  }
}

/** Throws what no other attempt can mend. */
async function recover(ctx: Context, what: Watched, seen: Seen, error: unknown): Promise<void> {
  if (error instanceof ApiError && error.status === GONE) {
    seen.version = undefined;
    return;
  }
  if (ctx.signal.aborted || !isTransient(error)) throw error;
  const { retryMs: delayMs = RETRY_MS } = what.options;
  const operation = `watch objects of kind ${what.kind.kind}`;
  seen.failures += 1;
  const attempt = seen.failures;
  // A watch retries without end.
  attemptFailed(ctx, { operation, attempt, attempts: attempt + 1, delayMs }, error);
  await sleep(ctx, delayMs);
}

/** What a new list says, beside what was known before it. */
function* differences(
  known: Map<string, KubeObject>,
  objects: readonly KubeObject[],
): Generator<Change> {
  const now = new Map(objects.map((object) => [idOf(keyOf(object)), object]));
  for (const [id, object] of [...known]) {
    if (!now.has(id)) yield remembered(known, { type: 'deleted', object });
  }
  for (const [id, object] of now) {
    const before = known.get(id);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion && before) continue;
    yield remembered(known, { type: before ? 'modified' : 'added', object });
  }
}

function remembered(known: Map<string, KubeObject>, change: Change): Change {
  const id = idOf(keyOf(change.object));
  if (change.type === 'deleted') known.delete(id);
  else known.set(id, change.object);
  return change;
}

async function* eventsAfter(
  ctx: Context,
  { resources, kind, options }: Watched,
  resourceVersion: string,
): AsyncGenerator<WatchEvent> {
  const { namespace, labelSelector, fieldSelector } = options;
  const path = await resources.pathOf(ctx, { ...kind, namespace });
  const query = {
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(WATCH_SECONDS),
    resourceVersion,
    labelSelector,
    fieldSelector,
  };
  const what = `watch objects of kind ${kind.kind}`;
  for await (const line of linesOf(ctx, resources, { path, query, what })) {
    const event = eventSchema.parse(JSON.parse(line));
    if (event.type === 'ERROR') throw failed(event, what);
    yield event;
  }
}

/** Lines as they come: the body is pumped, so a small queue lies between it and the reader. */
async function* linesOf(
  ctx: Context,
  resources: Resources,
  request: Parameters<Resources['client']['send']>[1],
): AsyncGenerator<string> {
  const response = await resources.client.send(ctx, request);
  const queue: string[] = [];
  let rest = '';
  let wake: () => void = () => undefined;
  let ended: { readonly error?: unknown } | undefined;
  const decoder = new TextDecoder();
  const end = (error?: unknown) => {
    ended = { error };
    wake();
  };
  const pumping = response
    .pump((chunk) => {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      queue.push(...lines.filter((line) => line !== ''));
      wake();
    })
    .then(() => end(), end);
  try {
    for (;;) {
      const line = queue.shift();
      if (line !== undefined) yield line;
      else if (ended) break;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    response.cancel();
    await pumping;
  }
  if (ended.error !== undefined) throw resources.client.explained(ended.error);
}

function failed({ object }: WatchEvent, what: string): ApiError {
  const code = typeof object.code === 'number' ? object.code : 500;
  return new ApiError(code, what, JSON.stringify(object));
}

const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });

function versionOf({ object }: WatchEvent): string | undefined {
  return versionSchema.safeParse(object).data?.metadata.resourceVersion;
}

function changeOf({ type, object }: WatchEvent, kind: Kind): Change | undefined {
  if (type === 'BOOKMARK' || type === 'ERROR') return undefined;
  return { type: TYPES[type], object: objectSchema.parse({ ...kind, ...object }) };
}
