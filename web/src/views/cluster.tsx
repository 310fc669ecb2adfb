import type { ClusterData, OperatorRow } from '../../../src/dashboard/model/page-data.ts';
import { page } from '../data.ts';
import { clockOf, dateOf } from '../format.ts';
import { Pill } from '../parts/pill.tsx';
import { Scroll } from '../parts/scroll.tsx';
import { t } from '../settings.ts';

/** What the cluster says of itself: operators over time, etcd, requests for certificates. */
export function Cluster() {
  const data = page.value?.cluster;
  const words = t().cluster;
  if (!data) return <p class="soft">{words.none}</p>;
  return (
    <>
      <p>
        {data.progress} <span class="soft">{words.from[data.from](dateOf(data.at))}</span>
      </p>
      <Operators data={data} />
      <div class="columns">
        <Members data={data} />
        <Requests data={data} />
      </div>
    </>
  );
}

function Operators({ data }: { readonly data: ClusterData }) {
  const words = t().cluster;
  if (data.operators.length === 0) return null;
  const times = data.operators.flatMap(({ history }) => history.map(({ at }) => Date.parse(at)));
  const to = Date.parse(data.at);
  const from = Math.min(...times, to - 60_000);
  return (
    <Scroll label={words.operators}>
      <table class="plain-table operators">
        <caption>
          {words.operators} <span class="soft">{`${clockOf(from)} – ${clockOf(to)}`}</span>
        </caption>
        <tbody>
          {data.operators.map((operator) => (
            <tr key={operator.name} data-operator={operator.name}>
              <th scope="row">{operator.name}</th>
              <td>
                <Pill state={TONE[operator.state]} word={words.states[operator.state]} />
              </td>
              <td class="heat">
                <Heat operator={operator} from={from} to={to} />
              </td>
              <td class="says">{operator.state === 'available' ? '' : operator.message}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

const TONE = {
  available: 'done',
  progressing: 'running',
  degraded: 'failed',
  unavailable: 'warning',
} as const;

/** How it stood over time, one stretch for each state. */
function Heat({
  operator,
  from,
  to,
}: {
  readonly operator: OperatorRow;
  readonly from: number;
  readonly to: number;
}) {
  const x = (ms: number) => ((Math.max(from, ms) - from) / (to - from || 1)) * 100;
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="10" />
      {operator.history.map(({ at, state }, index) => {
        const start = x(Date.parse(at));
        const next = operator.history[index + 1];
        const end = next ? x(Date.parse(next.at)) : 100;
        return (
          <rect key={at} class={state} x={start} width={Math.max(0.8, end - start)} height="10" />
        );
      })}
    </svg>
  );
}

function Members({ data }: { readonly data: ClusterData }) {
  const words = t().cluster;
  const rows = [
    ...data.etcd.map(({ name, state }) => ({
      name,
      state: state === 'ready' ? 'done' : 'waiting',
    })),
    ...data.nodes.map(({ name, ready }) => ({ name, state: ready ? 'done' : 'waiting' })),
  ];
  return (
    <section aria-labelledby="members">
      <h2 id="members">{words.members}</h2>
      <ul class="rows">
        {rows.map(({ name, state }) => (
          <li key={name}>
            {name} <Pill state={state} word={words.ready[state === 'done' ? 'yes' : 'no']} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Requests({ data }: { readonly data: ClusterData }) {
  const words = t().cluster;
  const isPending = (state: string) => state === 'pending';
  const sorted = data.requests.toSorted(
    (a, b) => Number(isPending(b.state)) - Number(isPending(a.state)) || (a.at < b.at ? 1 : -1),
  );
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">{words.requests}</h2>
      <ul class="rows">
        {sorted.map(({ name, user, state }) => (
          <li key={name}>
            {name} <span class="soft">{user}</span>{' '}
            <Pill
              state={isPending(state) ? 'warning' : state}
              word={words.requestStates[state] ?? state}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
