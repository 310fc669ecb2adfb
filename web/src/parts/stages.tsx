import type { StageState } from '../../../src/dashboard/model/run-state.ts';
import type { Usual } from '../../../src/dashboard/model/sentence.ts';
import { now, page, run } from '../data.ts';
import { formatDuration } from '../format.ts';
import { t } from '../settings.ts';
import { toneOf } from './pill.tsx';

/** The stages as a flow, each with its time against the usual. */
export function Stages() {
  const stages = run.value?.stages ?? [];
  const usuals = page.value?.usuals ?? {};
  return (
    <ol class="stages">
      {stages.map((stage) => (
        <Stage key={stage.id} stage={stage} usual={usuals[stage.id]} />
      ))}
    </ol>
  );
}

function elapsedOf({ state, startedAt, durationMs }: StageState): number | undefined {
  if (state === 'running' && startedAt) return Math.max(0, now.value - Date.parse(startedAt));
  return state === 'done' || state === 'failed' ? durationMs : undefined;
}

function Stage({
  stage,
  usual,
}: {
  readonly stage: StageState;
  readonly usual: Usual | undefined;
}) {
  const { stages, states } = t();
  const elapsed = elapsedOf(stage);
  // Beside a time that is known a guess would only confuse.
  const isOpen = stage.state !== 'done' && stage.state !== 'skipped';
  const against = isOpen || usual?.from === 'runs' ? usual : undefined;
  return (
    <li class={`stage ${toneOf(stage.state)}`} data-state={stage.state} data-stage={stage.id}>
      <span class="dot" aria-hidden="true" />
      <span class="name">{stages[stage.id] ?? stage.title}</span>
      <span class="state">{states[stage.state] ?? stage.state}</span>
      <span class="times">
        {elapsed === undefined ? ' ' : formatDuration(elapsed)}
        {usual && isOpen && stage.state !== 'not-run' ? (
          <span class="usual" title={t().usualFrom[usual.from]}>
            {' '}
            {t().usual} {formatDuration(usual.ms)}
          </span>
        ) : null}
      </span>
      <Against elapsed={elapsed} usual={against} />
    </li>
  );
}

/** A bar for the time so far, and a mark where it usually ends. */
function Against({
  elapsed,
  usual,
}: {
  readonly elapsed: number | undefined;
  readonly usual: Usual | undefined;
}) {
  const whole = Math.max(elapsed ?? 0, usual?.ms ?? 0) * 1.15 || 1;
  const share = (ms: number) => `${Math.min(100, (ms / whole) * 100)}`;
  return (
    <svg class="against" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="6" />
      {elapsed === undefined ? null : <rect class="fill" width={share(elapsed)} height="6" />}
      {usual ? <rect class="mark" x={share(usual.ms)} width="0.8" height="6" /> : null}
    </svg>
  );
}
