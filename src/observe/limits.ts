import type { UnfoldLimits } from '../core/archive/unfold-meter.ts';
import { AtollError } from '../core/errors.ts';

/** How much of an archive we are willing to look at. All of it is somebody else's data. */
export interface ArchiveLimits extends UnfoldLimits {
  readonly maxEntries: number;
  readonly maxPathBytes: number;
}

/** Room for the largest must-gather seen, far below what a bomb unfolds to. */
export const DEFAULT_LIMITS: ArchiveLimits = {
  maxEntries: 500_000,
  maxBytes: 256 * 1024 ** 3,
  maxRatio: 600,
  ratioFloorBytes: 64 * 1024 ** 2,
  maxPathBytes: 4096,
};

export function refuseArchive(name: string, found: string): AtollError {
  return new AtollError('INPUT_INVALID', `Cannot read the archive "${name}": ${found}`, {
    hint: 'Check where it came from; unpack it by hand in an empty directory if you trust it',
    details: { path: name },
  });
}
