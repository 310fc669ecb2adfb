import { expect, test } from 'vitest';
import type { BootstrapStep } from '../../openshift/bootstrap/step.ts';
import type { ServiceRecordEntry } from '../formats/service-record.ts';
import { addSignal, factsBetweenStages, factsOfRecord, later, noFacts } from './facts.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 7, 20, 10, minute));
const SECONDS = at(0).getTime() / 1000;

type Signal = [says: Parameters<typeof addSignal>[1], minute: number | undefined, groups?: object];

function factsAfter(...signals: readonly Signal[]) {
  const facts = noFacts();
  for (const [says, minute, groups = {}] of signals)
    addSignal(facts, says, { ...groups }, minute === undefined ? undefined : at(minute));
  return facts;
}

test('later takes the newer of two times, and the one that is there', () => {
  expect(later(at(1), at(2))).toEqual(at(2));
  expect(later(at(2), at(1))).toEqual(at(2));
  expect(later(undefined, at(1))).toEqual(at(1));
  expect(later(at(1), undefined)).toEqual(at(1));
});

test('addSignal keeps the first beginning, the first end and the last failure', () => {
  for (const minutes of [
    [1, 2],
    [2, 1],
  ] as const) {
    const all = (says: Signal[0]) => factsAfter(...minutes.map((one): Signal => [says, one]));

    expect(all('started')).toEqual({
      ...noFacts(),
      evidence: true,
      lastAt: at(2),
      startedAt: at(1),
    });
    expect(all('finished')).toEqual({
      ...noFacts(),
      evidence: true,
      lastAt: at(2),
      finishedAt: at(1),
    });
    expect(all('failed')).toEqual({ ...noFacts(), evidence: true, lastAt: at(2), failedAt: at(2) });
  }
});

test('addSignal takes a line without a time for an end or a failure at some time', () => {
  expect(factsAfter(['finished', undefined]).finishedAt).toEqual(new Date(0));
  expect(factsAfter(['failed', undefined]).failedAt).toEqual(new Date(0));
  expect(factsAfter(['started', undefined])).toEqual({ ...noFacts(), evidence: true });
});

test('addSignal counts an attempt once for each second, for a bundle holds some lines twice', () => {
  const facts = factsAfter(['loop', 1], ['loop', 3], ['loop', 1], ['loop', 2]);

  expect(facts).toEqual({
    ...noFacts(),
    evidence: true,
    startedAt: at(1),
    lastAt: at(3),
    lastLoopAt: at(3),
    loops: new Set([SECONDS + 60, SECONDS + 180, SECONDS + 120]),
  });
});

test('addSignal takes a note for a sign that the step has begun', () => {
  expect(factsAfter(['note', 2, { note: 'b' }], ['note', 1, { note: 'a' }]).startedAt).toEqual(
    at(1),
  );
});

test('addSignal counts each attempt that has no time', () => {
  expect(factsAfter(['loop', undefined], ['loop', undefined], ['loop', undefined]).loops.size).toBe(
    3,
  );
});

test('addSignal keeps the newest state of each pod, whatever order the lines come in', () => {
  const pod = (minute: number | undefined, state: string): Signal => [
    'note',
    minute,
    { pod: 'ns/a', state },
  ];

  expect(factsAfter(pod(2, 'Ready'), pod(1, 'Pending')).pods.get('ns/a')?.state).toBe('Ready');
  expect(factsAfter(pod(1, 'Pending'), pod(2, 'Ready')).pods.get('ns/a')?.state).toBe('Ready');
  expect(factsAfter(pod(1, 'Pending'), pod(1, 'Ready')).pods.get('ns/a')?.state).toBe('Ready');
  expect(factsAfter(pod(undefined, 'Pending')).pods.get('ns/a')).toEqual({
    state: 'Pending',
    at: 0,
  });
  expect(factsAfter(['note', 1, { pod: 'ns/a' }]).pods.get('ns/a')?.state).toBe('');
});

