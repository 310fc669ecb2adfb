import { expect, test } from 'vitest';
import { once } from '../core/bytes.ts';
import { silentContext } from '../core/context.ts';
import { diagnose } from './diagnose.ts';

const now = () => new Date('2026-08-21T00:00:00Z');

async function causesOf(text: string): Promise<(string | number | undefined)[]> {
  const paste = { name: 'paste', modified: now(), open: () => once(Buffer.from(text)) };
  const { findings } = await diagnose(silentContext({ now }), [paste]);
  return findings.flatMap(({ kind, id, evidence }) =>
    kind === 'root' ? [id, evidence[0]?.line] : [],
  );
}

const JOURNAL = [
  'Aug 20 10:11:10 bootstrap systemd[1]: Starting Download the OpenShift Release Image...',
  'Aug 20 10:11:12 bootstrap release-image-download.sh[2211]: Error: initializing source docker://reg.corp.lan:5000/ocp4/release@sha256:0a1b2c3d: pinging container registry reg.corp.lan:5000: Get "https://reg.corp.lan:5000/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
  'Aug 20 10:11:12 bootstrap release-image-download.sh[2211]: Pull failed. Retrying reg.corp.lan:5000/ocp4/release@sha256:0a1b2c3d...',
].join('\n');
const CAUSE = ['boot-pull-x509', 2];

const wrapped = (width: number) =>
  JOURNAL.split('\n')
    .flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [])
    .map((line) => line.trimEnd())
    .join('\n');

test.each([
  ['colours', JOURNAL.replace(/(registry|signed|unknown)/g, '\x1b[1;31m$1\x1b[0m')],
  ['colours that lost their escape', JOURNAL.replace(/(registry|signed|unknown)/g, '[31m$1[0m')],
  ['spaces that do not break', JOURNAL.replaceAll(' ', '\u00a0')],
  ['curled quotes', JOURNAL.replace(/"([^"]*)"/g, '“$1”')],
  ['marks of a quotation', JOURNAL.replace(/^/gm, '> ')],
  ['numbers of lines', JOURNAL.replace(/^/gm, '   7\t')],
  ['bullets', JOURNAL.replace(/^/gm, '  - ')],
  ['a host without a time', JOURNAL.replace(/^.{16}/gm, '')],
  ['the time since another line', JOURNAL.replace(/^.{15}/gm, '[    7.120431 <    0.000123 >]')],
  ['ends of Windows', JOURNAL.replaceAll('\n', '\r\n')],
])('diagnose finds the cause behind %s', async (_, text) => {
  expect(await causesOf(`${text}\n`)).toEqual(CAUSE);
});

test.each([72, 80, 100, 131])(
  'diagnose finds the cause in lines that were broken at %i, and where it begins',
  async (width) => {
    const text = wrapped(width);
    const start = text.split('\n').findIndex((line) => line.includes(']: Error:')) + 1;

    expect(await causesOf(`${text}\n`)).toEqual(['boot-pull-x509', start]);
  },
);

test('diagnose says in which line of a verbose journal the message stands', async () => {
  const head = (second: number) => `Thu 2026-08-20 10:11:${second}.000000 UTC [s=0a1b;i=1]`;
  const entry = (second: number, message: string) =>
    `${head(second)}\n    _HOSTNAME=bootstrap\n    _SYSTEMD_UNIT=release-image.service\n    MESSAGE=${message}\n`;
  const [, error = ''] = JOURNAL.split('\n');

  expect(
    await causesOf(entry(10, 'all is well') + entry(12, error.slice(error.indexOf('Error:')))),
  ).toEqual(['boot-pull-x509', 8]);
});

const ENTRIES = JOURNAL.split('\n').map((line) => ({
  __REALTIME_TIMESTAMP: String(Date.parse('2026-08-20T10:11:12Z') * 1000),
  _HOSTNAME: 'bootstrap',
  SYSLOG_IDENTIFIER: 'release-image-download.sh',
  MESSAGE: [...Buffer.from(`\x1b[31m${line.replace(/^.*?\]: /, '')}`)],
}));
const entries = (write: (one: unknown) => string) => ENTRIES.map(write).join('');

test.each([
  ['json', entries((one) => `${JSON.stringify(one)}\n`)],
  ['json, spaced', entries((one) => `${JSON.stringify(one).replace(/[,:]/g, '$& ')}\n`)],
  ['json-seq', entries((one) => `\x1e${JSON.stringify(one)}\n`)],
  ['json-sse', entries((one) => `data: ${JSON.stringify(one)}\n\n`)],
  ['json-pretty', entries((one) => `${JSON.stringify(one, undefined, '\t')}\n`)],
  ['a list', JSON.stringify(ENTRIES)],
])('diagnose finds cause and time in a journal of bytes as %s', async (_, text) => {
  const paste = { name: 'paste', modified: now(), open: () => once(Buffer.from(text)) };
  const { findings } = await diagnose(silentContext({ now }), [paste]);
  const roots = findings.filter(({ kind }) => kind === 'root');

  expect(roots.map(({ id, firstAt }) => [id, firstAt])).toEqual([
    ['boot-pull-x509', '2026-08-20T10:11:12.000Z'],
  ]);
});
