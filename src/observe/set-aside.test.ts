import { expect, test } from 'vitest';
import { shippedRules } from './rules/catalogue.ts';
import { setAside, severityOf, type Weight, worse } from './set-aside.ts';

function seen(cause: string, fields: Partial<Omit<Weight, 'rule'>> = {}): Weight {
  const rule = shippedRules().find((one) => one.cause_id === cause && one.kind === 'root');
  if (!rule) throw new Error(`no rule means ${cause}`);
  const last = { file: 'a.log', line: 1 };
  const plain = {
    firstAt: undefined,
    lastAt: undefined,
    last,
    isRetried: false,
    ends: new Set<string>(),
  };
  return { rule, count: 3, severity: 1, ...plain, ...fields };
}

const at = (line: number) => ({ last: { file: 'a.log', line } });
const reasons = (roots: readonly Weight[]) => {
  const aside = setAside(roots);
  return roots.map((one) => aside.get(one) ?? 'cause');
};

test('setAside leaves a root alone that is alone', () => {
  expect(reasons([seen('mirror-unreachable', { count: 1, severity: 0 })])).toEqual(['cause']);
});

test('setAside takes what follows from another root for its consequence, whichever came first', () => {
  const balancer = seen('lb-not-forwarding', at(1));
  const missing = seen('mirror-image-missing', at(9));

  expect(reasons([balancer, missing])).toEqual(['explained', 'cause']);
  expect(reasons([missing, balancer])).toEqual(['cause', 'explained']);
});

test('setAside drops what is wrong below once the other end has answered further up', () => {
  const refused = seen('mirror-unreachable', at(4));
  const denied = seen('mirror-unauthorized', at(5));

  expect(reasons([refused, denied])).toEqual(['answered', 'cause']);
});

test('setAside does not take the answer of one mirror for that of another', () => {
  const refused = seen('mirror-unreachable', { ...at(4), ends: new Set(['one.lab']) });
  const denied = (...ends: string[]) =>
    seen('mirror-unauthorized', { ...at(5), ends: new Set(ends) });

  expect(reasons([refused, denied('two.lab')])).toEqual(['cause', 'cause']);
  expect(reasons([refused, denied('two.lab', 'one.lab')])).toEqual(['answered', 'cause']);
  expect(reasons([refused, denied()])).toEqual(['answered', 'cause']);
});

test('setAside takes what comes and goes for over where the same line ends with another cause of the same end', () => {
  const inLine = (end: number, ...ends: string[]) => ({
    count: 1,
    last: { file: 'a.log', line: 4, end },
    ends: new Set(ends),
  });
  const failing = (...ends: string[]) => seen('mirror-storage-broken', inLine(80, ...ends));
  const denied = (end: number) => seen('mirror-unauthorized', inLine(end, 'one.lab'));

  expect(reasons([failing('one.lab'), denied(160)])).toEqual(['passed', 'cause']);
  expect(reasons([failing('source', 'one.lab'), denied(160)])).toEqual(['passed', 'cause']);
  expect(reasons([failing('one.lab'), denied(40)])).toEqual(['cause', 'cause']);
  expect(reasons([failing('one.lab', 'two.lab'), denied(160)])).toEqual(['cause', 'cause']);
});

test('setAside keeps what is wrong below where it comes after the last answer', () => {
  const denied = seen('mirror-unauthorized', at(5));
  const refused = seen('mirror-unreachable', at(6));

  expect(reasons([denied, refused])).toEqual(['cause', 'cause']);
});

test('setAside drops what comes and goes and was last said long before another cause began', () => {
  const said = (from: string, to: string) => ({
    firstAt: new Date(`2026-08-${from}Z`),
    lastAt: new Date(`2026-08-${to}Z`),
  });
  const refused = seen('dns-server-refused', said('19T17:00', '19T17:10'));
  const denied = (from: string) => seen('mirror-quota-exceeded', said(from, '20T12:00'));

  expect(reasons([refused, denied('19T18:10')])).toEqual(['older', 'cause']);
  expect(reasons([refused, denied('19T18:09')])).toEqual(['cause', 'cause']);
  expect(reasons([refused, seen('mirror-quota-exceeded')])).toEqual(['cause', 'cause']);
});

test('setAside compares by time across files, and not at all where there is none', () => {
  const elsewhere = { last: { file: 'b.log', line: 2 } };
  const early = { lastAt: new Date('2026-08-20T10:00:00Z') };
  const late = { lastAt: new Date('2026-08-20T11:00:00Z') };

  expect(
    reasons([
      seen('mirror-unreachable', early),
      seen('mirror-unauthorized', { ...late, ...elsewhere }),
    ]),
  ).toEqual(['answered', 'cause']);
  expect(
    reasons([seen('mirror-unreachable', at(1)), seen('mirror-unauthorized', elsewhere)]),
  ).toEqual(['cause', 'cause']);
});

