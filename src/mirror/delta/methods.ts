import * as z from 'zod';

/** Which program, version and level makes the compressed bytes of a layer from its tar; or from its symbols, where it is none. */
export const recompressionSchema = z.strictObject({
  program: z.enum(['none', 'symbols', 'go', 'pgzip', 'klauspost', 'zlib', 'gzip']),
  version: z.string(),
  level: z.number().int(),
});

export type Recompression = z.output<typeof recompressionSchema>;
export type WasmRecompression = Recompression & {
  readonly program: 'go' | 'pgzip' | 'klauspost';
};

/** Compresses a stream exactly as the named program does. What it returns is valid until the next call. */
export interface Recompressor {
  write(bytes: Uint8Array): Uint8Array;
  finish(): Uint8Array;
}

export function isWasmProgram(method: Recompression): method is WasmRecompression {
  return ['go', 'pgzip', 'klauspost'].includes(method.program);
}

export const UNCOMPRESSED: Recompression = { program: 'none', version: '', level: 0 };
/** What the delta makes are the symbols of the layer, not its tar. */
export const SYMBOLS: Recompression = { program: 'symbols', version: '1', level: 0 };

/** One for each output that the releases of klauspost/compress differ in, the most usual first. */
const KLAUSPOST = ['1.18.2', '1.16.7', '1.15.9', '1.13.6'];
/** Compilers and builders use the default, ko and kaniko the quickest; all others are rare. */
const GO_LEVELS = [-1, 1, 9, 2, 3, 4, 5, 7, 8];
const ZLIB_LEVELS = [6, 9, 1, 8, 7, 5, 4, 3, 2];

const all = (
  program: Recompression['program'],
  versions: readonly string[],
  levels: readonly number[],
): Recompression[] =>
  levels.flatMap((level) => versions.map((version) => ({ program, version, level })));

const GO_FAMILY: readonly Recompression[] = [
  ...all('pgzip', KLAUSPOST, [-1]),
  ...all('go', ['1.26'], GO_LEVELS),
  ...all('klauspost', KLAUSPOST, [-1, 1, 9]),
  ...all('pgzip', KLAUSPOST, [1, 9, 2, 3, 4, 6, 7, 8]),
];

const ZLIB_FAMILY: readonly Recompression[] = ZLIB_LEVELS.flatMap((level) => [
  ...all('gzip', ['1.12'], [level]),
  ...all('zlib', ['1.2.11'], [level]),
]);

const UNKNOWN_SYSTEM = 255;

/** What may have written a gzip header; programs in Go do not say on which system. */
export function candidatesFor(header: Uint8Array): readonly Recompression[] {
  return header[9] === UNKNOWN_SYSTEM ? GO_FAMILY : ZLIB_FAMILY;
}
