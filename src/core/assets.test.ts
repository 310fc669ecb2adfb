import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { listAssets, readAsset, readBuilt } from './assets.ts';

/** What the bundle script does: all files in one. */
function bundled(assets: Readonly<Record<string, string>>): void {
  globalThis.ATOLL_ASSETS = assets;
  onTestFinished(() => {
    globalThis.ATOLL_ASSETS = undefined;
  });
}

test('listAssets and readAsset find what is below a folder, from the sources', () => {
  const names = listAssets('step-registry/');

  expect(names.length).toBeGreaterThan(0);
  expect(names).toEqual(names.toSorted());
  for (const name of names) {
    expect(name).toMatch(/^step-registry\/.+/);
    expect(readAsset(name)).not.toBe('');
  }
});

test('listAssets and readAsset look only into the bundle when there is one', () => {
  bundled({ 'b/two': '2', 'b/one': '1', other: '3', empty: '' });

  expect(listAssets('b/')).toEqual(['b/one', 'b/two']);
  expect(readAsset('b/two')).toBe('2');
  expect(readAsset('empty')).toBe('');
  expect(() => readAsset('b/three')).toThrow('lacks the asset "b/three"');
  expect([readBuilt('other'), readBuilt('no-such-file')]).toEqual(['3', undefined]);
});

test('readBuilt unpacks what the bundle has packed', () => {
  const packed = brotliCompressSync('{"lids":"Zürich"}').toString('base64');
  bundled({ 'lids.json.br': packed });

  expect(readBuilt('lids.json')).toBe('{"lids":"Zürich"}');
});

test('readBuilt has nothing where nothing was built', () => {
  expect(readBuilt('no-such-file')).toBeUndefined();
});
