import type { RehearsalData } from '../../../src/dashboard/model/page-data.ts';
import { page } from '../data.ts';
import { dateOf, imageName } from '../format.ts';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';
import { Finding } from './findings.tsx';

/** Images by causes, holes first: what would stop a node, before one is switched on. */
export function Rehearsal() {
  const data = page.value?.rehearsal;
  const words = t().rehearsal;
  if (!data) return <p class="soft">{words.none}</p>;
  const findings = (page.value?.findings ?? []).filter(({ from }) => from === 'rehearsal');
  return (
    <>
      <p>
        <Pill
          state={data.clean ? 'done' : 'failed'}
          word={words.clean[data.clean ? 'yes' : 'no']}
        />{' '}
        {words.pullable(data.pullable, data.images)}{' '}
        <span class="soft">
          {data.registries.join(', ')} · {dateOf(data.at)}
        </span>
      </p>
      <Matrix data={data} />
      <div class="findings">
        {findings.map((finding) => (
          <Finding key={`${finding.id} ${finding.title}`} finding={finding} open={false} />
        ))}
      </div>
      {data.unchecked.length > 0 ? (
        <section aria-labelledby="unchecked">
          <h2 id="unchecked">{words.unchecked}</h2>
          <ul class="plain">
            {data.unchecked.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
        </section>
      ) : null}
    </>
  );
}

const MOST_ROWS = 300;

function Matrix({ data }: { readonly data: RehearsalData }) {
  const words = t().rehearsal;
  const causes = data.findings.filter(({ images }) => images.length > 0);
  const rows = new Map<string, { readonly reason: string; readonly hit: Set<number> }>();
  for (const [index, { images }] of causes.entries()) {
    for (const { name, reason } of images) {
      const row = rows.get(name) ?? { reason, hit: new Set<number>() };
      row.hit.add(index);
      rows.set(name, row);
    }
  }
  const isHole = (index: number) => causes[index]?.severity === 'hole';
  const holesOf = (hit: ReadonlySet<number>) => [...hit].filter(isHole).length;
  const sorted = [...rows].toSorted(([, a], [, b]) => holesOf(b.hit) - holesOf(a.hit));
  if (sorted.length === 0) return null;
  return (
    <table class="plain-table matrix" aria-label={words.matrix}>
      <thead>
        <tr>
          <th scope="col">{t().images.source}</th>
          {causes.map(({ cause, title }) => (
            <th key={`${cause} ${title}`} scope="col" title={title}>
              {cause}
            </th>
          ))}
          <th scope="col">{t().images.why}</th>
        </tr>
      </thead>
      <tbody>
        {sorted.slice(0, MOST_ROWS).map(([name, { reason, hit }]) => (
          <tr key={name}>
            <th scope="row" title={name}>
              {imageName(name)}
            </th>
            {causes.map(({ cause, title, severity }, index) => (
              <td
                key={`${cause} ${title}`}
                data-label={cause}
                class={hit.has(index) ? '' : 'empty'}
              >
                {hit.has(index) ? (
                  <Pill state={severity} word={t().findingKinds[severity]} />
                ) : (
                  <span class="soft">·</span>
                )}
              </td>
            ))}
            <td class="why">{reason}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
