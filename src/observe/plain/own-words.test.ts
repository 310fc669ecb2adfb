import { expect, test } from 'vitest';
import { bareWords, ownWords, tellsOf } from './own-words.ts';

test.each([
  ['depotctl: error: crate 7 is already sealed', 'depotctl: error: crate 7 is already sealed'],
  ['ERROR the lid of crate-7 does not fit', 'the lid of crate-7 does not fit'],
  ['[ERROR Lid-7]: the lid of crate-7 is not round', 'the lid of crate-7 is not round'],
  ['ERROR! no lid of crate-7 was found', 'no lid of crate-7 was found'],
  ['  12  Nov 02 10:12:01 host-1 depotd[7]: crate 7 has no lid', 'crate 7 has no lid'],
  [
    'I0710 05:03:42.6 1 depot.go:150] "WARNING: sealing crate-7 failed: there is no lid for it" logger="depot" crate="cove/crate-7"',
    'WARNING: sealing crate-7 failed: there is no lid for it',
  ],
  [
    'level=error msg="error listing lids" error="LidError: crate-7 is not of this depot\\n\\tstatus code: 301, request id: , host id: "',
    'LidError: crate-7 is not of this depot',
  ],
  ['error: no lid is defined for crate-7', 'no lid is defined for crate-7'],
  ['E1102 10:12:01.000001       1 depot.go:77] crate "7" has no lid', 'crate "7" has no lid'],
  [
    '  Warning  FailedSeal  5s (x3 over 47s)   depotlet, host-1   crate "7" has no lid',
    'crate "7" has no lid',
  ],
  [
    '3m44s       Warning   FailedSeal   pod/depot-0    crate "7" has no lid',
    'crate "7" has no lid',
  ],
  [
    'time="2026-11-02T10:12:01Z" level=error msg="sealing failed" err="crate 7: lid missing"',
    'crate 7: lid missing',
  ],
  ['{"level":"error","msg":"seal","error":"crate \\"7\\" has no lid"}', 'crate "7" has no lid'],
  [
    'fatal: [host-1]: FAILED! => {"changed": false, "msg": "non-zero return code", "stderr": "depotctl: crate 7 has no lid"}',
    'depotctl: crate 7 has no lid',
  ],
  [
    'fatal: [host-1]: FAILED! => {"msg": "", "rc": 1, "stderr": "", "stdout": "\\nUnable to find lids for crate 7.\\n"}',
    'Unable to find lids for crate 7.',
  ],
  ['{"error":"exit 5","stdout":"","stderr":"crate 7 has no lid"}', 'crate 7 has no lid'],
  ["Error: crate '7' isn't sealed. Please seal it with depotctl seal", "crate '7' isn't sealed."],
])('ownWords says what a program states of its error: %s', (line, said) => {
  expect(ownWords(line)).toMatchObject({ id: 'says-itself', cause: said });
});

test.each([
  ['that a step failed', 'error: sealing of crate 7 failed'],
  ['what a kernel ran', 'CPU: 0 PID: 1 Comm: depot/0 Not tainted 5.14.0-1.el9 #2'],
  ['how a process ended', 'error: depotctl did not finish: exit status 3'],
  ['where the reason is', 'error: crate 7 is not sealed, see the log for details'],
  ['a row of a table', 'depot.crt   Nov 02, 2027   218d   depot-ca   no'],
  ['that more follows', 'error: these crates are not sealed:'],
  ['too little', 'error: no'],
  ['the value of a field', 'Seal Error Threshold:     2'],
  ['that there was none', 'Depot Server Error:     No'],
  ['what letters mean', 'i internal, r seal-failure, S Stale, R Removed'],
  ['what is waited for', 'Waiting 600s for the depot to be sealed and not failed'],
  ['what was typed', 'depotctl seal verify --not-sealed --errors crate-7,crate-8'],
  ['what a program would do', "const err = new Error('crate 7 is not sealed')"],
  ['the name of a label', 'host-1.example.com node.depot.io/unreachable error.depot.io/no-seal'],
  ['that all is done', 'host-1 has rebooted and no further errors will be posted'],
])('ownWords is silent where a line only says %s', (_what, line) => {
  expect(ownWords(line)).toBeUndefined();
  expect(tellsOf(line)).toBe(0);
});

test('tellsOf sets what has a name before what has none', () => {
  expect(tellsOf('error: crate 7 is not sealed')).toBeGreaterThan(
    tellsOf('error: something is not sealed'),
  );
});

test('ownWords takes of a long line with breaks in it the one that tells the most', () => {
  const line = `error: ${'sealing of all crates goes on\\n'.repeat(20)}crate "7" has no lid\\n${'turn '.repeat(40)}`;

  expect(ownWords(line)?.cause).toBe('crate "7" has no lid');
});

test('ownWords leaves out what signs an address, wherever a long line is cut', () => {
  const query = `X-Amz-Date=20260102T030405Z&X-Amz-Signature=${'5a'.repeat(32)}&cf_sign=${'Qx7'.repeat(40)}`;
  for (const path of ['a', 'a'.repeat(90), 'a'.repeat(300)]) {
    const url = `https://cdn.lab/${path}?X-Amz-Algorithm=AWS4&${query}`;

    const said = ownWords(`error: fetching lids: Get "${url}": crate 7 has no lid`);

    expect(said?.cause).toMatch(/crate 7 has no lid$/);
    expect(said?.cause).not.toMatch(/5a5a|Qx7/);
  }
});

test('ownWords shows how a long error begins and ends, which says why, and no secret of it', () => {
  const long = `error: ${'outer step: '.repeat(60)}crate 7 has no lid`;

  expect(ownWords(long)?.cause).toMatch(/^outer step: .* … .*crate 7 has no lid$/);
  expect(ownWords('error: login as a with password=hunter22 is not valid')?.cause).not.toContain(
    'hunter22',
  );
});

test.each([
  ['fields without an end', 'msg="'.repeat(20_000)],
  ['columns', `error: ${'a  '.repeat(40_000)}`],
  ['reasons', `error: ${'a: not b. If '.repeat(10_000)}`],
  ['events', `Warning  ${'Failed  '.repeat(20_000)}`],
  ['flags', `depotctl ${'--not a '.repeat(20_000)}!`],
  ['letters', `, a b${', a b'.repeat(20_000)}`],
  ['words without a value', `${'error in a '.repeat(20_000)}!`],
])('ownWords gets to the end of a line of %s', (_what, line) => {
  expect(() => ownWords(line)).not.toThrow();
});

test('ownWords takes how it ended for no part of what is stated', () => {
  const late = 'F1102 10:15:02.1 7 depot.go:1] crate 7 was not sealed: context deadline exceeded';

  expect(tellsOf(late)).toBe(2);
  expect(tellsOf('error: sealing crate 7: context deadline exceeded')).toBe(0);
  expect(tellsOf('depotctl: an error occurred: no lid for crate 7')).toBe(2);
  expect(tellsOf('depotctl: 2 errors occurred')).toBe(0);
});

test('bareWords quotes what does not state why, and nothing that says only how it ended', () => {
  expect(
    bareWords('F1102 10:15:02.1 7 depot.go:1] failed to get the lid of crate 7'),
  ).toMatchObject({ cause: 'failed to get the lid of crate 7' });
  expect(bareWords('error: exit status 7 of sealing')).toBeUndefined();
});
