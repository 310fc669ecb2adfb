import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { collectCopies } from '../../../test/support/collect-copies.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { collect, once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { digestOf } from '../../oci/digest.ts';
import { applyDelta } from './apply-delta.ts';
import { deltaOfTars } from './delta-of-tars.ts';
import type { LayerDelta } from './layer-delta.ts';
import { pairLayers } from './layer-pairs.ts';
import { makeDelta } from './make-delta.ts';
import { makeLayerDelta, unpackPair } from './make-layer-delta.ts';
import type { Recompression } from './methods.ts';
import { pays, prefersSymbols } from './pays.ts';
import { deltaFile, rebuildLayer } from './rebuild.ts';
import { rebuildHere } from './rebuild-job.ts';
import { openRecompressor } from './recompressor.ts';

const ctx = silentContext();

async function tarOf(files: Readonly<Record<string, Uint8Array | string>>): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(files)) tar.entry({ name }, Buffer.from(content));
  tar.finalize();
  return await collect(tar as AsyncIterable<Buffer>);
}

/** Noise with a seed: no compressor and no diff finds anything in it. */
function noise(seed: string, length: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at * 32 < length; at += 1)
    parts.push(createHash('sha256').update(`${seed} ${at}`).digest());
  return Buffer.concat(parts).subarray(0, length);
}

async function roundTrip(old: Uint8Array, fresh: Uint8Array): Promise<number> {
  const folder = await tempDir();
  const [oldTar, newTar, delta] = ['old', 'new', 'delta'].map((name) => join(folder, name));
  await writeFile(oldTar ?? '', old);
  await writeFile(newTar ?? '', fresh);
  const size = await makeDelta(ctx, oldTar ?? '', newTar ?? '', delta ?? '');
  const made = await collectCopies(applyDelta(oldTar ?? '', deltaFile(ctx, delta ?? '', size)));
  expect(made.equals(fresh)).toBe(true);
  return size;
}

const bytes = fc.uint8Array({ maxLength: 3000 });

describe('makeDelta and applyDelta', () => {
  test('give back any bytes from any others', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (old, fresh) => void (await roundTrip(old, fresh))),
      { numRuns: 30 },
    );
  });

  test('give back any edit of any tar', async () => {
    const edit = fc.record({ at: fc.nat(60_000), cut: fc.nat(500), put: bytes });
    const content = noise('file', 60_000);
    const old = await tarOf({ 'usr/bin/tool': content, 'etc/kept': 'as it was' });
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 4 }), async (edits) => {
        const edited = edits.reduce(
          (now, { at, cut, put }) =>
            Buffer.concat([now.subarray(0, at), put, now.subarray(at + cut)]),
          content,
        );
        await roundTrip(old, await tarOf({ 'etc/kept': 'as it was', 'usr/bin/tool': edited }));
      }),
      { numRuns: 20 },
    );
  });

  test('carry little where bytes moved and addresses in them changed', async () => {
    const content = noise('program', 400_000);
    const rebuilt = Buffer.from(content);
    for (let at = 0; at < rebuilt.length; at += 40) rebuilt[at] = ((rebuilt[at] ?? 0) + 16) & 255;
    const moved = Buffer.concat([rebuilt.subarray(200_000), rebuilt.subarray(0, 200_000)]);

    const size = await roundTrip(
      await tarOf({ 'opt/a-1/program': content }),
      await tarOf({ 'opt/a-2/program': moved }),
    );

    expect(size).toBeLessThan(content.length / 20);
  });
});

interface Made {
  readonly descriptor: Descriptor;
  readonly bytes: Buffer;
}

function layer(content: Buffer): Made {
  const mediaType = 'application/vnd.oci.image.layer.v1.tar+gzip';
  return {
    descriptor: { mediaType, digest: digestOf(content), size: content.length },
    bytes: content,
  };
}

function compressed(tar: Buffer, method: Recompression, system: number): Made {
  const program = openRecompressor(method);
  const all = Buffer.concat([Buffer.from(program.write(tar)), Buffer.from(program.finish())]);
  Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, system]).copy(all);
  return layer(all);
}

function holding(...layers: readonly Made[]): Source {
  const find = ({ digest }: Descriptor) => layers.find((each) => each.descriptor.digest === digest);
  return {
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('There are only layers here')),
    blob: (_ctx, blob) => once(find(blob)?.bytes ?? Buffer.alloc(0)),
    can: {},
  };
}

