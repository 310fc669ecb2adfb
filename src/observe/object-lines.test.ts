import { expect, test } from 'vitest';
import { wordsOf } from './object-lines.ts';

test('wordsOf says conditions in one line each, and every text of the status', () => {
  const object = {
    kind: 'ClusterOperator',
    metadata: { name: 'ingress' },
    spec: { secret: 'not told' },
    status: {
      conditions: [
        { type: 'Degraded', status: 'True', reason: 'Broken', message: 'it is broken' },
        { type: 'Available', status: 'False' },
        null,
      ],
      versions: [{ name: 'operator', version: '4.18' }],
      count: 3,
      deeper: { state: 'READY', nothing: null },
    },
  };

  expect(wordsOf(object)).toEqual({
    origin: 'object:ClusterOperator/ingress',
    lines: [
      'Degraded=True (Broken): it is broken',
      'Available=False: ',
      'name: operator',
      'version: 4.18',
      'state: READY',
    ],
  });
});

test('wordsOf reads reason and message of what waits together, as an event says them', () => {
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling' };
  const status = { containerStatuses: [{ state: { waiting } }] };

  expect(wordsOf({ kind: 'Pod', status }).lines).toEqual([
    'ImagePullBackOff: Back-off pulling',
    'reason: ImagePullBackOff',
    'message: Back-off pulling',
  ]);
  expect(wordsOf({ kind: 'Pod', status: { reason: 'Evicted' } }).lines).toEqual([
    'reason: Evicted',
  ]);
});

test('wordsOf has a name for what has none, and nothing to say of what has no status', () => {
  expect(wordsOf({ kind: 7, metadata: {} })).toEqual({ origin: 'object:Unknown/', lines: [] });
  expect(wordsOf({ kind: 'Node', status: { conditions: 'none' } }).lines).toEqual([]);
  expect(wordsOf({ kind: 'Node', status: 'Ready' }).lines).toEqual(['status: Ready']);
});

test('wordsOf stops after so many lines, and so deep', () => {
  const many = { kind: 'Node', status: Array.from({ length: 300 }, (_, at) => ({ a: `${at}` })) };
  const nested = (levels: number): object =>
    levels === 0 ? { end: 'here' } : { inner: nested(levels - 1) };

  expect(wordsOf(many).lines).toHaveLength(200);
  expect(wordsOf({ status: nested(49) }).lines).toEqual(['end: here']);
  expect(wordsOf({ status: nested(50) }).lines).toEqual(['end: here']);
  expect(wordsOf({ status: nested(51) }).lines).toEqual([]);
});

test('wordsOf tells of an event its reason, message, subject and when it was last seen', () => {
  const event = {
    kind: 'Event',
    reason: 'Failed',
    message: 'Failed to pull image',
    involvedObject: { kind: 'Pod', name: 'etcd-0' },
    firstTimestamp: '2026-08-20T10:00:00Z',
    lastTimestamp: '2026-08-20T10:05:00Z',
  };

  expect(wordsOf(event)).toEqual({
    origin: 'event:Failed',
    lines: ['Failed: Failed to pull image (Pod/etcd-0)'],
    at: new Date('2026-08-20T10:05:00Z'),
  });
});

test('wordsOf takes of an event in the new form its note and time', () => {
  const event = { kind: 'Event', note: 'a note', eventTime: '2026-08-20T10:01:00Z' };

  expect(wordsOf(event)).toEqual({
    origin: 'event:Unknown',
    lines: ['Unknown: a note'],
    at: new Date('2026-08-20T10:01:00Z'),
  });
  expect(wordsOf({ kind: 'Event', firstTimestamp: '2026-08-20T10:00:00Z' }).at).toEqual(
    new Date('2026-08-20T10:00:00Z'),
  );
  expect(wordsOf({ kind: 'Event', involvedObject: {}, lastTimestamp: 'once' })).toEqual({
    origin: 'event:Unknown',
    lines: ['Unknown:  (/)'],
    at: undefined,
  });
});

test('wordsOf tells of an event of CloudFormation what happened to which resource', () => {
  const event = {
    LogicalResourceId: 'BootstrapInstance',
    ResourceStatus: 'CREATE_FAILED',
    ResourceStatusReason: 'limit exceeded',
    Timestamp: '2026-08-20T10:00:00Z',
  };

  expect(wordsOf(event)).toEqual({
    origin: 'aws:cloudformation',
    lines: ['BootstrapInstance CREATE_FAILED limit exceeded'],
    at: new Date('2026-08-20T10:00:00Z'),
  });
  expect(wordsOf({ ResourceStatus: 'CREATE_FAILED', Timestamp: 7 })).toEqual({
    origin: 'aws:cloudformation',
    lines: ['CREATE_FAILED'],
    at: undefined,
  });
});
