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

test('dryRunText has no such line where there is room', () => {
  const here = { path: '/media/disk', neededBytes: 2048, freeBytes: 2048 };

  expect(dryRunExitCode({ ...PLAN, here })).toBe(0);
  expect(dryRunText({ ...PLAN, here }, createStyle(false))).not.toContain('failed');
});
