import { createHash } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { pack } from 'tar-stream';
import { describe, expect, test, vi } from 'vitest';
import { collectCopies } from '../../../test/support/collect-copies.ts';
import { tempDir } from '../../../test/support/temp.ts';
import { collect, once } from '../../core/bytes.ts';
import { silentContext } from '../../core/context.ts';
import type { Source } from '../../oci/content.ts';
import type { Descriptor } from '../../oci/descriptor.ts';
import { digestOf } from '../../oci/digest.ts';
import { makeLayerDelta } from './make-layer-delta.ts';
import type { Recompression } from './methods.ts';
import { deltaFile, rebuildLayer } from './rebuild.ts';
import { openRecompressor } from './recompressor.ts';
import { CarriedWhole } from './unpack-layer.ts';

// What nobody knows is tried with every program there is, and a busy machine takes its time.
vi.setConfig({ testTimeout: 240_000 });

const ctx = silentContext();

/** Files of any sizes and kinds: text that compresses, noise that does not, holes. */
const file = fc.record({
  name: fc.stringMatching(/^[a-z]{1,8}(\/[a-z]{1,8}){0,2}$/),
  kind: fc.constantFrom('text', 'noise', 'zeros'),
  size: fc.oneof(fc.nat(2000), fc.nat(80_000)),
  seed: fc.nat(3),
});
type AnyFile = typeof file extends fc.Arbitrary<infer T> ? T : never;

function contentOf({ kind, size, seed }: AnyFile): Buffer {
  if (kind === 'zeros') return Buffer.alloc(size);
  const line = (at: number) => createHash('sha256').update(`${seed} ${at}`).digest();
  const parts = Array.from({ length: Math.ceil(size / 32) }, (_, at) =>
    kind === 'text' ? Buffer.from(`${line(at).toString('hex')}\n`) : line(at),
  );
  return Buffer.concat(parts).subarray(0, size);
}

async function tarOf(files: readonly AnyFile[]): Promise<Buffer> {
  const tar = pack();
  for (const each of files) tar.entry({ name: each.name }, contentOf(each));
  tar.finalize();
  return await collect(tar as AsyncIterable<Buffer>);
}

const method = fc.oneof(
  fc.record({
    program: fc.constantFrom('gzip' as const, 'zlib' as const),
    version: fc.constant(''),
    level: fc.integer({ min: 1, max: 9 }),
  }),
  fc.record({
    program: fc.constantFrom('go' as const, 'pgzip' as const, 'klauspost' as const),
    version: fc.constantFrom('1.13.6', '1.15.9', '1.16.7', '1.18.2'),
    level: fc.constantFrom(-1, 1, 9),
  }),
  fc.constant({ program: 'none' as const, version: '', level: 0 }),
);

function known(tar: Buffer, recompression: Recompression): Buffer {
  const program = openRecompressor(recompression);
  const all = Buffer.concat([Buffer.from(program.write(tar)), Buffer.from(program.finish())]);
  if (['gzip', 'zlib'].includes(recompression.program)) all[9] = 3;
  return all;
}

/** A header with a name, as `gzip FILE` writes it, before what Node's own zlib makes. */
function named(tar: Buffer): Buffer {
  const header = Buffer.from([0x1f, 0x8b, 8, 8, 9, 9, 9, 9, 0, 3]);
  return Buffer.concat([header, Buffer.from('layer.tar\0'), deflateRawSync(tar), Buffer.alloc(8)]);
}

/** What may happen to a layer besides being compressed by a program that is known. */
const STRANGE: Readonly<Record<string, (tar: Buffer) => Buffer>> = {
  'by Node': (tar) => gzipSync(tar),
  'by Node, with a name': named,
  'in two members': (tar) => Buffer.concat([gzipSync(tar.subarray(0, 700)), gzipSync(tar)]),
  'cut off': (tar) => gzipSync(tar).subarray(0, -20),
  'with bytes behind': (tar) => Buffer.concat([gzipSync(tar), Buffer.from('behind')]),
  'with one bit flipped': (tar) => {
    const all = known(tar, { program: 'go', version: '1.26', level: 1 });
    const at = all.length >> 1;
    all[at] = (all[at] ?? 0) ^ 4;
    return all;
  },
  'of zstd': (tar) => Buffer.concat([Buffer.from('28b52ffd', 'hex'), tar]),
  'no gzip but its magic': () => Buffer.from([0x1f, 0x8b, 8]),
  empty: () => Buffer.alloc(0),
};

