import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describeWithPeers } from '../../../test/support/peers.ts';
import { collect } from '../bytes.ts';
import { ArchiveError } from './archive-error.ts';
import { bunzip2, isBzip2 } from './bunzip2.ts';
import { isXz, unxz } from './unxz.ts';
import { isZstd, unzstd } from './unzstd.ts';
import { createXxh64 } from './xxh64.ts';

/** Hands out bytes in odd pieces, as a network would. */
async function* inPieces(bytes: Uint8Array, size = 7777): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const packed = (program: string, args: readonly string[], input: Uint8Array): Buffer =>
  execFileSync(program, args, { input, maxBuffer: 1024 ** 3 });

const LOG = Buffer.from(
  Array.from(
    { length: 15_000 },
    (_, at) => `2026-08-20T10:11:${at % 60}Z crio[${at * 7919}]: pulling image ${at ** 3}\n`,
  ).join(''),
);
const SAMPLES: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.of(7)],
  ['a log', LOG],
  ['noise', randomBytes(300_000)],
  ['zeros', Buffer.alloc(1_000_000)],
  ['runs', Buffer.from('aaaab'.repeat(9) + 'c'.repeat(259) + 'd'.repeat(4) + 'e'.repeat(255))],
  ['noise in a log', Buffer.concat([LOG, randomBytes(100_000), LOG, Buffer.alloc(70_000)])],
];
const TOOLS = [
  { program: 'bzip2', unpack: bunzip2, is: isBzip2, ways: [['-1'], ['-9']] },
  {
    program: 'xz',
    unpack: unxz,
    is: isXz,
    ways: [
      ['-0'],
      ['-1', '--block-size=500000', '-T1'],
      ['-0', '-C', 'crc32'],
      ['-0', '-C', 'sha256'],
      ['-0', '-C', 'none'],
      ['--lzma2=preset=1,lc=0,lp=3,pb=4,dict=4KiB'],
    ],
  },
  {
    program: 'zstd',
    unpack: unzstd,
    is: isZstd,
    ways: [['-1'], ['-9'], ['-3', '--no-check'], ['-1', '--single-thread', '--long=24']],
  },
] as const;
const LIMITS = { maxBytes: 1024 ** 3, maxRatio: 100, ratioFloorBytes: 1024 ** 2 };

for (const { program, unpack, is, ways } of TOOLS) {
  describeWithPeers([program], `what ${program} packs`, () => {
    test.each(ways.map((args) => [args.join(' '), args] as const))(
      'is read back with %s',
      async (_, args) => {
        for (const [name, bytes] of SAMPLES) {
          const file = packed(program, args, bytes);

          expect([name, is(file)]).toEqual([name, true]);
          const read = await collect(unpack(inPieces(file)));
          expect([name, read.equals(bytes)]).toEqual([name, true]);
        }
      },
    );

    test('is read back for any bytes, in any pieces, and as several streams', async () => {
      const part = fc.oneof(
        fc.uint8Array({ maxLength: 300 }),
        fc.string().map((text) => Buffer.from(text.repeat(500))),
      );
      await fc.assert(
        fc.asyncProperty(part, part, fc.integer({ min: 1, max: 999 }), async (one, two, size) => {
          const file = Buffer.concat([packed(program, ['-2'], one), packed(program, ['-1'], two)]);

          const read = await collect(unpack(inPieces(file, size)));

          expect(read.equals(Buffer.concat([one, two]))).toBe(true);
        }),
        { numRuns: 10 },
      );
    });

    test('is refused where it was damaged or cut, and never read as something else', async () => {
      const bytes = Buffer.concat([LOG.subarray(0, 30_000), randomBytes(2000)]);
      const file = packed(program, [], bytes);
      await fc.assert(
        fc.asyncProperty(
          fc.nat(file.length - 1),
          fc.integer({ min: 1, max: 255 }),
          fc.boolean(),
          async (at, change, isCut) => {
            const broken = Buffer.from(isCut ? file.subarray(0, at) : file);
            if (!isCut) broken[at] = (broken[at] ?? 0) ^ change;

            const outcome = await collect(unpack(inPieces(broken))).catch((error) => error);

            // Bits that pad the last byte mean nothing, and no bytes at all are no file.
            if (Buffer.isBuffer(outcome)) expect(at === 0 || outcome.equals(bytes)).toBe(true);
            else expect(outcome).toBeInstanceOf(ArchiveError);
          },
        ),
        { numRuns: 120 },
      );
    });

    test('is refused by name where it unfolds without end', async () => {
      const bomb = packed(program, ['-1'], Buffer.alloc(8_000_000));

      await expect(collect(unpack(inPieces(bomb), LIMITS))).rejects.toMatchObject({
        kind: 'refused',
        message: 'it unfolds more than 100 times, as a compression bomb does',
      });
    });
  });
}

/** As the checksum's own program prints them for these bytes. */
test.each([
  ['', 0xef46db3751d8e999n],
  ['a', 0xd24ec4f1a98c6e5bn],
  ['abc', 0x44bc2cf5ad770999n],
])('createXxh64 of "%s"', (text, expected) => {
  const hash = createXxh64();
  hash.update(Buffer.from(text));

  expect(hash.digest()).toBe(expected);
});
