import { expect, test } from 'vitest';
import { createStyle } from '../../style.ts';
import { dryRunExitCode, dryRunText } from './dry-run-text.ts';

const PLAN = {
  ...{ images: 3, missingImages: 2, totalBytes: 3000, missingBytes: 2000, failures: [] },
  ...{ mappingFile: 'mapping.txt', missingFile: 'missing.txt' },
};

test('dryRunText says in words that there is no room, where the exit status says so', () => {
  const here = { path: '/media/disk', neededBytes: 2048, freeBytes: 1024 };

  const text = dryRunText({ ...PLAN, here }, createStyle(false));

  expect(dryRunExitCode({ ...PLAN, here })).toBe(3);
  expect(text).toContain('failed there is not enough room at /media/disk: free 1.00 KiB more');
});

test('dryRunText says of what failed what to do about it, each cause once', () => {
  const cause = { code: 'REGISTRY_UNAVAILABLE', hint: 'Check that a.example runs' } as const;
  const failures = ['a.example/x:1', 'a.example/y:1'].map((subject) => ({
    ...cause,
    subject,
    message: `Cannot read ${subject}`,
  }));

  const lines = dryRunText({ ...PLAN, failures }, createStyle(false)).split('\n');

  expect(lines.filter((line) => line.startsWith('failed '))).toEqual([
    'failed 2 images, for example: Cannot read a.example/x:1 [REGISTRY_UNAVAILABLE]',
  ]);
  expect(lines).toContain('  next: Check that a.example runs');
});

test('dryRunText has no such line where there is room', () => {
  const here = { path: '/media/disk', neededBytes: 2048, freeBytes: 2048 };

  expect(dryRunExitCode({ ...PLAN, here })).toBe(0);
  expect(dryRunText({ ...PLAN, here }, createStyle(false))).not.toContain('failed');
});
