import { expect, test } from 'vitest';
import { diagnosisText } from './diagnosis-text.ts';
import { createStyle } from './style.ts';

const likely = {
  id: 'says-refused',
  cause: 'Nothing listens at 10.9.0.3:7777: the connection is refused',
  remedy: 'Look whether that service runs',
  count: 1,
  evidence: [{ file: 'paste.txt', line: 2, text: 'connect: connection refused' }],
};
const diagnosis = {
  findings: [],
  alsoSaid: [],
  suspicious: [],
  benign: [],
  unread: [],
  totals: { files: 1, bytes: 69 },
};

const linesOf = (count: number) =>
  diagnosisText({ ...diagnosis, likely: { ...likely, count } }, createStyle(false)).split('\n');

test('diagnosisText tells a likely cause apart from a known one, with its line and what to do', () => {
  expect(linesOf(1)).toEqual([
    'No known cause found, a likely one read from the error (1 file, 69 B)',
    '',
    'Likely: Nothing listens at 10.9.0.3:7777: the connection is refused (once)',
    '   paste.txt:2 connect: connection refused',
    '   do: Look whether that service runs',
  ]);
});

test('diagnosisText says how often the likely cause was told', () => {
  expect(linesOf(3)).toContain(
    'Likely: Nothing listens at 10.9.0.3:7777: the connection is refused (3 times)',
  );
});

test('diagnosisText shows what else the text states below a likely cause, and only there', () => {
  const other = { file: 'paste.txt', line: 1, text: 'depot.db: the checksum is not right' };
  const shown = {
    ...diagnosis,
    likely,
    alsoSaid: [other],
    suspicious: [{ ...other, count: 1 }],
  };

  expect(diagnosisText(shown, createStyle(false)).split('\n').slice(5)).toEqual([
    '',
    'The text also says:',
    '  paste.txt:1 depot.db: the checksum is not right',
  ]);
});

test('diagnosisText calls a warning a warning', () => {
  const shown = { ...diagnosis, likely: { ...likely, isWarned: true as const } };

  expect(diagnosisText(shown, createStyle(false)).split('\n')).toEqual(
    expect.arrayContaining([
      'No known cause found, only a warning (1 file, 69 B)',
      'Only warned of: Nothing listens at 10.9.0.3:7777: the connection is refused (once)',
    ]),
  );
});

test('diagnosisText tells why what looks bad is harmless, where nothing else is wrong', () => {
  const benign = [{ id: 'noise-ping', count: 2, cause: 'It is asked with TLS first.' }];
  const noCause = { forms: [{ form: 'plain text', files: 1 }], gather: [] };
  const text = (one: object) =>
    diagnosisText({ ...diagnosis, benign, noCause, ...one }, createStyle(false)).split('\n');

  expect(text({})).toEqual([
    'No cause found: what looks bad here is known to be harmless (1 file, 69 B)',
    '',
    'Looks bad, and is harmless:',
    '  noise-ping (2) It is asked with TLS first.',
    '',
    'What was read: plain text (1), nothing that tells a time',
    'No other line of it is an error by its words',
  ]);
  expect(text({ likely })[0]).toMatch(/^No known cause found, a likely one/);
  const firstError = { file: 'a.log', line: 1, text: 'error: the depot is late' };
  expect(text({ noCause: { ...noCause, firstError } })[0]).toMatch(/^No known cause found \(/);
});

test('diagnosisText has no such lines where nothing is likely', () => {
  expect(diagnosisText(diagnosis, createStyle(false))).toBe('No known cause found (1 file, 69 B)');
});

test('diagnosisText shows the first error and the one it ends with', () => {
  const firstError = { file: 'a.log', line: 1, text: 'error: the network does not start' };
  const lastError = { file: 'a.log', line: 2, text: 'error: accept_ra is not 2' };
  const noCause = { forms: [{ form: 'plain text', files: 1 }], firstError, lastError, gather: [] };

  expect(diagnosisText({ ...diagnosis, noCause }, createStyle(false)).split('\n')).toEqual([
    'No known cause found (1 file, 69 B)',
    '',
    'What was read: plain text (1), nothing that tells a time',
    'The first real error: a.log:1 error: the network does not start',
    'The error it ends with: a.log:2 error: accept_ra is not 2',
  ]);
});

test('diagnosisText does not say the line of a likely cause again', () => {
  const same = { file: 'paste.txt', line: 2, text: 'connect: connection refused' };
  const other = { file: 'paste.txt', line: 1, text: 'error: the depot is late' };
  const noCause = { forms: [{ form: 'plain text', files: 1 }], firstError: same, gather: [] };
  const suspicious = [same, other].map((one) => ({ ...one, count: 1 }));
  const shown = { ...diagnosis, likely, suspicious, noCause };

  expect(diagnosisText(shown, createStyle(false)).split('\n').slice(5)).toEqual([
    '',
    'What was read: plain text (1), nothing that tells a time',
    '',
    'The most suspicious lines:',
    '  paste.txt:1 error: the depot is late (1)',
  ]);
});
