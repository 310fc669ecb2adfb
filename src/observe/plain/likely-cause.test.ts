import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import { diagnose } from '../diagnose.ts';

const NOW = new Date('2026-08-20T12:00:00Z');
const REFUSED = 'depotctl: error: dial tcp 10.9.0.3:7777: connect: connection refused';
const WARNED = 'level=warning msg="dial tcp 10.9.0.3:7777: connection refused"';
const FULL = 'depotctl: error: write /srv/a: no space left on device';

async function likelyOf(...lines: readonly string[]) {
  const open = () => once(Buffer.from(`${lines.join('\n')}\n`));
  const ctx = silentContext({ now: () => NOW });
  const input = { name: 'paste.txt', modified: NOW, open };
  // Without rules, so that no rule to come takes a line away from these tests.
  return (await diagnose(ctx, [input], { rules: [] })).likely;
}

test('diagnose reads the error that a text ends with, where no rule knows it', async () => {
  expect(await likelyOf('depotctl: begins', REFUSED)).toMatchObject({
    id: 'says-refused',
    cause: 'Nothing listens at 10.9.0.3:7777: the connection is refused',
    count: 1,
    evidence: [{ file: 'paste.txt', line: 2, text: REFUSED }],
  });
});

test('diagnose takes the last of several errors, and counts those like it', async () => {
  expect(await likelyOf(REFUSED, FULL, FULL)).toMatchObject({ id: 'says-disk-full', count: 2 });
  expect(await likelyOf(FULL, REFUSED)).toMatchObject({ id: 'says-refused' });
});

test('diagnose believes an error rather than a line that only speaks of one', async () => {
  const spoken = 'the peer said connection refused and depotctl went home';

  expect(await likelyOf(FULL, spoken)).toMatchObject({ id: 'says-disk-full' });
});

test('diagnose takes a database that is slow to start for none, unless it is asked in vain again and again', async () => {
  const asked =
    '[ERROR] [/common/depot.go:41]: failed to connect to tcp://lids:5432, retry after 2 seconds :dial tcp 172.30.9.4:5432: connect: connection refused';

  expect(await likelyOf(asked)).toBeUndefined();
  expect(await likelyOf(asked, asked, asked)).toMatchObject({ id: 'says-refused' });
});

test('diagnose leaves a pull that may fail to the pull, unless it is warned of again and again', async () => {
  const warned =
    'W1118 00:11:22.123456    2044 kubelet_pods.go:861] Unable to retrieve pull secret fern/depot-pull for fern/depot-0 due to secret "depot-pull" not found.  The image pull may not succeed.';

  expect(await likelyOf(warned)).toBeUndefined();
  expect(await likelyOf(warned, warned, warned)).toMatchObject({ id: 'says-pull-secret-missing' });
});

test('diagnose reads an error whose quotes were curled', async () => {
  const curled = 'initdb: error: directory “/srv/lids/pg15“ exists but is not empty';

  expect(await likelyOf(curled)).toMatchObject({ id: 'says-database-directory' });
});

test('diagnose takes a server that leaves a balancer with others for no failure', async () => {
  const down = (left: number) =>
    `haproxy[31]: Server depot/w-1 is DOWN, reason: Layer4 connection problem, info: "Connection refused". ${left} active and 0 backup servers left.`;

  expect(await likelyOf(down(2))).toBeUndefined();
  expect(await likelyOf(down(0))).toMatchObject({ id: 'says-server-down' });
});

