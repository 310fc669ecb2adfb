import { expect, test } from 'vitest';
import { once } from '../../core/bytes.ts';
import { formatFailedUnits } from './failed-units.ts';
import {
  decodeLogrus,
  decodeOcMirror,
  decodePlain,
  isLogrus,
  isOcMirror,
} from './installer-log.ts';
import { decodeJournalJson, lineOfFields, withTextMessages } from './journal-json.ts';
import { decodeOwnEvent, isOwnEvent } from './own-journal.ts';
import { parseServiceRecord, recordTimestamp } from './service-record.ts';

const AT = new Date('2026-08-20T10:11:12Z');

test.each([
  [
    'time="2026-08-20T10:11:12Z" level=error msg="a \\"b\\"\\nc"',
    { message: 'level=error msg=a "b" c', at: AT },
  ],
  ['level=info msg=bare words "quoted"', { message: 'level=info msg=bare words "quoted"' }],
  ['level=info msg="x" other=1', { message: 'level=info msg=x' }],
  ['level=error msg="x" error="it \\"broke\\""', { message: 'level=error msg=x error=it "broke"' }],
  ['level=error msg="x" id=1 err.detail="why"', { message: 'level=error msg=x error=why' }],
  ['level=error msg="x" err.code=y err.message="why"', { message: 'level=error msg=x error=why' }],
  ['level=error msg="x" err.message="blob unknown to registry"', { message: 'level=error msg=x' }],
  [
    'level=error msg="x" err.detail="why" http.request.method=GET http.request.remoteaddr="10.9.8.7:5" http.request.uri=/v2/',
    { message: 'level=error msg=x error=why http.request.method=GET http.request.uri=/v2/' },
  ],
  ['level=error msg=x error="y"', { message: 'level=error msg=x error="y"' }],
  ['ERROR it broke', { message: 'level=error msg=it broke' }],
  ['2026-08-20T10:11:12.9Z words', { message: 'words', at: AT }],
  ['words', { message: 'words' }],
])('decodeLogrus reads %j', (raw, line) => {
  expect(decodeLogrus(raw)).toEqual({ ...line });
});

test('decodeOcMirror keeps the line and takes its time, where it has one', () => {
  const raw = '2026/08/20 10:11:12  [ERROR]  : x';

  expect(decodeOcMirror(raw)).toEqual({ message: raw, at: AT });
  expect(decodeOcMirror('[ERROR]  : x')).toEqual({ message: '[ERROR]  : x', at: undefined });
  expect(decodeOcMirror('2026-08-20T10:11:12+00:00 x')).toEqual({ message: 'x', at: AT });
});

test('decodePlain takes off the time that a container runtime put in front', () => {
  expect(decodePlain('2026-08-20T10:11:12.123456789+02:00 x')).toEqual({ message: 'x', at: AT });
  expect(decodePlain('2026-99-20T10:11:12Z x')).toEqual({ message: 'x', at: undefined });
  expect(decodePlain('at 2026-08-20T10:11:12Z x')).toEqual({
    message: 'at 2026-08-20T10:11:12Z x',
  });
});

test('isLogrus and isOcMirror know their own lines, and what an installer says on a terminal', () => {
  expect(isLogrus('level=info msg=x')).toBe(true);
  expect(isLogrus('INFO Waiting up to 20m0s for the Kubernetes API')).toBe(true);
  expect(isLogrus('INFO something else')).toBe(false);
  expect(isOcMirror('[WARN]   : x')).toBe(true);
  expect(isOcMirror('x [WARN]   : x')).toBe(false);
});

test.each([
  [{ MESSAGE: 'm', _SYSTEMD_UNIT: 'crio.service', UNIT: 'x.service' }, 'crio'],
  [{ UNIT: 'kubelet.service' }, 'kubelet'],
  [{ _SYSTEMD_UNIT: 'init.scope', SYSLOG_IDENTIFIER: 'systemd', _COMM: 'x' }, 'systemd'],
  [{ _SYSTEMD_UNIT: 'session-1.scope', _COMM: 'bash' }, 'bash'],
  [{ _SYSTEMD_UNIT: ['a.service', 'b.service'] }, 'a'],
  [{ _SYSTEMD_UNIT: 7 }, undefined],
  [{}, undefined],
])('lineOfFields %j has the unit %s', (fields, unit) => {
  expect(lineOfFields(fields).unit).toBe(unit);
});

test('lineOfFields reads text that is given as bytes, and times that a date can hold', () => {
  expect(lineOfFields({ MESSAGE: [...Buffer.from('größe')], _HOSTNAME: 'h' })).toEqual({
    message: 'größe',
    at: undefined,
    host: 'h',
    unit: undefined,
  });
  expect(lineOfFields({ MESSAGE: [] }).message).toBe('');
  const atOf = (micros: string) => lineOfFields({ __REALTIME_TIMESTAMP: micros }).at;
  expect(atOf('1787220672000000')).toEqual(new Date(1_787_220_672_000));
  expect(atOf('8640000000000000000')).toEqual(new Date(8.64e15));
  expect(atOf('8640000000000001000')).toBeUndefined();
  expect(atOf('soon')).toBeUndefined();
});

