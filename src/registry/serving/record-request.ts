import type { AccessEntry } from '../access/access-log.ts';
import type { ListenerOptions } from './listener-options.ts';

/** What is known of a request when its answer is out, or will never be. */
export interface DoneRequest {
  /** By `performance.now()`. */
  readonly startedAt: number;
  readonly client: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly complete: boolean;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly agent: string | undefined;
  /** What was found out on the way. */
  readonly entry: Partial<AccessEntry>;
}

/** Tells the metrics and the access log. */
export function recordRequest(
  { name, service, onAccess }: ListenerOptions,
  done: DoneRequest,
): void {
  const { method, status, bytesReceived, bytesSent, entry } = done;
  const durationMs = performance.now() - done.startedAt;
  service.metrics.requestDone(entry.route ?? 'none', method, status, durationMs / 1000);
  service.metrics.bytes(bytesReceived, bytesSent);
  onAccess?.({
    at: timeText(Math.floor(service.ctx.now().getTime() - durationMs)),
    listener: name,
    client: done.client,
    user: entry.user,
    token: entry.token,
    claimedUser: entry.claimedUser,
    refusal: entry.refusal,
    method,
    path: done.path,
    status,
    error: entry.error,
    route: entry.route,
    repository: entry.repository,
    reference: entry.reference,
    digest: entry.digest,
    complete: done.complete,
    bytesReceived,
    bytesSent,
    durationMs: Math.round(durationMs * 1000) / 1000,
    agent: done.agent,
  });
}

let time = { ms: 0, text: '' };
/** Many requests share a millisecond. */
function timeText(ms: number): string {
  if (ms !== time.ms) time = { ms, text: new Date(ms).toISOString() };
  return time.text;
}
