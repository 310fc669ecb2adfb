import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp.ts';
import type { TarEntry } from '../../../core/archive/read-tar.ts';
import { silentContext } from '../../../core/context.ts';
import { tarEntries } from './tar-index.ts';

const LONG = `docker/registry/v2/repositories/${'deep/'.repeat(30)}_manifests/tags/v1/current/link`;

async function archiveOf(files: Readonly<Record<string, string>>): Promise<string> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, content);
  tar.entry({ name: 'folder', type: 'directory' });
  tar.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tar) chunks.push(chunk as Uint8Array);
  const path = join(await tempDir(), 'mirror_000001.tar');
  await writeFile(path, Buffer.concat(chunks));
  return path;
}

async function entriesOf(path: string): Promise<TarEntry[]> {
  const entries: TarEntry[] = [];
  for await (const entry of tarEntries(silentContext(), path)) entries.push(entry);
  return entries;
}

test('tarEntries finds files, long names included, and where their bytes are', async () => {
  const path = await archiveOf({ 'a.txt': 'alpha', [LONG]: 'sha256:x', empty: '' });

  const entries = await entriesOf(path);

  const bytes = await readFile(path);
  expect(
    entries.map(({ path: name, offset, size }) => [
      name,
      bytes.toString('utf8', offset, offset + size),
    ]),
  ).toEqual([
    ['a.txt', 'alpha'],
    [LONG, 'sha256:x'],
    ['empty', ''],
  ]);
});

test('tarEntries reads sizes above eight gigabytes', async () => {
  const path = await archiveOf({ big: '' });
  const bytes = await readFile(path);
  bytes.fill(0, 124, 136);
  bytes.writeUInt8(0x80, 124);
  bytes.writeBigUInt64BE(20_000_000_000n, 128);
  const sum = bytes
    .subarray(0, 512)
    .reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  await writeFile(path, bytes);

  // Its end cannot be there, which is how we know that the size was read.
  await expect(entriesOf(path)).rejects.toMatchObject({
    code: 'BUNDLE_DAMAGED',
    message: expect.stringContaining('in the middle of big') as string,
  });
});

test('tarEntries names an archive that was cut or is none', async () => {
  const path = await archiveOf({ a: 'x'.repeat(2000) });
  const bytes = await readFile(path);
  const refused = { code: 'BUNDLE_DAMAGED', message: expect.stringContaining(path) as string };

  for (const end of [1000, 512 + 2048]) {
    await writeFile(path, bytes.subarray(0, end));
    await expect(entriesOf(path)).rejects.toMatchObject(refused);
  }
  await writeFile(path, 'not an archive'.repeat(100));
  await expect(entriesOf(path)).rejects.toMatchObject(refused);
});

test.each([
  ['a negative size in an extended header', { pax: { size: '-1536' } }],
  ['no number for a size', { pax: { size: '1e30' } }],
])('tarEntries refuses %s', async (_what, header) => {
  const tar = pack();
  tar.entry({ name: 'a', ...header }, 'x');
  tar.finalize();
  const path = join(await tempDir(), 'mirror_000001.tar');
  await writeFile(path, tar as AsyncIterable<Buffer>);

  await expect(entriesOf(path)).rejects.toMatchObject({
    code: 'BUNDLE_DAMAGED',
    message: expect.stringContaining('a size that cannot be') as string,
  });
});