test.each([
  ['what people write behind it', [REFUSED, '```', 'I have completed the setup, can you help us?']],
  ['that it does not start', [REFUSED, 'depotd does not get started']],
  ['what people are told to do', [REFUSED, 'Ensure that depotd is running with --open']],
  ['what is typed behind it', [REFUSED, '$ for i in 0 1 2; do date; done', 'Fri 20 Aug']],
  ['how it is to be called', [REFUSED, ...Array.from({ length: 12 }, (_, n) => `  --flag${n}`)]],
  [
    'a run that ended ill',
    [REFUSED, 'info: completed in 3s', 'error: one or more errors occurred'],
  ],
  [
    'a plea of the program',
    ['depotctl: begins', 'FATA ECONNREFUSED 10.9.0.3:7777 Please try again'],
  ],
  ['words that no one looks for', ['depotctl: begins', 'depotctl: ECONNREFUSED 10.9.0.3:7777']],
  ['that it is only warned of, to the last', ['depotctl: begins', WARNED]],
  [
    'that it is only waited for, again and again',
    ['1s', '2s', '3s'].map((after) => `level=debug msg="${after}: still waiting: ${REFUSED}"`),
  ],
  ['fields around its level', [`level=error ts=2026-08-20 msg=x err="${REFUSED}"`]],
  ['a message of its own', [`time="2026-08-20T10:00:00Z" level=error msg="no" error="${REFUSED}"`]],
  [
    'a warning right before an error that says no more',
    [
      'W0820 10:00:00.000001 7 a.go:1] dial tcp 10.9.0.3:7777: connection refused',
      'error: no luck',
    ],
  ],
])('diagnose reads the cause in spite of %s', async (_, lines) => {
  expect(await likelyOf(...lines)).toMatchObject({ id: 'says-refused' });
});

test('diagnose believes an error that says why rather than one that only answers with trouble', async () => {
  const trouble = 'depotctl: error: https://depot.fern.lan/: 500 Internal Server Error';

  expect(await likelyOf(REFUSED, trouble)).toMatchObject({ id: 'says-refused' });
  expect(await likelyOf('depotctl: begins', trouble)).toMatchObject({ id: 'says-server-fails' });
});

test('diagnose names whom the line before talks to', async () => {
  const likely = await likelyOf('$ docker push depot.fern.lan/a:1', 'denied: access is denied');

  expect(likely?.cause).toContain('depot.fern.lan');
});

test.each([
  ['went on', [REFUSED, 'depotctl: connected, upload completed']],
  ['will be tried again', [`${REFUSED}, will retry in 5s`]],
  [
    'is fetched afterwards',
    ['ERROR gathering debug logs: ssh: unable to authenticate, no supported methods remain'],
  ],
  [
    'is only warned of among fields, before other lines',
    ['level=warn ts=1 err="dial tcp 10.9.0.3:7777: connection refused"', 'a b', 'c d', 'e f'],
  ],
  ['is only warned of before others', [WARNED, 'a b', 'c d', 'e f']],
  [
    'a server logs of who asked it',
    ['10.9.0.3 - - [20/Aug/2026] "HEAD /v2/a/blobs/sha256:ab HTTP/1.1" 404 165 "-" "depotctl"'],
  ],
  ['is waited for, and said once', [`level=debug msg="still waiting: ${REFUSED}"`]],
  ['only warns that a server fails', ['WARN depot.fern.lan: 502 Bad Gateway']],
  ['is quoted in a runbook', ['- `connection refused`: look at the service']],
  ['was said long before the end', [REFUSED, ...Array.from({ length: 40 }, (_, n) => `row ${n}`)]],
])('diagnose reads no cause from what %s', async (_, lines) => {
  expect(await likelyOf(...lines)).toBeUndefined();
});

test('diagnose leaves the error to the rule that knows it', async () => {
  const line =
    'error: unable to push: Get "https://mirror.fern.lan:8443/v2/": x509: certificate signed by unknown authority';
  const open = () => once(Buffer.from(`${line}\n`));
  const ctx = silentContext({ now: () => NOW });

  const diagnosis = await diagnose(ctx, [{ name: 'oc-mirror.log', modified: NOW, open }]);

  expect(diagnosis.findings.some(({ kind }) => kind === 'root')).toBe(true);
  expect(diagnosis.likely).toBeUndefined();
});

test('diagnose quotes the error that says the most, where no reading knows its words', async () => {
  const telling = 'depotctl: error: crate "7" has no lid';
  const vacuous = 'depotctl: error: sealing of all crates failed';

  expect(await likelyOf(telling, vacuous)).toMatchObject({
    id: 'says-itself',
    cause: telling,
    evidence: [{ line: 1 }],
  });
  expect(await likelyOf(vacuous)).toBeUndefined();
  expect(await likelyOf(telling, REFUSED)).toMatchObject({ id: 'says-refused' });
});

