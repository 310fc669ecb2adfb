import { HTTP_TUNING, type HttpTuning } from '../../http/options.ts';

/** Times, counts and sizes of the client. Tests make them small; nobody else should need to. */
export interface Tuning extends HttpTuning {
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
  ...HTTP_TUNING,
  attempts: 5,
  firstDelayMs: 500,
  maxRetryAfterMs: 60_000,
  maxRequests: 32,
  partBytes: 16 * 1024 * 1024,
};
