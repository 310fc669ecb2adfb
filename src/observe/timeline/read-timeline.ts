import type { Context } from '../../core/context.ts';
import type { EvidenceSink } from '../evidence.ts';
import { type EvidenceOptions, readEvidence } from '../read-evidence.ts';
import type { UnreadEvidence } from '../source-files.ts';
import type { BootstrapState } from './state.ts';
import { createTimeline, SIGNAL_PATTERNS } from './timeline.ts';

export interface TimelineReport extends BootstrapState {
  readonly unread: readonly UnreadEvidence[];
}

/** Kinds of API objects a timeline reads. */
export const TIMELINE_KINDS: readonly string[] = ['Etcd'];

/** The timeline of what lies under these paths: log bundles, journals, a lab's folder. */
export async function readTimeline(
  ctx: Context,
  paths: readonly string[],
  options: EvidenceOptions = {},
): Promise<TimelineReport> {
  const timeline = createTimeline();
  const unread: UnreadEvidence[] = [];
  const sink: EvidenceSink = {
    patterns: SIGNAL_PATTERNS,
    kinds: new Set(TIMELINE_KINDS),
    onLine: ({ origins, text, at }) => timeline.push({ kind: 'line', origins, text, at }),
    onRecord: (service, entries) => timeline.push({ kind: 'record', service, entries }),
    onObject: (object) => timeline.push({ kind: 'object', object }),
    onUnread: (one) => unread.push(one),
    onFile: () => undefined,
    onTime: (at) => timeline.push({ kind: 'time', at }),
  };
  await readEvidence(ctx, paths, sink, options);
  return { ...timeline.state(), unread };
}
