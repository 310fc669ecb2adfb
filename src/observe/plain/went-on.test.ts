import { expect, test } from 'vitest';
import { goesOn } from './went-on.ts';

test.each([
  'the depot is ready',
  'Writing lid.bin: done',
  'Saved credentials to: /srv/lid',
  'Now using project "depot" on server "https://api.fern.lan:6443".',
  'namespace/depot labeled',
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
    'an event of what is tried',
    '3m  Normal  Scheduled  pod/depot-0  Successfully assigned depot-0',
  ],
  [
    'the same in a table of the console',
    '9:55:03 AM | Normal | Scheduled | Successfully assigned fern/depot-0 to node-1',
  ],
  ['the type of a condition', '    Type:                  Ready-In-Zone-fern-1'],
  ['the report of a test that failed', 'JUnit report was created: /tmp/fern.xml'],
  ['what to do', 'Check that the depot is running'],
  ['what to do, as a field', 'Action: Check if the depot is enabled'],
])('goesOn takes %s for no success', (_what, line) => {
  expect(goesOn(line)).toBe(false);
});
