import { DEFAULT_RETRY, type RetryPolicy } from '../../core/retry.ts';
import { HTTP_TUNING, type HttpTuning } from '../../http/options.ts';

/** Times, counts and sizes of the client. Tests make them small; nobody else should need to. */
export interface Tuning extends HttpTuning {
  /** How each operation is tried again. */
  readonly retry: RetryPolicy;
  /** Most requests under way at one registry. */
  readonly maxRequests: number;
  /** Size of a part when a blob is sent in parts. */
  readonly partBytes: number;
}

/** What differs from the defaults. */
export type TuningOptions = Partial<Omit<Tuning, 'retry'>> & {
  readonly retry?: Partial<RetryPolicy> | undefined;
};

const DEFAULT_TUNING: Tuning = {
  ...HTTP_TUNING,
  retry: DEFAULT_RETRY,
  maxRequests: 32,
  partBytes: 16 * 1024 * 1024,
};

export function tuned(options: TuningOptions = {}): Tuning {
  return { ...DEFAULT_TUNING, ...options, retry: { ...DEFAULT_RETRY, ...options.retry } };
}