test('diagnose quotes a few lines that state what is wrong without a word of failure, and no more than a few', async () => {
  const stated = 'the lid of crate "7" is not there';
  const more = Array.from({ length: 7 }, (_, index) => `crate "${index}" rolls by`);

  expect(await likelyOf('depotctl: begins', stated)).toMatchObject({
    id: 'says-itself',
    cause: stated,
  });
  expect(await likelyOf(...more, stated)).toBeUndefined();
});

test('diagnose reads what a program says in passing right before an error that says nothing', async () => {
  const aside = 'level=debug msg="bash: /usr/bin/depot-gather: No such file or directory"';
  const end = 'level=fatal msg="failed to run remote command: Process exited with status 127"';

  expect(await likelyOf(aside, end)).toMatchObject({ id: 'says-file-missing' });
  expect(await likelyOf(aside, 'level=info msg="the depot goes on"')).toBeUndefined();
});

test('diagnose reads an error above what was pasted below it', async () => {
  const below = [
    '$ cat crate.yaml',
    'lid: round',
    ...Array.from({ length: 18 }, () => 'slat: oak'),
  ];

  expect(await likelyOf(REFUSED, ...below)).toMatchObject({ id: 'says-refused' });
});

test('diagnose reads the exception that a program of Python ends with', async () => {
  expect(
    await likelyOf(
      'Traceback (most recent call last):',
      '  File "depot.py", line 7, in seal',
      "KeyError: 'lid_of_crate'",
    ),
  ).toMatchObject({ id: 'says-itself', cause: "KeyError: 'lid_of_crate'" });
});

test('diagnose reads the last line whatever it calls itself, and what was harmless had it not been the end', async () => {
  const said = 'level=debug msg="open /etc/depot.key: permission denied"';
  const tried =
    'INFO[0003] trying next depot  error="dial tcp 10.9.0.3:7777: connect: connection refused"';

  expect(await likelyOf('level=info msg="begins"', said)).toMatchObject({
    id: 'says-access-denied',
  });
  expect(
    await likelyOf(said, 'level=info msg="goes its way"', 'level=info msg="and on"'),
  ).toBeUndefined();
  expect(await likelyOf(tried, 'FATA[0003] sealing failed')).toMatchObject({ id: 'says-refused' });
});

test('diagnose reads what a line announces from the one behind it', async () => {
  expect(
    await likelyOf('Error: sealing failed, last error seen:', 'crate "7" has no lid'),
  ).toMatchObject({
    id: 'says-itself',
    cause: 'sealing failed, last error seen: crate "7" has no lid',
  });
});

test('diagnose quotes what is stated right before a failure that does not say why', async () => {
  const stated = "Crate with lid 'oak' in depot 'main' was not found";
  const failed = 'depotd.service: Failed with result "exit-code".';

  expect(await likelyOf('depotd: begins', stated, failed)).toMatchObject({
    id: 'says-itself',
    cause: stated,
  });
  expect(
    await likelyOf(...Array(7).fill('depotd: turns'), stated, 'depotd: turns'),
  ).toBeUndefined();
});

test('diagnose quotes a warning where a few lines hold nothing else', async () => {
  const warned = 'level=warning msg="Could not move the lid: failed to find crate 10.9.0.4"';
  const told = 'level=info msg="no crate asked for"';

  expect(await likelyOf(warned, told)).toMatchObject({
    cause: 'Could not move the lid: failed to find crate 10.9.0.4',
  });
  expect(await likelyOf(warned, ...Array(9).fill(told))).toBeUndefined();
});

test('diagnose tells a warning apart from an error, and an event of what failed from a warning', async () => {
  const says = 'cannot find the lid of crate-7';

  expect(await likelyOf(`level=warning msg="depot: ${says}"`)).toMatchObject({ isWarned: true });
  expect(await likelyOf(`W0820 11:02:03.000004 7 depot.go:1] ${says}`)).toMatchObject({
    isWarned: true,
  });
  const failed = [
    `level=error msg="depot: ${says}"`,
    `  Warning  FailedSeal  5s (x3 over 47s)   depotlet   crate "7" has no lid`,
  ];
  for (const line of failed) expect(await likelyOf(line)).not.toHaveProperty('isWarned');
});

