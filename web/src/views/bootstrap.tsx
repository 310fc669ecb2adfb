import { useSignal } from '@preact/signals';
import type { BootstrapData, BootstrapRow } from '../../../src/dashboard/model/page-data.ts';
import { page } from '../data.ts';
import { clockOf, dateOf, formatDuration } from '../format.ts';
import { Pill, toneOf } from '../parts/pill.tsx';
import { t } from '../settings.ts';

/** The bootstrap as a timeline with lanes; each bar opens the lines that told of it. */
export function Bootstrap() {
  const data = page.value?.bootstrap;
  const open = useSignal(data?.current ?? '');
  const words = t().bootstrap;
  if (!data) return <p class="soft">{t().noLogs}</p>;
  const seen = data.steps.filter(({ state }) => state !== 'unseen');
  const lanes = [...new Set(seen.map(({ lane }) => lane))];
  const span = spanOf(data, seen);
  const chosen = data.steps.find(({ id }) => id === open.value);
  return (
    <>
      <p>
        <Pill
          state={verdictState(data.verdict)}
          word={words.verdicts[data.verdict] ?? data.verdict}
        />{' '}
        <span class="soft">{words.until(dateOf(data.at))}</span>
      </p>
      <ol class="abstract">
        {data.abstract.map(({ title, state }) => (
          <li key={title} class={toneOf(state)}>
            <span class="only-heard">{t().states[state] ?? state}</span>
            {title}
          </li>
        ))}
      </ol>
      <div class="gantt">
        {lanes.map((lane) => (
          <section key={lane} aria-label={lane}>
            <h2>{lane}</h2>
            <ul>
              {seen
                .filter((step) => step.lane === lane)
                .map((step) => (
                  <li key={step.id}>
                    <Bar
                      step={step}
                      span={span}
                      isOpen={open.value === step.id}
                      onOpen={() => {
                        open.value = open.value === step.id ? '' : step.id;
                      }}
                    />
                    {chosen?.id === step.id ? <Lines step={step} /> : null}
                  </li>
                ))}
            </ul>
          </section>
        ))}
      </div>
      <p class="soft axis">
        <span>{clockOf(span.from, true)}</span>
        <span>{formatDuration(span.to - span.from)}</span>
        <span>{clockOf(span.to, true)}</span>
      </p>
      <p class="soft">{words.unseen(data.steps.length - seen.length)}</p>
    </>
  );
}

const verdictState = (verdict: string) => (verdict === 'complete' ? 'done' : verdict);

interface Span {
  readonly from: number;
  readonly to: number;
}

function spanOf({ at }: BootstrapData, steps: readonly BootstrapRow[]): Span {
  const starts = steps.flatMap(({ startedAt }) => (startedAt ? [Date.parse(startedAt)] : []));
  const ends = steps.flatMap(({ endedAt }) => (endedAt ? [Date.parse(endedAt)] : []));
  const from = Math.min(...starts, Date.parse(at));
  return { from, to: Math.max(...ends, Date.parse(at), from + 1000) };
}

function Bar({
  step,
  span,
  isOpen,
  onOpen,
}: {
  readonly step: BootstrapRow;
  readonly span: Span;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}) {
  const whole = span.to - span.from;
  const start = step.startedAt === undefined ? undefined : Date.parse(step.startedAt) - span.from;
  const took = step.durationMs ?? 0;
  const left = start === undefined ? 0 : Math.min(99, (start / whole) * 100);
  const width = start === undefined ? 0 : Math.max(0.6, Math.min(100 - left, (took / whole) * 100));
  return (
    <button
      type="button"
      class={`step ${toneOf(step.state)}`}
      data-step={step.id}
      data-state={step.state}
      aria-expanded={isOpen}
      onClick={onOpen}
    >
      <span class="what">{step.title}</span>
      <span class="how">{t().states[step.state] ?? step.state}</span>
      <span class="took">{start === undefined ? '' : formatDuration(took)}</span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="10" />
        <rect class="bar" x={left} width={width} height="10" />
      </svg>
    </button>
  );
}

function Lines({ step }: { readonly step: BootstrapRow }) {
  const words = t().bootstrap;
  return (
    <div class="lines">
      {step.waitsFor ? (
        <p>
          {words.waitsFor} <b>{step.waitsFor}</b>
        </p>
      ) : null}
      {step.tries ? <p>{words.tries(step.tries)}</p> : null}
      {step.lastError ? <p class="bad-text">{step.lastError}</p> : null}
      <p class="soft">{words.limit(formatDuration(step.limitMs))}</p>
      {step.lines.length === 0 ? <p class="soft">{words.noLines}</p> : null}
      <ul class="evidence">
        {step.lines.map(({ place, text }) => (
          <li key={place}>
            <span class="place">{place}</span>
            <code>{text}</code>
          </li>
        ))}
      </ul>
    </div>
  );
}
