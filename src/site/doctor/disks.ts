import { formatBytes } from '../../core/format.ts';
import type { PreflightCheck } from '../../platform/platform.ts';
import type { ContentPlan } from './plan-content.ts';
import { problem } from './probe.ts';

/** A mirror keeps what is mirrored once, and needs room to write and to tidy up. */
const RESERVE_BYTES = 2 * 1024 ** 3;

export interface DiskPlace {
  readonly what: string;
  readonly path: string;
}

/** Whether what is to be mirrored fits; how much that is need not be known. */
export function diskCheck(
  { what, path }: DiskPlace,
  free: number,
  content: ContentPlan | undefined,
): PreflightCheck {
  const subject = `disk of the ${what}`;
  const needed = (content?.missingBytes ?? 0) + RESERVE_BYTES;
  const least = content ? 'needed' : 'needed at least: upstream did not say how much there is';
  const message = `${formatBytes(free)} free at ${path}, ${formatBytes(needed)} ${least}`;
  if (free >= needed) return { subject, severity: 'ok', message };
  return problem(subject, message, `Free ${formatBytes(needed - free)}, or choose another disk`);
}
