import { clusterOf, stateOfPart } from '../../../src/dashboard/model/cluster-view.ts';
import type { ClusterData } from '../../../src/dashboard/model/page-data.ts';
import type { PartHistory } from '../../../src/dashboard/model/run-state.ts';
import { page, past, run } from '../data.ts';
import { clockOf, dateOf } from '../format.ts';
import { Pill } from '../parts/pill.tsx';
import { t } from '../settings.ts';

/** What the cluster says of itself: operators over time, etcd, requests for certificates. */
export function Cluster() {
  const data = clusterOf(run.value, page.value?.cluster, past.value !== undefined);
  const words = t().cluster;
  if (!data) return <p class="soft">{words.none}</p>;
  const of = (kind: PartHistory['kind']) => data.parts.filter((part) => part.kind === kind);
  return (
    <>
      <p>
        {data.progress} <span class="soft">{words.from[data.from](dateOf(data.at))}</span>
      </p>
      <Operators data={data} operators={of('operator').toSorted(worstFirst)} />
      <div class="columns thirds">
        <Parts id="members" title={words.members} parts={of('member').toSorted(byName)} />
        <Parts id="nodes" title={words.nodes} parts={of('node').toSorted(byName)} />
        <Requests requests={of('request')} />
      </div>
    </>
  );
}

const RANK: readonly string[] = ['degraded', 'unavailable', 'progressing', 'available'];
const byName = (a: PartHistory, b: PartHistory) => (a.name < b.name ? -1 : 1);
const worstFirst = (a: PartHistory, b: PartHistory) =>
  RANK.indexOf(stateOfPart(a)) - RANK.indexOf(stateOfPart(b)) || byName(a, b);

interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the first sign of an operator until now: of one that was up for long, the last hours say nothing. */
function spanOf({ at }: ClusterData, operators: readonly PartHistory[]): Span {
  const to = Date.parse(at);
  const times = operators.flatMap(({ history }) => history.map((one) => Date.parse(one.at)));
  return { from: Math.min(...times, to - 60_000), to: Math.max(to, ...times) };
}

function Operators({
  data,
  operators,
}: {
  readonly data: ClusterData;
  readonly operators: readonly PartHistory[];
}) {
  const words = t().cluster;
  if (operators.length === 0) return null;
  const span = spanOf(data, operators);
  const settled = operators.filter((one) => stateOfPart(one) === 'available').length;
  return (
    <section class="heat-map" aria-labelledby="operators">
      <h2 id="operators">
        {words.operators} <span>{words.settled(settled, operators.length)}</span>
      </h2>
      <ul>
        <li class="ticks" aria-hidden="true">
          <Ticks span={span} />
        </li>
        {operators.map((operator) => (
          <Operator key={operator.name} operator={operator} span={span} />
        ))}
      </ul>
      <p class="legend">
        {RANK.toReversed().map((state) => (
          <span key={state}>
            <span class={`swatch ${state}`} aria-hidden="true" />
            {words.states[state as keyof typeof words.states]}
          </span>
        ))}
      </p>
    </section>
  );
}

const TICKS = [0, 0.25, 0.5, 0.75, 1];

function Ticks({ span: { from, to } }: { readonly span: Span }) {
  return (
    <>
      {TICKS.map((share) => (
        <span key={share}>{clockOf(from + share * (to - from))}</span>
      ))}
    </>
  );
}

function Operator({ operator, span }: { readonly operator: PartHistory; readonly span: Span }) {
  const words = t().cluster;
  const state = stateOfPart(operator);
  return (
    <li data-operator={operator.name} data-state={state}>
      <b>{operator.name}</b>
      <Heat operator={operator} span={span} />
      <Pill state={TONE[state] ?? state} word={words.states[state as keyof typeof words.states]} />
      {state === 'available' || operator.message === '' ? null : (
        <span class="says soft">{operator.message}</span>
      )}
    </li>
  );
}

const TONE: Readonly<Record<string, string>> = {
  available: 'done',
  progressing: 'running',
  degraded: 'failed',
  unavailable: 'warning',
};

/** How it stood over time, one stretch for each state. */
function Heat({
  operator: { history },
  span: { from, to },
}: {
  readonly operator: PartHistory;
  readonly span: Span;
}) {
  const x = (ms: number) => ((Math.max(from, ms) - from) / (to - from || 1)) * 100;
  return (
    <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" width="100" height="10" />
      {history.map(({ at, state }, index) => {
        const start = x(Date.parse(at));
        const next = history[index + 1];
        const end = next ? x(Date.parse(next.at)) : 100;
        const width = Math.max(0.4, end - start);
        return <rect key={at} class={state} x={Math.min(start, 99.6)} width={width} height="10" />;
      })}
    </svg>
  );
}

function Parts({
  id,
  title,
  parts,
}: {
  readonly id: string;
  readonly title: string;
  readonly parts: readonly PartHistory[];
}) {
  const words = t().cluster;
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {parts.length === 0 ? <p class="soft">–</p> : null}
      <ul class="rows">
        {parts.map((part) => {
          const isReady = stateOfPart(part) === 'ready';
          return (
            <li key={part.name}>
              {part.name}{' '}
              <Pill
                state={isReady ? 'done' : 'waiting'}
                word={words.ready[isReady ? 'yes' : 'no']}
              />
            </li>
          );
        })}
      </ul>
    </section>
  );
}

function Requests({ requests }: { readonly requests: readonly PartHistory[] }) {
  const words = t().cluster;
  const isPending = (request: PartHistory) => stateOfPart(request) === 'pending';
  const since = ({ history }: PartHistory) => history[0]?.at ?? '';
  const sorted = requests.toSorted(
    (a, b) => Number(isPending(b)) - Number(isPending(a)) || (since(a) < since(b) ? 1 : -1),
  );
  return (
    <section aria-labelledby="requests">
      <h2 id="requests">{words.requests}</h2>
      {sorted.length === 0 ? <p class="soft">–</p> : null}
      <ul class="rows">
        {sorted.map((request) => {
          const state = stateOfPart(request);
          return (
            <li key={request.name} data-request={state}>
              {request.name}
              <Pill
                state={state === 'pending' ? 'warning' : state}
                word={words.requestStates[state] ?? state}
              />
              <small class="soft">{request.message}</small>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