test('addSignal keeps the newest note, and takes one without a time for newer', () => {
  const note = (minute: number | undefined, text: string): Signal => [
    'note',
    minute,
    { note: text },
  ];

  expect(factsAfter(note(2, 'new'), note(1, 'old')).note).toBe('new');
  expect(factsAfter(note(1, 'old'), note(2, 'new')).note).toBe('new');
  expect(factsAfter(note(1, 'first'), note(1, 'second')).note).toBe('second');
  expect(factsAfter(note(2, 'one'), note(undefined, 'two')).note).toBe('two');
  expect(factsAfter(note(undefined, 'one'), note(1, 'two')).note).toBe('two');
  expect(factsAfter(note(1, 'one'), ['note', 2]).note).toBe('one');
  expect(factsAfter(['failed', 1, { what: 'a condition' }]).note).toBe('a condition');
  expect(factsAfter(['failed', 1, { note: 'a note', what: 'a condition' }]).note).toBe('a note');
});

test('addSignal notes what the mirror answered and not what the source did, and no endless text', () => {
  const pull =
    'initializing source docker://q/a: (Mirrors also failed: [m:5000/a: unauthorized]): q/a: timeout';

  expect(factsAfter(['note', 1, { note: pull }]).note).toBe('m:5000/a: unauthorized');
  expect(factsAfter(['note', 1, { note: 'x'.repeat(400) }]).note).toBe('x'.repeat(300));
});

type Entry = Omit<ServiceRecordEntry, 'timestamp'>;

/** One entry for each minute. */
const timed = (entries: readonly Entry[]): ServiceRecordEntry[] =>
  entries.map((entry, minute) => ({ timestamp: at(minute).toISOString(), ...entry }));

const start = { phase: 'service start' } as const;
const end = { phase: 'service end', result: 'success' } as const;
const dies = { phase: 'service end', result: 'failure' } as const;
const begins = (stage: string) => ({ phase: 'stage start', stage }) as const;
const succeeds = (stage: string) => ({ phase: 'stage end', stage, result: 'success' }) as const;
const fails = (stage: string, errorMessage?: string) =>
  ({ phase: 'stage end', stage, result: 'failure', errorMessage }) as const;

const STEP: BootstrapStep = {
  id: 'x',
  title: 'X',
  lane: 'System',
  limitMinutes: 1,
  waitsFor: 'y',
  service: 's',
};
const STAGE = { ...STEP, stage: 'x' };

test('factsOfRecord reads of a stage only its own entries', () => {
  const facts = factsOfRecord(STAGE, timed([start, begins('x'), succeeds('x'), begins('y'), end]));

  expect(facts).toEqual({
    ...noFacts(),
    evidence: true,
    startedAt: at(1),
    finishedAt: at(2),
    lastAt: at(2),
  });
  expect(factsOfRecord(STAGE, timed([start, begins('y'), end]))).toEqual(noFacts());
});

test('factsOfRecord keeps of several runs the first beginning and the last end', () => {
  const runs = timed([begins('x'), succeeds('x'), begins('x'), succeeds('x')]);

  expect(factsOfRecord(STAGE, runs)).toMatchObject({ startedAt: at(0), finishedAt: at(3) });
});

test('factsOfRecord takes the end of a service, and not of one of its stages, for that of the service', () => {
  expect(factsOfRecord(STEP, timed([start, begins('y'), succeeds('y')]))).not.toHaveProperty(
    'finishedAt',
  );
  expect(factsOfRecord(STEP, timed([start, begins('y'), succeeds('y'), end]))).toMatchObject({
    startedAt: at(0),
    finishedAt: at(3),
  });
});

test('factsOfRecord takes the end of the command before it for that of a service that never ends', () => {
  const kubelet = { ...STEP, endsBeforeService: true } as const;
  const before = [{ phase: 'pre-command start' }, { phase: 'pre-command end' }] as const;

  expect(factsOfRecord(kubelet, timed(before))).toMatchObject({ finishedAt: at(1) });
  expect(factsOfRecord(kubelet, timed([start, end]))).not.toHaveProperty('finishedAt');
});

