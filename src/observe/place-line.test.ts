import { expect, test } from 'vitest';
import type { FileKind } from './file-kind.ts';
import { placeLine } from './place-line.ts';

const YEAR = new Date('2026-08-21T00:00:00Z');
const KIND: FileKind = { format: 'plain', origins: [], guessed: true };

/** What is known of a unit is kept: with a number of its own each unit is a new one. */
let units = 0;
const fresh = (text: string) => text.replaceAll('#', String(units));

function originsOf(text: string, kind: Partial<FileKind> = {}): readonly string[] {
  units += 1;
  return placeLine(fresh(text), { ...KIND, ...kind }, YEAR).origins;
}

const journal = (host: string, unit: string) => `Aug 20 10:11:12 ${host} ${unit}[1]: text`;

test.each([
  ['bastion', 'x#', ['journal:bastion/x#']],
  ['registry.lab', 'x#', ['journal:bastion/x#']],
  ['bootstrap', 'x#', ['journal:bootstrap/x#']],
  ['host', 'bootkube', ['journal:bootstrap/bootkube']],
  ['host', 'node-image-x#', ['journal:bootstrap/node-image-x#']],
  ['master-0', 'x#', ['journal:node/x#']],
  ['compute-0', 'x#', ['journal:node/x#']],
  ['host', 'x#', ['journal:node/x#', 'journal:bootstrap/x#']],
  ['master-0', 'ignition#', ['journal:node/ignition#', 'console:node']],
])('placeLine knows the machine of host %s and unit %s', (host, unit, origins) => {
  expect(originsOf(journal(host, unit))).toEqual(origins.map(fresh));
});

test('placeLine believes a file that tells the machine more than the name of the host', () => {
  expect(originsOf(journal('bootstrap', 'y#'), { machine: 'node' })).toEqual([
    fresh('journal:node/y#'),
  ]);
});

test('placeLine gives the same list for the same unit, for others remember by it', () => {
  const line = journal('master-0', 'kubelet');

  expect(placeLine(line, KIND, YEAR).origins).toBe(placeLine(line, KIND, YEAR).origins);
});

test('placeLine reads an entry of a journal as JSON, also one without a unit', () => {
  const entry = { MESSAGE: 'text', _HOSTNAME: 'bootstrap', _SYSTEMD_UNIT: 'z#.service' };

  expect(originsOf(JSON.stringify(entry))).toEqual([fresh('journal:bootstrap/z#')]);
  expect(originsOf(`data: ${JSON.stringify(entry)}`)).toEqual([fresh('journal:bootstrap/z#')]);
  expect(originsOf('{"MESSAGE":"text","_HOSTNAME":"master-0"}')).toEqual(['journal:node/unknown']);
});

test('placeLine takes the head off a line of a console, and knows its program', () => {
  expect(placeLine('[   12.345678] ignition[831]: GET error', KIND, YEAR)).toEqual({
    message: 'GET error',
    origins: [
      ...['console:node', 'console:bootstrap', 'aws:ec2-console-output'],
      ...['journal:node/ignition', 'journal:bootstrap/ignition'],
    ],
  });
});

test.each([
  ['a log of a tool', 'time="2026-08-20T10:11:12Z" level=error msg="x"', 'installer-log'],
  ['oc-mirror', '2026/08/20 10:11:12  [ERROR]  : x', 'cli:oc-mirror'],
  ['klog', 'E0820 10:11:12.123456    2519 kubelet.go:1] x', 'journal:node/kubelet'],
  [
    'a list of operators',
    'ingress   4.18.1   False   True   True   3h   x',
    'object:ClusterOperator/ingress',
  ],
  ['a command', 'error: unable to read image', 'cli:oc'],
  ['a container tool', 'FATA[0003] x', 'cli:oc'],
  ['an event', 'Warning  Failed  2m (x4 over 5m)  kubelet  Failed to pull', 'event:Failed'],
  ['an event of a list', '3m    Warning   BackOff   pod/x   text', 'event:BackOff'],
])('placeLine knows %s', (_, text, origin) => {
  expect(originsOf(text)[0]).toBe(origin);
});

