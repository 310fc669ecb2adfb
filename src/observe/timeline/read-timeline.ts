import type { Context } from '../../core/context.ts';
import type { EvidenceSink } from '../evidence.ts';
import { type EvidenceOptions, readEvidence } from '../read-evidence.ts';
import type { Unread } from '../source-files.ts';
import type { BootstrapState } from './state.ts';
import { createTimeline, SIGNAL_PATTERNS, type Timeline } from './timeline.ts';

export interface TimelineReport extends BootstrapState {
  readonly unread: readonly Unread[];
}

/** A copy made without keeping times is newer than the evidence; then its age says nothing. */
const BELIEVABLE_MS = 2 * 86_400_000;

/** Kinds of API objects a timeline reads. */
export const TIMELINE_KINDS: readonly string[] = ['Etcd'];

/** The timeline of what lies under these paths: log bundles, journals, a lab's folder. */
export async function readTimeline(
  ctx: Context,
  paths: readonly string[],
  options: EvidenceOptions = {},
): Promise<TimelineReport> {
  const timeline = createTimeline();
  const gathered = createGatherTime();
  const unread: Unread[] = [];
  const sink: EvidenceSink = {
    patterns: SIGNAL_PATTERNS,
    kinds: new Set(TIMELINE_KINDS),
    onLine: ({ origins, text, at }) => timeline.push({ kind: 'line', origins, text, at }),
    onRecord: (service, entries) => timeline.push({ kind: 'record', service, entries }),
    onObject: (object) => timeline.push({ kind: 'object', object }),
    onUnread: (one) => unread.push(one),
    onFile: (_path, modified) => gathered.add(modified),
  };
  await readEvidence(ctx, paths, sink, options);
  return { ...gathered.stateOf(timeline), unread };
}

/** When the evidence was gathered: what was running then had run until then. */
export function createGatherTime() {
  let newest = new Date(0);
  return {
    add(modified: Date): void {
      if (modified > newest) newest = modified;
    },
    stateOf(timeline: Timeline): BootstrapState {
      const state = timeline.state();
      const ahead = newest.getTime() - Date.parse(state.at);
      return ahead > 0 && ahead < BELIEVABLE_MS ? timeline.state(newest) : state;
    },
  };
}
