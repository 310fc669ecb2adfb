import { ERROR_CODES } from '../core/error-codes.ts';

/**
 * Ends this process when its parent is gone, even after a kill -9 of the parent. At once and without output:
 * the next one may be using the same folders by then.
 */
export function leaveAtEof(input: NodeJS.ReadableStream): void {
  input.once('close', () => process.exit(ERROR_CODES.INTERRUPTED.exit));
  input.resume();
}
