import { expect, test } from 'vitest';
import {
  counted,
  formatBytes,
  formatDuration,
  formatRate,
  parseBytes,
  shellLine,
} from './format.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.00 KiB'],
  [10_240, '10.0 KiB'],
  [1_048_575, '1.00 MiB'],
  [1024 ** 2 * 102.3, '102 MiB'],
  [1024 ** 3 * 1.5, '1.50 GiB'],
  [1024 ** 6, '1024 PiB'],
])('formatBytes writes %d as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test('formatRate is bytes a second', () => {
  expect(formatRate(1024 ** 2 * 88.1)).toBe('88.1 MiB/s');
});

test.each([
  [0, '0 ms'],
  [999.6, '1.0 s'],
  [45, '45 ms'],
  [3210, '3.2 s'],
  [59_960, '1m 00s'],
  [245_000, '4m 05s'],
  [3_599_600, '1h 00m'],
  [7_620_000, '2h 07m'],
])('formatDuration writes %d ms as %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  ['500', 500],
  ['64K', 65_536],
  ['64 kb', 65_536],
  ['1.5GiB', 1_610_612_736],
  ['2T', 2 * 1024 ** 4],
  ['many', undefined],
  ['-1K', undefined],
  ['', undefined],
])('parseBytes reads %j as %s', (text, bytes) => {
  expect(parseBytes(text)).toBe(bytes);
});

test('counted says one of a thing and many of them', () => {
  expect([0, 1, 2].map((count) => counted(count, 'image'))).toEqual([
    ...['0 images', '1 image', '2 images'],
  ]);
});

test('shellLine quotes only what a shell would take apart', () => {
  expect(shellLine(['atoll', 'diagnose', '/srv/lab-1/x.tar'])).toBe(
    'atoll diagnose /srv/lab-1/x.tar',
  );
  expect(shellLine(['chmod', '600', "my site's/secret"])).toBe("chmod 600 'my site'\\''s/secret'");
});
