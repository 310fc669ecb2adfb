import { AtollError } from '../../core/errors.ts';

/** For platforms whose files atoll can write, and no more. */
export function platformNotBuilt(name: string): AtollError {
  return new AtollError('NOT_BUILT', `Cannot work on platform "${name}" yet`, {
    hint: '"atoll render" writes the files for it; with hosts of your own use platform none',
  });
}
