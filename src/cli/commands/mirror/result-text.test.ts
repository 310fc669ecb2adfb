import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MirrorReport, ReportedImage } from '../../../mirror/flow/report.ts';
import { digestOf } from '../../../oci/digest.ts';
import { createStyle } from '../../style.ts';
import { releaseText } from './release-text.ts';
import { reportText, resultText } from './result-text.ts';

const failed = (source: string, message: string, hint?: string): ReportedImage => ({
  kind: 'additional',
  source,
  target: 'm/x',
  reason: '',
  outcome: 'failed',
  sizeBytes: undefined,
  copiedBytes: 0,
  attempts: 1,
  error: { code: 'BUNDLE_BASE_MISSING', message, hint },
});

function reportWith(images: readonly ReportedImage[]): MirrorReport {
  return {
    flow: 'load',
    images,
    notCollected: [],
    copied: 0,
    skipped: 0,
    failed: images.length,
    copiedBytes: 0,
    mountedBytes: 0,
    durationMs: 0,
  };
}

const textOf = (images: readonly ReportedImage[]) =>
  reportText(reportWith(images), createStyle(false));

test('reportText tells failures of one cause together', () => {
  const digest = (count: number) => `sha256:${String(count).padStart(64, '0')}`;
  const images = Array.from({ length: 45 }, (_, count) =>
    failed(
      `quay.io/a/b@${digest(count)}`,
      `Cannot find ${digest(count + 100)}: not there`,
      'Load the base',
    ),
  );

  const lines = textOf([...images, failed('quay.io/c/d:1', 'Something else')]).split('\n');

  expect(lines.filter((line) => line.startsWith('failed'))).toEqual([
    `failed 45 images, for example: Cannot find ${digest(100)}: not there [BUNDLE_BASE_MISSING]`,
    'failed quay.io/c/d:1: Something else [BUNDLE_BASE_MISSING]',
  ]);
  expect(lines).toContain('  and 42 more');
  expect(lines.filter((line) => line.includes('next:'))).toEqual(['  next: Load the base']);
});

test('reportText sees one cause behind the names of images and places', () => {
  const text = textOf([
    failed('quay.io/a/b:1', 'Cannot write m.example:5000/a/b:1: 507 no room'),
    failed('quay.io/c/d:2', 'Cannot write m.example:5000/c/d:2: 507 no room'),
  ]);

  expect(text.match(/^failed/gm)).toHaveLength(1);
});

test('releaseText says how to go on only where something failed', () => {
  const textFor = (images: readonly ReportedImage[]) => {
    const result = {
      report: reportWith(images),
      version: '4.18.1',
      tag: '4.18.1-x86_64',
      digest: digestOf('release'),
      placed: [],
      updateImage: undefined,
      signatureFile: undefined,
    };
    return releaseText({ result, instructions: 'idms', toDir: '/disk' }, createStyle(false));
  };

  expect(textFor([failed('quay.io/a/b:1', 'no')])).toContain('next: run the same command again');
  expect(textFor([])).not.toContain('next:');
});

test.each([
  [
    'an image failed',
    [failed('quay.io/a/b:1', 'no')],
    'next: atoll mirror retry --dir d2 (with the registry flags of this run)',
  ],
  [
    'nothing that failed can be tried alone',
    [{ ...failed('quay.io/a/index:1', 'no'), kind: 'catalog' } as const],
    'next: Run "atoll mirror sync" with the same configuration; what is there is not sent again',
  ],
])('resultText says what helps where %s', (_what, images, expected) => {
  const report: MirrorReport = { ...reportWith(images), flow: 'sync' };
  const result = {
    report,
    reportFile: 'r',
    errorsFile: join('d2', 'working-dir', 'logs', 'e'),
    resources: [],
    installConfig: undefined,
  };

  expect(resultText(result, createStyle(false)).split('\n')).toContain(expected);
});
