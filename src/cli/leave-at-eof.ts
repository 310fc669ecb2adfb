import { ERROR_CODES } from '../core/error-codes.ts';

/**
 * Whoever started this process and is gone takes it along, even after a kill -9. At once and without a last word:
 * the next one may be using the same folders by then.
 */
export function leaveAtEof(input: NodeJS.ReadableStream): void {
  input.once('close', () => process.exit(ERROR_CODES.INTERRUPTED.exit));
  input.resume();
}