test('diagnose takes a task that Ansible ignores for the failure where nothing comes behind it', async () => {
  const failed =
    'fatal: [host-1]: FAILED! => {"msg": "non-zero return code", "stderr": "crate 7 has no lid"}';

  expect(await likelyOf(failed, '...ignoring')).toMatchObject({ cause: 'crate 7 has no lid' });
  expect(await likelyOf(failed, '...ignoring', 'ok: [host-1]')).toBeUndefined();
});

test('diagnose counts a line once that stands once, whatever its words', async () => {
  const stated = 'depotctl: the lid "oak" is not in group depot';

  expect(await likelyOf(stated)).toMatchObject({ cause: stated, count: 1 });
  expect(await likelyOf(stated, stated)).toMatchObject({ count: 2 });
});

test('diagnose does not take what is said in passing for the cause of an error behind it', async () => {
  const passing = 'level=info msg="crate 7 already exists in the depot"';
  const failed = 'level=error msg="sealing of crate 8 failed"';

  expect((await likelyOf(passing, failed))?.id).not.toBe('says-exists');
});

test('diagnose prefers an error that says why to one that only tells what followed', async () => {
  const why = 'depot.sh[31]: ERROR: the lid of arch fern does not match crate-7 of arch reed';
  const followed =
    "systemd[1]: tide.service: Job tide.service/start failed with result 'dependency'.";

  expect(await likelyOf(why, followed)).toMatchObject({
    id: 'says-itself',
    evidence: [{ line: 1 }],
  });
  expect(await likelyOf(followed)).toMatchObject({ id: 'says-unit-dependency' });
});

test('diagnose looks behind what an installer waited for in vain', async () => {
  const why =
    'level=debug msg="E0303 08:22:31.330118     412 depot.go:324] \\"Reconciler error\\" err=\\"the maximum number of lids has been reached in depot-7\\""';
  const ready = 'level=debug msg="Crate 6 is ready"';
  const waited = 'level=error msg="failed to create it: crates were not ready within 15m0s"';

  expect(await likelyOf(why, ready, waited)).toMatchObject({ evidence: [{ line: 1 }] });
});

test('diagnose quotes the error of a few lines whatever its words', async () => {
  expect(await likelyOf('F1102 10:12:01.1 7 depot.go:1] failed to get the lid')).toMatchObject({
    cause: 'failed to get the lid',
  });
});

test('diagnose takes the name of an exit code for no refusal, and a number for no status', async () => {
  expect(
    await likelyOf('depot.service: Main process exited, code=exited, status=4/NOPERMISSION'),
  ).not.toMatchObject({ id: 'says-not-permitted' });
  expect(await likelyOf('rtt min/avg/max/mdev = 18.220/18.401/18.403/0.211 ms')).toBeUndefined();
  expect(await likelyOf('401')).toBeUndefined();
});

test.each(['sshd[4]: Accepted publickey for core', 'chronyd[9]: Selected source 10.1.0.1'])(
  'diagnose does not take it for a success of others: %s',
  async (bystander) => {
    const failed = `Nov 02 10:12:01 w-1 ${REFUSED.replace(':', '[7]:')}`;

    expect(await likelyOf(failed, `Nov 02 10:12:09 w-1 ${bystander}`)).toMatchObject({
      id: 'says-refused',
    });
  },
);

test('diagnose knows the levels that dracut puts into brackets', async () => {
  const inPassing = "dracut[I]: 74fern: Could not find any command of 'lid seal'!";
  const failed = "dracut[E]: Module 'moss' depends on module 'fern', which can't be installed";

  expect(await likelyOf(failed, inPassing)).toMatchObject({ evidence: [{ line: 1 }] });
});

test('diagnose quotes the error of a web server without its number, though it names the request', async () => {
  const error =
    '2026/11/02 10:12:01 [error] 31#31: *5 lid of "/srv/fern" is not sealed, client: 10.9.0.7, request: "GET /fern HTTP/1.1"';

  expect(await likelyOf(error)).toMatchObject({
    cause: expect.stringMatching(/^lid of "\/srv\/fern" is not sealed/),
  });
});

