import { expect, test } from 'vitest';
import { createOutcome, goesOn, type Speaker, saysOfReadyPod, speakersOf } from './went-on.ts';

test.each([
  'the depot is ready',
  'status of depot: lid checks are working',
  'Writing lid.bin: done',
  'Saved credentials to: /srv/lid',
  'Now using project "depot" on server "https://api.fern.lan:6443".',
  'namespace/depot labeled',
  'the depot of w-2 became active',
  'I1103 10:11:12.1 1 shared_informer.go:318] Caches are synced for depot',
  '{"level":"info","msg":"peer became active","peer-id":"4e"}',
  '3m  Normal  Pulled  pod/depot-0  Container image is there, and was pulled',
])('goesOn believes what tells of success: %s', (line) => {
  expect(goesOn(line)).toBe(true);
});

test.each([
  ['a failure', 'error: the depot is not ready'],
  ['the trace of a crash', 'goroutine 1 [running]:'],
  ['what is not so', 'depotd.socket is neither running nor listening'],
  ['a step that begins', 'DEBU Running SSH command: depotctl seal'],
  ['the head of a table', 'NAME     READY   STATUS    RESTARTS   AGE'],
  ['a row of a table', 'depot-1   1/1     Running   0          3d'],
  ['a field of a description', '      Started:      Mon, 02 Nov 2026 10:12:01 +0000'],
  [
    'an image that was there before',
    '  Normal   Pulled  3s (x6 over 58s)  kubelet  Container image "lid" already present on machine and ready',
  ],
  [
    'an event of what is tried',
    '3m  Normal  Scheduled  pod/depot-0  Successfully assigned depot-0',
  ],
  [
    'the same in a table of the console',
    '9:55:03 AM | Normal | Scheduled | Successfully assigned fern/depot-0 to node-1',
  ],
  ['the type of a condition', '    Type:                  Ready-In-Zone-fern-1'],
  ['the report of a test that failed', 'JUnit report was created: /tmp/fern.xml'],
  ['what led to it', '  Cause: "At 10:12 a crate was started in response to a difference"'],
  ['a wait that is over', '==> Wait completed after 2 minutes'],
  ['how a command ended', 'Finished "depotctl seal"; Duration: 72s; Exit Status: 1'],
  ['what to do', 'Check that the depot is running'],
  ['what to do, as a field', 'Action: Check if the depot is enabled'],
])('goesOn takes %s for no success', (_what, line) => {
  expect(goesOn(line)).toBe(false);
});

test.each([
  ['a job that is still waited for', '[**   ] A start job is running for Depot (14min / no limit)'],
  ['a machine that gives up its start', '[  OK  ] Reached target Emergency Mode.'],
  ['a program that cleans up', 'INFO Local Cluster API system has completed operations'],
  ['a run that sums up', 'info: Mirroring completed in 260ms (0B/s)'],
  ['what is still waited for', 'level=debug msg="Still waiting for the depot to become ready"'],
  ['a success that was none', 'The sealing does not appear to have been successful.'],
  ['a warning', 'level=warning msg="the depot cannot complete while this is so"'],
  ['an error of klog', 'E0909 06:11:03.801020    2201 depot.go:226] Marking it on a running depot'],
  ['a message of a condition', '    Message:               all depots are healthy'],
  ['how many there are', '  Ready Depot Count:        2'],
  ['a probe that answers', 'Reply from 10.9.0.3: bytes=32 time<1ms TTL=63, ok'],
])('goesOn takes %s for no success', (_what, line) => {
  expect(goesOn(line)).toBe(false);
});

/** Whether the first of these lines is over when the last of them tells of a success. */
function isOver(...lines: readonly string[]): boolean {
  const speakers = speakersOf(lines);
  const outcome = createOutcome();
  outcome.note(speakers.at(-1) as Speaker);
  return outcome.isGood(speakers[0] as Speaker);
}

test('what goes on is over for who says so, not for others', () => {
  const failed = 'May 06 10:20:12 w-1 depotd[2344]: cannot fetch the lid';

  expect(isOver(failed, 'May 06 10:20:15 w-1 depotd[2344]: fetched the lid')).toBe(true);
  expect(isOver(failed, 'May 06 10:20:15 w-1 tide[9]: all is done')).toBe(true);
  expect(isOver(failed, 'May 06 10:20:15 w-1 sshd[4]: Accepted publickey for core')).toBe(false);
  expect(isOver(failed, 'May 06 10:20:15 w-1 chronyd[9]: Selected source 10.1.0.1')).toBe(false);
});

test('what a bystander complains of is over as soon as anything goes on', () => {
  const failed = 'May 06 10:20:12 w-1 chronyd[9]: Could not resolve address of server';

  expect(isOver(failed, 'May 06 10:20:15 w-1 sshd[4]: Accepted publickey for core')).toBe(true);
  expect(isOver(failed, 'May 06 10:20:15 w-1 depotd[2344]: fetched the lid')).toBe(true);
});

test('what another command brings to its end says nothing of the one before it', () => {
  const failed = ['$ depotctl push lid', 'error: no lid'];

  expect(isOver('error: no lid', '[core@w-1 ~]$ curl depot', 'ok, 200')).toBe(false);
  expect(isOver(...failed.slice(1), 'pushed, done')).toBe(true);
  const again = speakersOf([...failed, '$ depotctl push lid', 'done']);
  expect(again.map(({ command }) => command)).toEqual(Array(4).fill('depotctl push lid'));
});

test('what events tell of a pod is over where a table shows it as ready', () => {
  const isOver = saysOfReadyPod([
    'NAME         READY   STATUS    RESTARTS   AGE',
    'tide-0-abc   2/2     Running   0          38m',
    'tide-1-abc   1/2     Running   0          38m',
    'tide-2-abc   2/2     Running   7          38m',
  ]);

  const told = (pod: string) => `21m  Warning  Unhealthy  pod/${pod} Startup probe failed`;
  expect(['tide-0-abc', 'tide-1-abc', 'tide-2-abc'].map((pod) => isOver(told(pod)))).toEqual([
    true,
    false,
    false,
  ]);
});