test('decodeJournalJson takes what is no JSON for text', () => {
  expect(decodeJournalJson('{"MESSAGE":"cut')).toEqual({ message: '{"MESSAGE":"cut' });
});

test('withTextMessages makes only messages of bytes text, and leaves all else as it is', async () => {
  const bytes = JSON.stringify([...Buffer.from('x "y"')]);
  const lines = [`{"A":1,"MESSAGE":${bytes}}`, '{"MESSAGE":"z"}', '{"MESSAGE":[cut'];
  async function* blocks() {
    yield Buffer.from('{"MESSAGE":"first"}\n');
    yield Buffer.from(lines.join('\n'));
    yield Buffer.from(`{"MESSAGE" : ${bytes}}\n`);
  }

  const texts: string[] = [];
  for await (const block of withTextMessages(blocks())) texts.push(block.toString());

  expect(texts).toEqual([
    '{"MESSAGE":"first"}\n',
    ['{"A":1,"MESSAGE":"x \\"y\\""}', '{"MESSAGE":"z"}', '{"MESSAGE":[cut'].join('\n'),
    '{"MESSAGE":"x \\"y\\""}\n',
  ]);
});

test('withTextMessages knows bytes however they are spaced, and behind what marks an entry', async () => {
  const bytes = [...Buffer.from('no lid')];
  const lines = [
    `{"MESSAGE": [${bytes.join(', ')}]}`,
    `\x1e{"MESSAGE":[${bytes.join()}]}`,
    `data: {"MESSAGE" : [ ${bytes.join(', ')} ]}`,
  ];
  for (const line of lines) {
    const texts: string[] = [];
    for await (const block of withTextMessages(once(Buffer.from(line))))
      texts.push(block.toString());

    expect(texts).toEqual(['{"MESSAGE":"no lid"}']);
  }
});

test.each(['', '\x1e', 'data: ', 'data:'])(
  'decodeJournalJson reads an entry behind the mark %j',
  (mark) => {
    const entry = '{"MESSAGE":"m","_HOSTNAME":"h","__REALTIME_TIMESTAMP":"1787220672000000"}';

    expect(decodeJournalJson(`${mark}${entry}\r`)).toEqual({
      message: 'm',
      at: new Date(1_787_220_672_000),
      host: 'h',
      unit: undefined,
    });
  },
);

test.each([
  [
    { type: 'image.failed', code: 'X', source: 's', step: 't', message: 'm' },
    'image.failed [X] s: m',
  ],
  [{ type: 'step.failed', step: 't', operation: 'o', message: 'm' }, 'step.failed t: m'],
  [{ type: 'a.b', operation: 'o', code: 7, source: 8, message: 9 }, 'a.b o: '],
  [{ type: 'a.b' }, 'a.b: '],
])('decodeOwnEvent reads %j', (event, message) => {
  expect(decodeOwnEvent(JSON.stringify(event))).toEqual({ message, at: undefined });
});

test('decodeOwnEvent reads the time of an event, and takes what is no JSON for text', () => {
  const at = (value: unknown) => decodeOwnEvent(JSON.stringify({ type: 'a.b', at: value })).at;

  expect(at('2026-08-20T10:11:12Z')).toEqual(AT);
  expect(at(1_787_220_672_000)).toBeUndefined();
  expect(at('once')).toBeUndefined();
  expect(decodeOwnEvent('{cut')).toEqual({ message: '{cut' });
});

test('isOwnEvent knows a line of our own journal', () => {
  expect(isOwnEvent('{"seq":1,"type":"image.failed"}')).toBe(true);
  expect(isOwnEvent('{"type":"image.failed"}')).toBe(false);
  expect(isOwnEvent('{"seq":1,"type":"image"}')).toBe(false);
  expect(isOwnEvent('x {"seq":1,"type":"image.failed"}')).toBe(false);
});

test('parseServiceRecord says which record is wrong, and where', () => {
  const refused = (text: string) => {
    try {
      return parseServiceRecord('r.json', text);
    } catch (error) {
      return error;
    }
  };

  expect(refused('[')).toMatchObject({
    code: 'INPUT_INVALID',
    message: 'Cannot read the service record "r.json": not JSON',
    details: { path: 'r.json' },
    cause: expect.any(SyntaxError),
  });
  expect(refused('[{"timestamp":"once","phase":"service end"}]')).toMatchObject({
    message: expect.stringContaining('entry 0.timestamp: not a time'),
  });
});

test('recordTimestamp knows seconds only', () => {
  expect(recordTimestamp(new Date('2026-08-20T10:11:12.999Z'))).toBe('2026-08-20T10:11:12Z');
});

test('formatFailedUnits writes as systemctl does', () => {
  const units = [
    { name: 'crio.service', about: 'Runtime' },
    { name: 'node-image-pull.service', about: 'Pull' },
  ];

  expect(formatFailedUnits(units).split('\n')).toEqual([
    '  UNIT                    LOAD   ACTIVE SUB    DESCRIPTION',
    '* crio.service            loaded failed failed Runtime',
    '* node-image-pull.service loaded failed failed Pull',
    '',
    '2 loaded units listed.',
    '',
  ]);
});