test('setAside lets pass what was said once and followed by something that stays', () => {
  const slow = seen('etcd-slow-disk', { count: 1, ...at(2) });

  expect(reasons([slow, seen('mirror-untrusted-ca', at(7))])).toEqual(['passed', 'cause']);
  expect(reasons([{ ...slow, count: 2 }, seen('mirror-untrusted-ca', at(7))])).toEqual([
    'cause',
    'cause',
  ]);
  expect(reasons([seen('mirror-untrusted-ca', at(1)), slow])).toEqual(['cause', 'cause']);
});

test('setAside counts what two rules say of one cause together', () => {
  const [one, other] = shippedRules().filter(({ cause_id }) => cause_id === 'mirror-unreachable');
  const once = seen('mirror-unreachable', { count: 1, ...at(2) });
  const stays = seen('aws-capacity', at(7));
  if (!one || !other) throw new Error('two rules mean it');

  expect(reasons([{ ...once, rule: one }, stays])).toEqual(['passed', 'cause']);
  expect(reasons([{ ...once, rule: one }, { ...once, rule: other }, stays])).toEqual([
    ...['cause', 'cause', 'cause'],
  ]);
});

test('setAside lets pass what was only ever retried', () => {
  const retried = seen('mirror-cert-expired', { isRetried: true, ...at(2) });

  expect(reasons([retried, seen('aws-capacity', at(7))])).toEqual(['passed', 'cause']);
  expect(reasons([retried])).toEqual(['cause']);
});

test('setAside never lets two pass for each other', () => {
  const one = seen('dns-server-refused', { count: 1, ...at(1) });
  const other = seen('bmc-unreachable', { count: 1, ...at(2) });

  expect(reasons([one, other])).toEqual(['cause', 'cause']);
});

test('setAside prefers an error to what is only warned of', () => {
  const warned = seen('mirror-unauthorized', { severity: 0 });
  const failed = seen('aws-capacity', { severity: 2 });

  expect(reasons([warned, failed])).toEqual(['warned', 'cause']);
  expect(reasons([warned, { ...failed, severity: 1 }])).toEqual(['cause', 'cause']);
});

test('setAside prefers a cause to a step that failed', () => {
  const step = shippedRules().find(({ id }) => id === 'boot-gather-host-missing');
  const failed = { ...seen('aws-capacity'), rule: step ?? seen('aws-capacity').rule };

  expect(reasons([failed, seen('memory-too-small')])).toEqual(['vague', 'cause']);
  expect(reasons([failed])).toEqual(['cause']);
});

test.each([
  ['level=warning msg=Mirror registry is not in the pull secret', 0],
  ['level=fatal msg=failed to create cluster', 2],
  ['[WARN]   : something', 0],
  ['2026/08/20 10:11:12  [ERROR]  : something', 2],
  ['WARN[0003] failed, retrying in 1s', 0],
  ['ERRO[0003] failed', 2],
  ['{"level":"warn","ts":"2026-08-20T10:11:12Z","msg":"slow"}', 0],
  ['time="2026-08-20T10:11:12Z" level=error msg="failed"', 2],
  ['W0820 10:11:12.000000       1 reflector.go:1] failed', 1],
  ['warning: the signature could not be fetched', 0],
  ['Error: initializing source', 1],
  ['information about nothing', 1],
])('severityOf reads %j as %i', (text, severity) => {
  expect(severityOf({ text })).toBe(severity);
});

test('worse is the graver of two', () => {
  expect([worse(0, 2), worse(2, 0), worse(1, 1)]).toEqual([2, 2, 1]);
});

test('setAside sets nothing aside for what is itself no cause, but for what that explains', () => {
  const warned = seen('mirror-unauthorized', { severity: 0, ...at(5) });
  const refused = seen('mirror-unreachable', { severity: 0, ...at(4) });

  // What was answered is gone before warnings are weighed against errors.
  expect(reasons([refused, warned, seen('aws-capacity', { severity: 2 })])).toEqual([
    'answered',
    'warned',
    'cause',
  ]);
  expect(
    reasons([seen('mirror-untrusted-ca', { severity: 0 }), { ...refused, severity: 2 }, warned]),
  ).not.toContain('explained');
});

test('setAside takes what was said at the same time in the order of its lines', () => {
  const moment = { lastAt: new Date('2026-08-20T10:00:00Z') };
  const refused = seen('mirror-unreachable', { ...moment, ...at(4) });

  expect(reasons([refused, seen('mirror-unauthorized', { ...moment, ...at(5) })])).toEqual([
    'answered',
    'cause',
  ]);
  expect(reasons([refused, seen('mirror-unauthorized', { ...moment, ...at(4) })])).toEqual([
    'cause',
    'cause',
  ]);
});
