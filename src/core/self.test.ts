import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { readAsset } from './assets.ts';
import { selfCommand } from './self.ts';

test('selfCommand is the built command line when the sources run', () => {
  const { file, args } = selfCommand();

  expect(file).toBe(process.execPath);
  expect(args).toEqual([join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js')]);
});

test('readAsset reads from the folder, or from what a bundle carries', () => {
  expect(readAsset('version.txt')).toMatch(/^\d+\.\d+\.\d+/);

  globalThis.ATOLL_ASSETS = { 'version.txt': '9.9.9' };
  try {
    expect(readAsset('version.txt')).toBe('9.9.9');
    expect(() => readAsset('missing.txt')).toThrow('lacks the asset "missing.txt"');
    expect(basename(selfCommand().args[0] ?? '')).toBe('self.ts');
  } finally {
    globalThis.ATOLL_ASSETS = undefined;
  }
});