test('placeLine keeps the origins of a file for its logrus lines', () => {
  const line = 'level=error msg="x"';

  expect(originsOf(line, { origins: ['installer-log'] })).toEqual(['installer-log']);
  expect(originsOf(line)).toContain('journal:bootstrap/crio');
});

test.each(['> ', '  | ', '\t', '>> '])('placeLine looks behind %j in front of a line', (quote) => {
  const line = `${quote}${journal('master-0', 'crio')}\r`;

  expect(placeLine(line, KIND, YEAR)).toMatchObject({
    message: 'text',
    origins: ['journal:node/crio'],
  });
});

test.each([
  ['`DEBUG Still waiting for the Kubernetes API: EOF`', 'installer-log'],
  ['**time="2026-01-02T03:04:05Z" level=error msg="x"**', 'installer-log'],
  ['```[    6.141473] ignition[637]: failed to fetch config```', 'console:node'],
  ['`E0128 21:38:57.878868       1 machine.go:361] no machine`', 'journal:node/kubelet'],
])('placeLine looks behind what a ticket puts around %s', (line, origin) => {
  const { origins, message } = placeLine(line, KIND, YEAR);

  expect(origins[0]).toBe(origin);
  expect(message).not.toMatch(/[`*]/);
});

test.each([...['   41\t', '41: ', '41:', '41 ', '  - ', '* ', '\u2022 ', '1. ', '> 12) ']])(
  'placeLine looks behind the %j that makes a line one of a list',
  (mark) => {
    const { origins, at, message } = placeLine(`${mark}${journal('master-0', 'crio')}`, KIND, YEAR);

    expect({ origins, at, message }).toEqual({
      origins: ['journal:node/crio'],
      at: new Date('2026-08-20T10:11:12Z'),
      message: 'text',
    });
  },
);

test.each(['- error: no lid', '41 error: no lid', '- just words', '1. level=info msg=x'])(
  'placeLine leaves a list of other things as it is: %j',
  (text) => {
    expect(placeLine(text, KIND, YEAR)).toEqual({ message: text, origins: [] });
  },
);

test('placeLine reads the time of klog, whose year is that of a journal without one', () => {
  const atOf = (head: string) => placeLine(`${head}    2519 kubelet.go:1] x`, KIND, YEAR).at;

  expect(atOf('E0820 10:11:12.123456')).toEqual(new Date('2026-08-20T10:11:12.123Z'));
  expect(atOf('E0820 10:11:12')).toEqual(new Date('2026-08-20T10:11:12Z'));
  expect(atOf('I1112 10:11:12.123456')).toEqual(new Date('2025-11-12T10:11:12.123Z'));
  expect(atOf('I1312 10:11:12.123456')).toBeUndefined();
  expect(atOf('I0032 10:11:12.123456')).toBeUndefined();
});

test('placeLine leaves marks around what is no line of a log', () => {
  expect(placeLine('`connection refused`', KIND, YEAR).message).toBe('`connection refused`');
});

test.each(['', '.', ':'])('placeLine takes a whole line off its code marks before %j', (end) => {
  const text = 'Error from server: error dialing backend: remote error: tls: internal error';

  expect(placeLine(`\`${text}\`${end}`, KIND, YEAR)).toMatchObject({ message: text });
  expect(placeLine(`\` ${text}`, KIND, YEAR)).toMatchObject({ message: text });
});

test.each([
  '`connection refused`',
  '- `failed to verify certificate: certificate signed by unknown authority`',
  '`failed to verify certificate: certificate signed by unknown authority` means no CA',
  '`-sda2    447G part /a/long/way/down/the/tree/of/the/disk',
])('placeLine leaves %s as it is', (text) => {
  expect(placeLine(text, KIND, YEAR).message).toBe(text);
});

test('placeLine has no origin for a line that does not tell, and takes a time off', () => {
  expect(placeLine('just words', KIND, YEAR)).toEqual({ message: 'just words', origins: [] });
  expect(placeLine('2026-08-20T10:11:12.5Z words', KIND, YEAR)).toMatchObject({
    message: 'words',
    origins: [],
  });
});

test('placeLine takes what oc hands on from a kubelet for an event', () => {
  expect(originsOf('error: Back-off pulling image "x": ErrImagePull: no')[0]).toBe('event:Failed');
  expect(originsOf('error: unable to read image "x"')[0]).toBe('cli:oc');
});
