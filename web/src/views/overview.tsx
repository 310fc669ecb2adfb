import { page, run } from '../data.ts';
import { clockOf, formatBytes, formatDuration } from '../format.ts';
import { Curve } from '../parts/curve.tsx';
import { Pill } from '../parts/pill.tsx';
import { Stages } from '../parts/stages.tsx';
import { t } from '../settings.ts';
import { Finding } from './findings.tsx';
import { namedBytes } from './sharing.tsx';

export function Overview() {
  const findings = page.value?.findings ?? [];
  const failed = run.value?.stages.find(({ state }) => state === 'failed');
  return (
    <>
      <Stages />
      {failed?.hint ? <p class="hint">{failed.hint}</p> : null}
      <Figures />
      {findings[0] && failed ? (
        <section aria-labelledby="behind">
          <h2 id="behind">{t().cause}</h2>
          <Finding finding={findings[0]} open />
        </section>
      ) : null}
      <div class="columns">
        <Moved />
        <Remarks />
      </div>
      <Honesty />
    </>
  );
}

function Figures() {
  const state = run.value;
  const site = page.value?.site;
  if (!state || !site) return null;
  const words = t().figures;
  const spared = Math.max(0, namedBytes(page.value?.images ?? []) - state.copied.bytes);
  const images = page.value?.images?.length || state.images.length;
  const warnings = state.remarks.filter(({ kind }) => kind === 'warning').length;
  const shown: readonly (readonly [string, string])[] = [
    [words.release, site.release],
    [words.images, String(images)],
    [words.moved, formatBytes(state.copied.bytes)],
    [words.spared, formatBytes(spared)],
    [words.time, state.durationMs > 0 ? formatDuration(state.durationMs) : '–'],
    [words.warnings, String(warnings)],
    [words.platform, site.platform],
    [words.mirror, site.mirror],
  ];
  const figures = shown.filter(([, value]) => value !== '');
  return (
    <dl class="figures">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Moved() {
  const series = run.value?.moved;
  const tasks = run.value?.tasks ?? [];
  return (
    <section aria-labelledby="moved">
      <h2 id="moved">{t().movedOverTime}</h2>
      {series && series.values.length > 0 ? (
        <Curve series={series} label={t().movedOverTime} />
      ) : (
        <p class="soft">–</p>
      )}
      {tasks.length > 0 ? (
        <ul class="tasks" aria-label={t().now}>
          {tasks.map(({ task, title, totalItems }) => (
            <li key={task}>
              {title} {totalItems ? <span class="soft">({totalItems})</span> : null}
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}

function Remarks() {
  const remarks = (run.value?.remarks ?? []).toReversed().slice(0, 40);
  const words = t();
  return (
    <section aria-labelledby="remarks">
      <h2 id="remarks">{words.remarks}</h2>
      {remarks.length === 0 ? <p class="soft">{words.noRemarks}</p> : null}
      <ul class="remarks">
        {remarks.map((remark) => (
          <li key={`${remark.at}${remark.message}`}>
            <time dateTime={remark.at}>{clockOf(Date.parse(remark.at))}</time>
            <Pill state={remark.kind} word={words.remarkKinds[remark.kind]} />
            <span>
              {remark.message}
              {remark.hint ? <span class="soft"> {remark.hint}</span> : null}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What of a lab is played, and what is as it would be. */
function Honesty() {
  const site = page.value?.site;
  if (!site || site.simulated.length === 0) return null;
  const list = (title: string, items: readonly string[]) => (
    <section>
      <h2>{title}</h2>
      <ul class="plain">
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </section>
  );
  return (
    <div class="columns soft">
      {list(t().simulated, site.simulated)}
      {list(t().real, site.real)}
    </div>
  );
}