test('factsOfRecord takes a failure after which the service ended for the last word', () => {
  const facts = factsOfRecord(STAGE, timed([begins('x'), fails('x', 'one\ntwo\nthree'), dies]));

  expect(facts).toMatchObject({ failedAt: at(1), note: 'three', noteAt: at(1) });
  expect(facts.loops.size).toBe(0);
});

test.each<[string, Entry[]]>([
  ['the stage begins again', [begins('x')]],
  ['the service starts again', [dies, start]],
  ['the command before the service starts again', [dies, { phase: 'pre-command start' }]],
  ['nothing came after it', []],
])('factsOfRecord takes a failure for an attempt where %s', (_, after) => {
  const facts = factsOfRecord(STAGE, timed([begins('x'), fails('x'), ...after]));

  expect(facts).not.toHaveProperty('failedAt');
  expect(facts).toMatchObject({ lastLoopAt: at(1), loops: new Set([SECONDS + 60]) });
});

test.each<[string, Entry[]]>([
  ['another stage begins', [begins('y')]],
  ['its service ends', [dies]],
])('factsOfRecord takes a failure for one where %s', (_, after) => {
  const facts = factsOfRecord(STAGE, timed([begins('x'), fails('x'), ...after]));

  expect(facts).toMatchObject({ failedAt: at(1), loops: new Set() });
});

test('factsOfRecord knows that a release image is pulled again and again, whatever came after', () => {
  const pull = { ...STEP, stage: 'pull-release-image' };
  const entries = timed([begins('pull-release-image'), fails('pull-release-image'), dies]);

  expect(factsOfRecord(pull, entries)).toMatchObject({ loops: new Set([SECONDS + 60]) });
});

test('factsOfRecord takes the end of a service that failed for the last word on it', () => {
  expect(factsOfRecord(STEP, timed([start, dies]))).toMatchObject({ failedAt: at(1) });
});

const never = () => false;

test('factsBetweenStages tells of a service that failed after its last stage was done', () => {
  const entries = timed([start, begins('x'), succeeds('x'), { ...dies, errorMessage: 'gone' }]);

  expect(factsBetweenStages(entries, never)).toEqual({
    ...noFacts(),
    evidence: true,
    startedAt: at(3),
    lastAt: at(3),
    failedAt: at(3),
    note: 'gone',
    noteAt: at(3),
  });
});

test('factsBetweenStages counts the runs of a service that is started again and again', () => {
  const facts = factsBetweenStages(timed([succeeds('x'), dies, start, dies, start]), never);

  expect(facts).toMatchObject({ startedAt: at(1), lastAt: at(3), lastLoopAt: at(3) });
  expect(facts?.loops.size).toBe(2);
  expect(facts).not.toHaveProperty('failedAt');
});

test('factsBetweenStages calls the last of several runs a failure when none came after it', () => {
  const facts = factsBetweenStages(timed([succeeds('x'), dies, start, dies]), never);

  expect(facts).toMatchObject({ failedAt: at(3), lastLoopAt: at(1) });
});

test.each<[string, Entry[]]>([
  ['nothing failed', [start, begins('x'), succeeds('x'), end]],
  ['a stage failed, which tells by itself', [start, begins('x'), fails('x'), dies]],
  ['a later run came further', [start, succeeds('x'), dies, start, begins('y')]],
  [
    'a command before it failed, and not the service',
    [{ phase: 'pre-command end', result: 'failure' }],
  ],
  ['there is no record', []],
])('factsBetweenStages tells nothing where %s', (_, entries) => {
  expect(factsBetweenStages(timed(entries), never)).toBeUndefined();
});

test('factsBetweenStages does not take a tolerated failure for the reason', () => {
  const entries = timed([start, begins('x'), fails('x'), dies]);

  expect(factsBetweenStages(entries, (stage) => stage === 'x')).toMatchObject({ failedAt: at(3) });
});
