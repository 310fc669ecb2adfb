import { expect, test } from 'vitest';
import { clusterOf, stateOfPart } from './cluster-view.ts';
import type { ClusterData } from './page-data.ts';
import { newRunState, type PartHistory } from './run-state.ts';

const at = (minute: number) => `2026-01-01T10:0${minute}:00.000Z`;
const dns = (...states: readonly (readonly [number, string])[]): PartHistory => ({
  kind: 'operator',
  name: 'dns',
  message: '',
  history: states.map(([minute, state]) => ({ at: at(minute), state })),
});
const asked = (part: PartHistory): ClusterData => ({
  at: at(9),
  from: 'api',
  progress: 'Working',
  parts: [part],
});
const runWith = (...parts: PartHistory[]) => ({ ...newRunState([]), lastAt: at(8), parts });

test('clusterOf puts what the run saw before what is seen now', () => {
  const run = runWith(dns([1, 'unavailable'], [3, 'available']));
  const now = asked(dns([3, 'available'], [5, 'degraded']));

  const [part] = clusterOf(run, now, false)?.parts ?? [];

  expect(part).toEqual(dns([1, 'unavailable'], [3, 'available'], [5, 'degraded']));
});

test('clusterOf shows what a run saw where nobody can be asked, without what is gone', () => {
  const run = runWith(dns([1, 'available']), {
    ...{ kind: 'member', name: 'etcd-bootstrap', message: '' },
    history: [
      { at: at(1), state: 'ready' },
      { at: at(2), state: 'gone' },
    ],
  });

  const data = clusterOf(run, { ...asked(dns([9, 'degraded'])), from: 'logs' }, false);

  expect(data).toMatchObject({ from: 'run', at: at(8) });
  expect(data?.parts.map(stateOfPart)).toEqual(['available']);
});

test('clusterOf shows nothing of now for an earlier run', () => {
  expect(clusterOf(runWith(), asked(dns([1, 'available'])), true)).toBeUndefined();
  expect(clusterOf(undefined, asked(dns([1, 'available'])), false)?.from).toBe('api');
});