async function pairOf(fresh: Made, old: Made, linkBytesPerSecond?: number) {
  const source = holding(fresh, old);
  const pair = { fresh: fresh.descriptor, old: old.descriptor, oldRepository: 'app' };
  const work = { folder: await tempDir(), linkBytesPerSecond };
  return [{ ...pair, freshSource: source, oldSources: [source] }, work] as const;
}

async function deltaOf(...of: Parameters<typeof pairOf>) {
  return await makeLayerDelta(ctx, ...(await pairOf(...of)));
}

/** The delta of the tars, which is tried where symbols differ too much. */
async function tarDeltaOf(fresh: Made, old: Made) {
  const unpacked = await unpackPair(ctx, ...(await pairOf(fresh, old)));
  return { ...(await deltaOfTars(ctx, unpacked)), oldTar: unpacked.at('old.tar') };
}

/** As `load` does it, from the old layer as the mirror has it. */
async function rebuilt(layer: LayerDelta, delta: string, old: Made): Promise<Buffer> {
  const folder = await tempDir();
  const [base, to] = [join(folder, 'base'), join(folder, 'made')];
  await writeFile(base, old.bytes);
  await rebuildHere(ctx, { layer, base, delta, to });
  expect(await readdir(folder)).toEqual(['base', 'made']);
  return await readFile(to);
}

describe('makeLayerDelta', () => {
  const files = { 'bin/tool': noise('tool', 1_400_000), 'etc/words': 'word '.repeat(50_000) };
  const before = tarOf(files);
  const after = tarOf({ ...files, 'etc/words': `${files['etc/words']}and more`, 'etc/new': 'new' });
  const old = async () => layer(gzipSync(await before));
  const go: Recompression = { program: 'go', version: '1.26', level: -1 };

  test.each<[Recompression, number]>([
    [{ program: 'gzip', version: '1.12', level: 6 }, 3],
    [{ program: 'zlib', version: '1.2.11', level: 9 }, 3],
    [{ program: 'go', version: '1.26', level: 1 }, 255],
    [{ program: 'pgzip', version: '1.16.7', level: -1 }, 255],
    [{ program: 'pgzip', version: '1.18.2', level: -1 }, 255],
  ])('rebuilds what %o compressed, bit for bit', async (method, system) => {
    const fresh = compressed(await after, method, system);

    const { record, path } = await tarDeltaOf(fresh, await old());

    expect(record.recompress.program).toBe(method.program);
    expect((await rebuilt(record, path, await old())).equals(fresh.bytes)).toBe(true);
    expect(record.delta.size).toBeLessThan(fresh.bytes.length / 100);
  });

  test.each<[string, (tar: Buffer) => Buffer]>([
    ['a program it knows', (tar) => compressed(tar, go, 255).bytes],
    ['a program it does not know', (tar) => gzipSync(tar, { level: 4, memLevel: 3 })],
    [
      'several programs, as members of one file',
      (tar) => Buffer.concat([gzipSync(tar.subarray(0, 1024)), gzipSync(tar.subarray(1024))]),
    ],
  ])('rebuilds from symbols what %s compressed', async (_by, make) => {
    const [earlier, fresh] = [layer(make(await before)), layer(make(await after))];

    const { record, path } = await deltaOf(fresh, earlier);

    expect(record.recompress.program).toBe('symbols');
    expect((await rebuilt(record, path, earlier)).equals(fresh.bytes)).toBe(true);
    expect(record.delta.size).toBeLessThan(fresh.bytes.length / 100);
  });

  test('prefers the tars where symbols differ much, unless nobody knows who compressed them', async () => {
    const line = (at: number) => `${(at * 7919) % 104_729} and ${(at * 104_729) % 7919}\n`;
    const text = Array.from({ length: 9000 }, (_, at) => line(at)).join('');
    const edited = text.replaceAll('51 and', '51 or');
    const [earlier, later] = [await tarOf({ text }), await tarOf({ text: edited })];
    const known = compressed(later, go, 255);
    const unknown = layer(gzipSync(later, { level: 4, memLevel: 3 }));
    const old = layer(gzipSync(earlier, { level: 4, memLevel: 3 }));

    const programs = [await deltaOf(known, old), await deltaOf(unknown, old)].map(
      ({ record }) => record.recompress.program,
    );

    expect(programs).toEqual(['go', 'symbols']);
  });

  test('carries whole what zstd made, and says so', async () => {
    const zstd = layer(Buffer.concat([Buffer.from('28b52ffd', 'hex'), await after]));

    await expect(deltaOf(zstd, await old())).rejects.toMatchObject({
      name: 'CarriedWhole',
      message: 'zstd cannot be rebuilt yet',
    });
  });

  test('carries whole what shares too little, and what the link carries faster', async () => {
    const noisy = await tarOf({ other: noise('other', 300_000) });
    const [known, unknown] = [compressed(noisy, go, 255), layer(gzipSync(noisy, { memLevel: 3 }))];
    const fresh = compressed(await after, go, 255);

    await expect(deltaOf(known, await old())).rejects.toThrow('too much of it is new');
    await expect(deltaOf(unknown, await old())).rejects.toThrow('no known program');
    await expect(deltaOf(fresh, await old(), 1e9)).rejects.toThrow('the link carries it faster');
  });

  test('refuses to give out what is not the layer', async () => {
    const fresh = compressed(await after, go, 255);
    const { record, path, oldTar } = await tarDeltaOf(fresh, await old());
    const source = deltaFile(ctx, path, record.delta.size);
    const otherProgram = { ...record, recompress: { ...go, level: 1 } };
    const tar = await readFile(oldTar);
    const rebuilding = collect(rebuildLayer(ctx, otherProgram, oldTar, source));
    await expect(rebuilding).rejects.toMatchObject({ code: 'LAYER_INVALID' });

    tar[5000] = (tar[5000] ?? 0) ^ 1;
    await writeFile(oldTar, tar);

    await expect(collect(rebuildLayer(ctx, record, oldTar, source))).rejects.toMatchObject({
      code: 'LAYER_INVALID',
      details: { digest: record.digest },
    });
  });

  test('refuses to make of other symbols what is not the layer', async () => {
    const { record, path } = await deltaOf(compressed(await after, go, 255), await old());
    const tar = Buffer.from(await before);
    tar[5000] = (tar[5000] ?? 0) ^ 1;
    const other = layer(gzipSync(tar));
    expect(record.recompress.program).toBe('symbols');

    await expect(rebuilt(record, path, other)).rejects.toMatchObject({ code: 'LAYER_INVALID' });
  });
});

