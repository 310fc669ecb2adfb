import type { ClusterData } from './page-data.ts';
import type { PartHistory, RunState } from './run-state.ts';

/**
 * What is known of the cluster: how its parts stood over time, as the wait of the run saw it, and as it is
 * now where it can be asked. Of an earlier run only what that run saw.
 */
export function clusterOf(
  run: RunState | undefined,
  now: ClusterData | undefined,
  isPast: boolean,
): ClusterData | undefined {
  const seen = run?.parts ?? [];
  if (!run || seen.length === 0) return isPast ? undefined : now;
  const isAsked = !isPast && now?.from === 'api';
  if (!isAsked) return { at: run.lastAt, from: 'run', progress: '', parts: seen.filter(isThere) };
  return { ...now, parts: now.parts.map((part) => longer(part, seen)) };
}

export const stateOfPart = ({ history }: PartHistory): string => history.at(-1)?.state ?? '';

const isThere = (part: PartHistory) => stateOfPart(part) !== 'gone';

/** What a run saw of it goes before what it was when somebody began to look. */
function longer(part: PartHistory, seen: readonly PartHistory[]): PartHistory {
  const before = seen.find(({ kind, name }) => kind === part.kind && name === part.name)?.history;
  const last = before?.at(-1);
  if (!before || !last) return part;
  const later = part.history.filter(({ at }) => at > last.at);
  const news = later[0]?.state === last.state ? later.slice(1) : later;
  return { ...part, history: [...before, ...news] };
}
