/** Times, counts and sizes of the client. Tests make them small; nobody else should need to. */
export interface Tuning {
  /** Until a connection, its tunnel and its TLS are up. */
  readonly connectTimeoutMs: number;
  /** Within this time some bytes must move while a body is under way. */
  readonly stallTimeoutMs: number;
  /** Until the head of an answer is complete, counted from the last byte of the request. */
  readonly answerTimeoutMs: number;
  /** How long an unused connection is kept, unless the server says less. */
  readonly keepAliveMs: number;
  /** Tries per operation, the first included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  /** A longer `Retry-After` is cut to this. */
  readonly maxRetryAfterMs: number;
  /** Most requests under way at one registry. */
  readonly maxRequests: number;
  /** Size of a part when a blob is sent in parts. */
  readonly partBytes: number;
}

export const DEFAULT_TUNING: Tuning = {
  connectTimeoutMs: 20_000,
  stallTimeoutMs: 60_000,
  answerTimeoutMs: 300_000,
  keepAliveMs: 20_000,
  attempts: 5,
  firstDelayMs: 500,
  maxRetryAfterMs: 60_000,
  maxRequests: 32,
  partBytes: 16 * 1024 * 1024,
};
