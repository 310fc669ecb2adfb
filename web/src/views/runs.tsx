import type { RunSummary } from '../../../src/dashboard/model/page-data.ts';
import { connection, page, showRun } from '../data.ts';
import { dateOf, formatBytes, formatDuration } from '../format.ts';
import { Pill, toneOf } from '../parts/pill.tsx';
import { goTo } from '../route.ts';
import { t } from '../settings.ts';

/** Runs of the site below each other, each stage by its time. */
export function Runs() {
  const runs = page.value?.runs ?? [];
  const words = t();
  const stages = [...new Set(runs.flatMap((run) => run.stages.map(({ id }) => id)))];
  if (runs.length === 0) return <p class="soft">{words.sentence.nothing}</p>;
  return (
    <table class="plain-table runs">
      <thead>
        <tr>
          <th scope="col">{words.views.runs}</th>
          <th scope="col">{words.images.outcome}</th>
          <th scope="col" class="number">
            {words.figures.time}
          </th>
          <th scope="col" class="number">
            {words.figures.moved}
          </th>
          {stages.map((id) => (
            <th key={id} scope="col" class="number">
              {words.stages[id] ?? id}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {runs.map((one) => (
          <Row key={one.run} one={one} stages={stages} />
        ))}
      </tbody>
    </table>
  );
}

/** What did not happen takes no room. */
const SHORT: Readonly<Record<string, string>> = { 'not-run': '–', waiting: '–' };

function Row({ one, stages }: { readonly one: RunSummary; readonly stages: readonly string[] }) {
  const open = async () => {
    await showRun(one.run);
    goTo('overview');
  };
  return (
    <tr>
      <th scope="row">
        {connection.value === 'file' ? (
          dateOf(one.startedAt)
        ) : (
          <button type="button" class="link" onClick={open}>
            {dateOf(one.startedAt)}
          </button>
        )}
      </th>
      <td>
        <Pill state={one.outcome} />
      </td>
      <td class="number" data-label={t().figures.time}>
        {formatDuration(one.durationMs)}
      </td>
      <td class="number" data-label={t().figures.moved}>
        {formatBytes(one.copiedBytes)}
      </td>
      {stages.map((id) => {
        const stage = one.stages.find((other) => other.id === id);
        const state = stage?.state ?? 'not-run';
        const isTimed = state === 'done' || state === 'failed';
        return (
          <td key={id} class={`number cell ${toneOf(state)}`} data-label={t().stages[id] ?? id}>
            {isTimed
              ? formatDuration(stage?.durationMs ?? 0)
              : (SHORT[state] ?? t().states[state] ?? state)}
          </td>
        );
      })}
    </tr>
  );
}