test('diagnose knows an alert for an error, and what old loggers call one for none', async () => {
  const said =
    'logging before flag.Parse: I0425 15:48:00.355658 1 depot.go:297] crate fern is not sealed';

  expect(await likelyOf("[ALERT] (1) : config : lid 'fern' is missing. Aborting.")).toMatchObject({
    id: 'says-itself',
  });
  expect(await likelyOf(`ERROR: ${said}`)).toBeUndefined();
});

test('diagnose quotes no advice that is numbered', async () => {
  const error = '- ERROR    - The seal of depot fern is untrusted. To fix this:';

  expect(
    await likelyOf(
      error,
      '  1. Use a valid seal, OR',
      '  2. For testing only, use --open (not recommended)',
    ),
  ).toMatchObject({ evidence: [{ line: 1 }] });
});

test('diagnose quotes a sentence whole that begins with a word in quotes', async () => {
  expect(await likelyOf('sh: 1: Syntax error: "(" unexpected')).toMatchObject({
    cause: expect.stringContaining('Syntax error: "(" unexpected'),
  });
});

test('diagnose takes what a program says of its checks in passing for no failure', async () => {
  const asked =
    'DEBU File not found: /etc/fern.conf: stat /etc/fern.conf: no such file or directory';

  expect(await likelyOf('INFO Checking the depot', asked, 'INFO Writing it')).toBeUndefined();
});

test('diagnose quotes no step that is told in passing before an error that says nothing', async () => {
  const step = 'level=debug msg="authorizing request" depot=fern.lan';
  const error = 'level=error msg="exit status 7 of sealing"';

  expect(await likelyOf(step, error)).toBeUndefined();
});

test('diagnose believes a heading that tells of success, and takes it for no command', async () => {
  expect(await likelyOf(REFUSED, '#### SEALING FINISHED SUCCESSFULLY###')).toBeUndefined();
});

test('diagnose takes an event that tells of a failure for one, though it is logged as information', async () => {
  const event = (type: string) =>
    `I0311 07:42:19.102244       1 event.go:282] Event(v1.ObjectReference{Kind:"Crate", Namespace:"moor"}): type: '${type}' reason: 'LidUnknown' no lid fern-2 found in depot moss`;

  expect(await likelyOf(event('Warning'))).toMatchObject({
    id: 'says-itself',
    cause: 'no lid fern-2 found in depot moss',
  });
  expect(await likelyOf(event('Normal'))).toBeUndefined();
});

test('diagnose looks behind an end that says only what did not come', async () => {
  const met = 'level=debug msg="failed to seal crate fern-7: lid limit of 4 exceeded"';
  const end = 'level=error msg="failed to provision control-plane machines within 15m0s"';
  const others = Array.from({ length: 12 }, (_, n) => `level=debug msg="looks at crate ${n}"`);

  expect(await likelyOf(met, ...others, end)).toMatchObject({ evidence: [{ line: 1 }] });
  expect(await likelyOf(...others, end)).toMatchObject({ evidence: [{ line: 13 }] });
});

test('diagnose quotes the error that a long text ends with, whatever its words', async () => {
  const steps = Array.from({ length: 12 }, (_, n) => `sealing crate ${n}`);

  expect(await likelyOf(...steps, 'FATA[0003] several heads in crate fern-7')).toMatchObject({
    id: 'says-itself',
    cause: 'several heads in crate fern-7',
  });
});

test('diagnose reads a paste that a terminal broke like any other, by the numbers of its own lines', async () => {
  const first =
    'depotd[7]: looks for the lid of crate fern-7 in depot moss, of the second row'.padEnd(80, '.');
  const second = 'depotd[7]: crate fern-7 of depot moss on the second row near the door holds no l';

  expect([first.length, second.length]).toEqual([80, 80]);
  expect(await likelyOf(first, second, 'id, and one is required')).toMatchObject({
    cause: expect.stringContaining('holds no lid, and one is required'),
    evidence: [{ line: 2 }],
  });
});

test('diagnose looks past a line that has a level and no words', async () => {
  const waits = 'DEBUG libvirt_ignition.fern: Still creating... (20s elapsed)';

  expect(await likelyOf('DEBUG looks at fern', waits, 'DEBUG ')).toMatchObject({
    id: 'says-libvirt-pool-waits',
    evidence: [{ line: 2 }],
  });
});
