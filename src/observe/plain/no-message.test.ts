import { expect, test } from 'vitest';
import { isNoMessage } from './no-message.ts';

test.each([
  'error_page 502 /depot.html;',
  'SystemCallErrorNumber=EPERM',
  '\tif err != nil { return errors.New("crate 7 has no lid") }',
  'log.Error(err, "unable to seal crate 7")',
  "const err = new Error('crate 7 is not sealed')",
  '          TX packets:31 errors:0 dropped:2 overruns:0 carrier:0',
  '        RX errors 0  dropped 0  overruns 0  frame 0',
  'oc get crate 7 || echo "crate 7 was not found"',
  'kubectl get crates -o name',
  ' ✓ No crate is without a lid',
  'In the preceding example output, crate 7 cannot be sealed.',
  'If you cannot seal crate 7, follow the steps below.',
])('isNoMessage knows what says nothing of what happened: %s', (line) => {
  expect(isNoMessage(line)).toBe(true);
});

test.each([
  'error: crate 7 has no lid',
  'oc: command not found',
  'docker: Error response from daemon: crate 7 has no lid.',
  'Error from server (NotFound): crates "7" not found',
  "if: unexpected value '', crate 7 has no lid",
])('isNoMessage leaves alone what programs say: %s', (line) => {
  expect(isNoMessage(line)).toBe(false);
});

test.each([
  ['words', `if ${'a '.repeat(50_000)}`],
  ['names', `${'a, '.repeat(50_000)}!`],
  ['flags', `--a ${'b '.repeat(50_000)}`],
])('isNoMessage gets to the end of a line of %s', (_what, line) => {
  expect(isNoMessage(line)).toBe(false);
});
