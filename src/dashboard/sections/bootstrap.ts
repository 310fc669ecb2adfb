import { type KubeObject, objectSchema } from '../../cluster/api/object.ts';
import type { Context } from '../../core/context.ts';
import type { EvidenceSink } from '../../observe/evidence.ts';
import { readEvidence } from '../../observe/read-evidence.ts';
import { TIMELINE_KINDS } from '../../observe/timeline/read-timeline.ts';
import { createTimeline, SIGNAL_PATTERNS } from '../../observe/timeline/timeline.ts';
import type { BootstrapData, BootstrapRow } from '../model/page-data.ts';
import { presentOf } from './findings.ts';

const MAX_LINES = 8;
const MAX_TEXT = 400;
const KINDS = ['ClusterOperator', 'CertificateSigningRequest', 'Node', 'ClusterVersion'];

type SignalPattern = (typeof SIGNAL_PATTERNS)[number];

export interface LoggedInstall {
  readonly bootstrap: BootstrapData | undefined;
  readonly objects: readonly KubeObject[];
}

/** The bootstrap as logs tell it, and the objects of the cluster that lie beside them. */
export async function readBootstrap(
  ctx: Context,
  evidence: readonly string[],
): Promise<LoggedInstall> {
  const paths = await presentOf(evidence);
  if (paths.length === 0) return { bootstrap: undefined, objects: [] };
  const timeline = createTimeline();
  const lines = new Map<string, BootstrapRow['lines'][number][]>();
  const objects: KubeObject[] = [];
  const sink: EvidenceSink<SignalPattern> = {
    patterns: SIGNAL_PATTERNS,
    kinds: new Set([...TIMELINE_KINDS, ...KINDS]),
    onLine({ origins, text, at, file, line }, candidates) {
      timeline.push({ kind: 'line', origins, text, at });
      for (const step of stepsOf(candidates, text)) {
        const kept = lines.get(step) ?? [];
        // The first lines and the last one: how it began, and where it is.
        if (kept.length >= MAX_LINES) kept.pop();
        kept.push({ place: `${file}:${line}`, text: text.slice(0, MAX_TEXT) });
        lines.set(step, kept);
      }
    },
    onRecord: (service, entries) => timeline.push({ kind: 'record', service, entries }),
    onObject(object) {
      timeline.push({ kind: 'object', object });
      const known = objectSchema.safeParse(object);
      if (known.success) objects.push(known.data);
    },
    onUnread: () => undefined,
    onFile: () => undefined,
    onTime: (at) => timeline.push({ kind: 'time', at }),
  };
  await readEvidence(ctx, paths, sink, {});
  const { verdict, at, current, steps, abstract } = timeline.state();
  const rows = steps.map((step) => ({ ...step, lines: lines.get(step.id) ?? [] }));
  const shown = abstract.map(({ title, state }) => ({ title, state }));
  return { bootstrap: { verdict, at, current, steps: rows, abstract: shown }, objects };
}

/** The steps a line tells of. Patterns come as candidates: that they match is for us to see. */
function stepsOf(candidates: readonly SignalPattern[], text: string): readonly string[] {
  return candidates.flatMap((pattern): readonly string[] =>
    'step' in pattern && pattern.regexp.test(text) ? [String(pattern.step)] : [],
  );
}
