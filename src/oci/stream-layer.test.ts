import { gunzipSync } from 'node:zlib';
import { extract } from 'tar-stream';
import { expect, test } from 'vitest';
import { digestOf } from './digest.ts';
import { streamLayer } from './stream-layer.ts';

const ENTRIES = [
  { folder: 'tmp', mode: 0o1777 },
  { path: 'tmp/.wh.cache', content: '' },
  { path: 'configs/a.json', content: Buffer.alloc(300_000, 'a') },
];

test('streamLayer writes exactly the entries it is given, with root as owner and no time', async () => {
  const { bytes, descriptor, diffId } = await streamLayer(ENTRIES, 'docker');
  const tar = gunzipSync(bytes);
  const unpack = extract();
  unpack.end(tar);
  const found: unknown[] = [];
  for await (const entry of unpack) {
    const { name, type, mode, uid, size, mtime } = entry.header;
    found.push([name, type, mode, uid, size, mtime?.getTime()]);
    entry.resume();
  }

  expect(found).toEqual([
    ['tmp/', 'directory', 0o1777, 0, 0, 0],
    ['tmp/.wh.cache', 'file', 0o644, 0, 0, 0],
    ['configs/a.json', 'file', 0o644, 0, 300_000, 0],
  ]);
  expect(diffId).toBe(digestOf(tar));
  expect(descriptor).toMatchObject({ digest: digestOf(bytes), size: bytes.length });
  expect(descriptor.mediaType).toContain('docker');
});

test('streamLayer gives the same bytes for the same entries', async () => {
  const [first, again] = await Promise.all([streamLayer(ENTRIES), streamLayer([...ENTRIES])]);

  expect(again).toEqual(first);
});

test('streamLayer passes on what goes wrong while entries are made', async () => {
  function* failing() {
    yield { path: 'a', content: 'x' };
    throw new Error('no more');
  }

  await expect(streamLayer(failing())).rejects.toThrow('no more');
});
