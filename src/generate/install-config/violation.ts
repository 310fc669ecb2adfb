/** One thing that is wrong with an install-config, where, and what to do about it. */
export interface Violation {
  /** Such as `networking.clusterNetwork[0].hostPrefix`. */
  readonly path: string;
  readonly message: string;
  readonly fix: string;
  /** The installer refuses errors, or the install fails later because of them; warnings may be meant. */
  readonly severity: 'error' | 'warning';
}

export const error = (path: string, message: string, fix: string): Violation => ({
  path,
  message,
  fix,
  severity: 'error',
});

export const warning = (path: string, message: string, fix: string): Violation => ({
  path,
  message,
  fix,
  severity: 'warning',
});

/** The violation when the condition holds, as a list. */
export function when(condition: boolean, violation: () => Violation): Violation[] {
  return condition ? [violation()] : [];
}
