import { AtollError } from '../../core/errors.ts';
import type { PreflightCheck } from '../platform.ts';

/** A look that fails for a reason that is known is a finding; others are no failure of the preflight. */
export async function checked(
  subject: string,
  look: () => Promise<PreflightCheck[]>,
): Promise<PreflightCheck[]> {
  try {
    return await look();
  } catch (error) {
    if (!(error instanceof AtollError)) throw error;
    const { code, message, hint } = error;
    return [{ subject, severity: 'error', code, message, hint }];
  }
}
