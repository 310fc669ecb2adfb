import * as z from 'zod';
import type { ErrorCode } from '../../core/error-codes.ts';
import { AtollError } from '../../core/errors.ts';
import { parseJson } from '../../core/shape.ts';

/** The `Status` by which a Kubernetes API says that it did not do something. */
const statusSchema = z.object({
  kind: z.literal('Status'),
  message: z.string().default(''),
  reason: z.string().default(''),
  details: z
    .object({
      causes: z
        .array(
          z.object({
            reason: z.string().default(''),
            message: z.string().default(''),
            field: z.string().default(''),
          }),
        )
        .default([]),
      retryAfterSeconds: z.number().optional(),
    })
    .default({ causes: [] }),
});

/** A field that would be changed, and who says that it is theirs. */
export interface FieldConflict {
  readonly field: string;
  readonly manager: string;
}

/** An answer that is not a success. Callers that can go on read status and conflicts. */
export class ApiError extends AtollError {
  readonly status: number;
  readonly conflicts: readonly FieldConflict[];

  constructor(status: number, what: string, body: string) {
    const parsed = statusSchema.safeParse(parseJson(body));
    const words = parsed.data?.message || firstLine(body) || 'no words';
    const causes = parsed.data?.details.causes ?? [];
    const conflicts = causes
      .filter(({ reason }) => reason === 'FieldManagerConflict')
      .map(({ field, message }) => ({ field, manager: managerOf(message) }));
    const code = conflicts.length > 0 ? 'CLUSTER_CONFLICT' : codeOf(status, parsed.data?.reason);
    const seconds = parsed.data?.details.retryAfterSeconds;
    super(code, `Cannot ${what}: ${words}`, {
      hint: HINTS[code],
      details: { status, ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1000 }) },
    });
    this.status = status;
    this.conflicts = conflicts;
  }
}

const HINTS: Partial<Record<ErrorCode, string>> = {
  CLUSTER_DENIED: 'Use a kubeconfig of a cluster administrator that has not expired',
  CLUSTER_UNAVAILABLE: 'Wait until the API answers: a control plane that restarts takes minutes',
  CLUSTER_CONFLICT: 'Ask who manages it, or take the field over with --force',
};

function codeOf(status: number, reason: string | undefined): ErrorCode {
  // An applied object that does not fit its kind is told so: what fails inside has a reason.
  if (status === 500 && reason === '') return 'CLUSTER_REFUSED';
  if (status === 401 || status === 403) return 'CLUSTER_DENIED';
  return status === 429 || status === 408 || status >= 500
    ? 'CLUSTER_UNAVAILABLE'
    : 'CLUSTER_REFUSED';
}

/** `conflict with "kubectl-patch" using v1`: the name stands only in the words. */
function managerOf(message: string): string {
  return /"([^"]*)"/.exec(message)?.[1] ?? message;
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, 200);
