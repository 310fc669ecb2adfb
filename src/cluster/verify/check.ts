import type { ClusterSnapshot } from './snapshot.ts';

/** `unknown`: it could not be looked at, which is not the same as nothing being wrong. */
export type CheckOutcome = 'holds' | 'fails' | 'unknown';

/** What one check found: a claim, what it rests on, and what to do next. */
export interface CheckResult {
  readonly check: string;
  readonly title: string;
  readonly outcome: CheckOutcome;
  readonly message: string;
  readonly evidence: readonly string[];
  readonly commands: readonly string[];
}

/** What a check says of itself. */
export interface CheckClaim {
  readonly message: string;
  readonly evidence?: readonly string[] | undefined;
  readonly commands?: readonly string[] | undefined;
}

export interface Check {
  readonly id: string;
  readonly title: string;
  readonly look: (snapshot: ClusterSnapshot) => CheckClaim & { readonly outcome: CheckOutcome };
}

export const holds = (message: string, evidence: readonly string[] = []) =>
  ({ outcome: 'holds', message, evidence }) as const;

export const fails = (claim: CheckClaim) => ({ outcome: 'fails', ...claim }) as const;

/** Fails when there is evidence against it. */
export function unlessAny(
  evidence: readonly string[],
  good: string,
  bad: Omit<CheckClaim, 'evidence'>,
): CheckClaim & { readonly outcome: CheckOutcome } {
  return evidence.length === 0 ? holds(good) : fails({ ...bad, evidence });
}