function holding(...blobs: readonly Buffer[]): Source {
  const byDigest = new Map(blobs.map((bytes) => [digestOf(bytes) as string, bytes]));
  return {
    resolve: async () => undefined,
    manifest: () => Promise.reject(new Error('There are only layers here')),
    blob: (_ctx, { digest }) => once(byDigest.get(digest) ?? Buffer.alloc(0)),
    can: {},
  };
}

const layerOf = (bytes: Buffer): Descriptor => ({
  mediaType: '',
  digest: digestOf(bytes),
  size: bytes.length,
});

/** The same digest, or carried whole: whether it came back. */
async function carried(old: Buffer, fresh: Buffer): Promise<boolean> {
  const source = holding(old, fresh);
  const pair = { fresh: layerOf(fresh), old: layerOf(old), oldRepository: undefined };
  const folder = await tempDir();
  const making = makeLayerDelta(
    ctx,
    { ...pair, freshSource: source, oldSources: [source] },
    { folder, linkBytesPerSecond: undefined },
  );
  const made = await making.catch((error: unknown) => {
    if (error instanceof CarriedWhole) return undefined;
    throw error;
  });
  if (!made) return false;
  const delta = deltaFile(ctx, made.path, made.record.delta.size);
  const from = made.record.recompress.program === 'symbols' ? 'old.symbols' : 'old.tar';
  const rebuilt = rebuildLayer(ctx, made.record, `${folder}/${from}`, delta);
  expect(digestOf(await collectCopies(rebuilt))).toBe(digestOf(fresh));
  return true;
}

describe('a layer', () => {
  const files = fc.array(file, { minLength: 1, maxLength: 5 });

  test('of any files, by any known program, comes back with its digest or is carried whole', async () => {
    let rebuilt = 0;
    const property = fc.asyncProperty(files, files, method, async (kept, changed, by) => {
      const old = gzipSync(await tarOf([...kept, ...changed.slice(1)]));
      const fresh = known(await tarOf([...changed, ...kept]), by);
      if (await carried(old, fresh)) rebuilt += 1;
    });

    await fc.assert(property, { numRuns: 12 });

    expect(rebuilt).toBeGreaterThan(2);
  });

  test.each(Object.entries(STRANGE))(
    '%s is carried whole or comes back exactly',
    async (_, make) => {
      await fc.assert(
        fc.asyncProperty(files, async (any) => {
          const tar = await tarOf(any);
          await carried(gzipSync(tar), make(tar));
        }),
        { numRuns: 2 },
      );
    },
  );

  test('whose older layer is not what it says is carried whole', async () => {
    const tar = await tarOf([{ name: 'a', kind: 'noise', size: 100_000, seed: 1 }]);
    const fresh = known(tar, { program: 'go', version: '1.26', level: -1 });
    const source = holding(fresh);
    const old = { ...layerOf(fresh), digest: digestOf('another') };
    const work = { folder: await tempDir(), linkBytesPerSecond: undefined };
    const pair = { fresh: layerOf(fresh), old, freshSource: source, oldRepository: undefined };

    const made = makeLayerDelta(ctx, { ...pair, oldSources: [source, source] }, work);

    await expect(made).rejects.toThrow('its older layer cannot be read');
  });

  test('that the disk has no room for is carried whole, before anything is downloaded', async () => {
    const fresh = gzipSync(await tarOf([{ name: 'a', kind: 'noise', size: 100_000, seed: 1 }]));
    const asked: string[] = [];
    const source: Source = {
      ...holding(fresh),
      blob: (_ctx, { digest }) => {
        asked.push(digest);
        return once(fresh);
      },
    };
    const work = {
      folder: await tempDir(),
      linkBytesPerSecond: undefined,
      measure: async () => 10,
    };
    const pair = { fresh: layerOf(fresh), old: layerOf(fresh), oldRepository: undefined };

    const made = makeLayerDelta(ctx, { ...pair, freshSource: source, oldSources: [source] }, work);

    await expect(made).rejects.toThrow('there is no room to compare it');
    expect(asked).toEqual([]);
  });
});
