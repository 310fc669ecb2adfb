import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { describeWithPeers, peerPath } from '../../../test/support/peers.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { registerSecret } from '../../core/redact.ts';
import { html } from './html.ts';
import type { ReportInput } from './report-input.ts';
import { reportHtml, writeReport } from './write-report.ts';

const EVIL = `<script>alert('1')</script><img src="https://evil.example/x.png">`;

const INPUT: ReportInput = {
  name: 'lab',
  outcome: 'succeeded',
  run: '20260820T101112Z',
  startedAt: '2026-08-20T10:11:12.000Z',
  durationMs: 12_300,
  facts: [['Release', '4.18.2']],
  stages: [
    { id: 'images', title: 'Images', outcome: 'finished', startMs: 300, durationMs: 9000 },
    {
      id: 'verify',
      title: 'Verify',
      outcome: 'skipped',
      reason: 'already finished',
      startMs: 0,
      durationMs: 0,
    },
  ],
  images: [
    {
      kind: 'release',
      source: 'quay.io/r@sha256:1',
      target: 'm/r:1',
      outcome: 'copied',
      reason: 'asked for',
      sizeBytes: 2048,
      copiedBytes: 1024,
    },
  ],
  nodes: [
    {
      name: 'master-0',
      state: 'joined',
      bytes: 4096,
      pulls: [{ image: 'quay.io/r@sha256:1', endpoint: 'm/r' }],
    },
  ],
  timelineSvg: '<svg xmlns="http://www.w3.org/2000/svg" width="10"><title>picture</title></svg>',
  findings: [],
  warnings: [{ message: 'no SSH key', hint: 'give one' }],
  simulated: ['machines'],
  real: ['images'],
  siteFile: { path: '/sites/lab/atoll.yaml', text: 'name: lab\n' },
  version: '1.2.3',
};

/** The input with hostile words wherever there are words. */
function spoiltBy<T>(value: T, key = ''): T {
  if (typeof value === 'string' && !['outcome', 'state', 'timelineSvg'].includes(key))
    return `${value}${EVIL}` as T;
  if (Array.isArray(value)) return value.map((one) => spoiltBy(one)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, spoiltBy(inner, name)]),
  ) as T;
}

/** Everything in a page that would make a browser ask somebody. */
const outside = (page: string) =>
  page.match(
    /<(?:script|link|iframe|img|object|embed|base)\b|(?:src|href|action)\s*=|url\(|@import/gi,
  ) ?? [];

describe('reportHtml', () => {
  test('shows stages, images, pulls, warnings, the site file and what is simulated', () => {
    const page = reportHtml(INPUT);

    for (const words of [
      'came up',
      '12.3 s',
      'Images',
      'already finished',
      'quay.io/r@sha256:1',
      'master-0',
      'no SSH key',
      'Simulated',
      'name: lab',
      '<title>picture</title>',
      'atoll 1.2.3',
    ]) {
      expect(page).toContain(words);
    }
    expect(page).not.toContain('Why it failed');
  });

  test('says why it failed, with evidence and what to do', () => {
    const finding = {
      id: 'boot-pull-x509',
      cause: 'The CA is missing',
      remedy: 'Add it',
      commands: ['openssl verify'],
      evidence: [{ place: 'journal:2', text: 'x509: unknown authority' }],
    };
    const error = {
      code: 'CLUSTER_FAILED',
      message: 'It did not come up',
      hint: 'atoll diagnose x',
    };

    const page = reportHtml({ ...INPUT, outcome: 'failed', error, findings: [finding] });

    for (const words of [
      'did not come up',
      'CLUSTER_FAILED',
      'atoll diagnose x',
      'The CA is missing',
      'openssl verify',
      'journal:2: x509: unknown authority',
    ]) {
      expect(page).toContain(words);
    }
  });

  test('refers to nothing outside, whatever is in the data', () => {
    expect(outside(reportHtml(INPUT))).toEqual([]);
    expect(reportHtml(INPUT)).not.toMatch(/https?:/);

    const spoilt = { ...spoiltBy(INPUT), outcome: 'failed', error: { message: EVIL } } as const;
    const tags = reportHtml(spoilt).match(/<[a-z][^>]*>/gi) ?? [];

    expect(tags.flatMap(outside)).toEqual([]);
  });

  test('is the same for the same input', () => {
    expect(reportHtml(INPUT)).toBe(reportHtml(structuredClone(INPUT)));
  });
});

test('html escapes values once, and leaves alone what is HTML', () => {
  expect(html`<b title="${'"'}">${html`<i>${'<'}</i>`}${['&', undefined, 1]}</b>`.text).toBe(
    '<b title="&#34;"><i>&#60;</i>&#38;1</b>',
  );
});

test('writeReport leaves out secrets, and logins in addresses of the site file', async () => {
  const path = join(await tempDir(), 'report.html');
  registerSecret('a-very-secret-word');
  const text = 'proxy:\n  url: http://joe:hunter2@proxy.example:3128\nnote: a-very-secret-word\n';

  await writeReport(path, { ...INPUT, siteFile: { path: 'atoll.yaml', text } });

  const page = await readFile(path, 'utf8');
  expect(page).toContain('http://[redacted]@proxy.example:3128');
  expect(page).not.toMatch(/hunter2|a-very-secret-word/);
});

describeWithPeers(['chromium'], 'the report in Chromium', () => {
  const CHROMIUM = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
    '--hide-scrollbars',
  ];

  test('is drawn, with nothing run and nothing fetched', async () => {
    const folder = await tempDir();
    const path = join(folder, 'report.html');
    await writeReport(path, spoiltBy(INPUT));
    const chromium = (...args: readonly string[]) =>
      promisify(execFile)(
        peerPath('chromium') ?? '',
        [...CHROMIUM, `--user-data-dir=${join(folder, 'profile')}`, ...args, `file://${path}`],
        { timeout: 25_000 },
      );

    const { stdout } = await chromium(
      `--screenshot=${join(folder, 'page.png')}`,
      `--log-net-log=${join(folder, 'net.json')}`,
      '--dump-dom',
    );

    expect(stdout).toContain('<td class="state joined">joined</td>');
    expect(await readFile(join(folder, 'net.json'), 'utf8')).not.toContain('evil.example');
    expect((await stat(join(folder, 'page.png'))).size).toBeGreaterThan(10_000);
  });
});