describe('pays', () => {
  test('is for slow links, and always where nothing is said', () => {
    const size = { size: 70e6, tarSize: 180e6 };

    expect(pays(size, 'go', undefined)).toBe(true);
    expect(pays(size, 'go', 1e6)).toBe(true);
    expect(pays(size, 'go', 100e6)).toBe(false);
  });
});

describe('prefersSymbols', () => {
  test('is for few of them, and with more of them for links that are not slow', () => {
    const record = (bytes: number) => ({
      size: 70e6,
      tarSize: 180e6,
      delta: { digest: digestOf('delta'), size: bytes },
    });

    expect(prefersSymbols(record(10e6), undefined)).toBe(true);
    expect(prefersSymbols(record(20e6), undefined)).toBe(false);
    expect(prefersSymbols(record(10e6), 10e6)).toBe(true);
    expect(prefersSymbols(record(10e6), 0.2e6)).toBe(false);
  });
});

describe('pairLayers', () => {
  const one = (name: string, size = 100_000) => ({
    mediaType: '',
    digest: digestOf(name),
    size,
  });

  test('pairs by position, by size where counts differ, and with nothing that the mirror has not', () => {
    const [base, a1, a2, b1, b2, small] = [
      one('base'),
      one('a1', 50_000),
      one('a2', 51_000),
      one('b1', 90_000),
      one('b2', 91_000),
      one('small', 10),
    ];
    const has = ({ digest }: Descriptor) => [base, a1, b1].some((each) => each.digest === digest);
    const known = (digest: string) => has({ digest } as Descriptor);

    expect(pairLayers([base, a2, b2], [base, a1, b1], known)).toEqual([
      [a2, a1],
      [b2, b1],
    ]);
    expect(pairLayers([base, b2], [base, a1, b1], known)).toEqual([[b2, b1]]);
    expect(pairLayers([base, small], [base, a1], known)).toEqual([]);
    expect(pairLayers([base, a2], [base, b2], known)).toEqual([[a2, undefined]]);
  });
});
