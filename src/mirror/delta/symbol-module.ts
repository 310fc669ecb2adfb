import { readAsset } from '../../core/assets.ts';
import {
  BASE_DISTANCE,
  BASE_LENGTH,
  END,
  EXTRA_DISTANCE,
  EXTRA_LENGTH,
  LITERALS,
} from './deflate-tables.ts';
import * as symbols from './symbols.ts';
import { compileWasm, instantiateWasm, type WasmModule } from './wasm.ts';

/** How a call of a loop ended, as in `tools/symbols/assembly/outcome.ts`. */
export const [ENDED, REFUSED] = [1, 2];

interface Variable {
  readonly value: number;
}

/** What `tools/symbols/assembly/index.ts` offers. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  describeLiteral(symbol: number, first: number, extraBits: number): void;
  describeDistance(symbol: number, first: number, extraBits: number): void;
  readonly lengths: Variable;
  setLiteralCodes(count: number): number;
  setDistanceCodes(count: number): number;
  decode(bit: number, lastByte: number, word: number): number;
  readonly input: Variable;
  readonly inputBytes: Variable;
  readonly output: Variable;
  readonly outputWords: Variable;
  readonly nextBit: Variable;
  readonly nextWord: Variable;
  setWordCodes(count: number): number;
  setDistanceEntries(count: number): number;
  encode(word: number, end: number, byte: number, rest: number, restBits: number): number;
  readonly given: Variable;
  readonly givenWords: Variable;
  readonly made: Variable;
  readonly madeBytes: Variable;
  readonly nextGiven: Variable;
  readonly nextMade: Variable;
  readonly rest: Variable;
  readonly restBits: Variable;
}

/** The two loops with a memory of their own, for one file. */
export interface SymbolModule extends Exports {
  /** The bytes and the words of an area. */
  bytes(start: Variable, count: Variable): Buffer;
  words(start: Variable, count: Variable): Uint16Array;
  /** Hands the lengths of codes to what takes them; a `RangeError` where there are too many. */
  set(lengths: Uint16Array, by: (count: number) => number): void;
}

let compiled: WasmModule | undefined;

export function openSymbolModule(): SymbolModule {
  compiled ??= compileWasm(Buffer.from(readAsset('symbols/module.wasm.b64'), 'base64'));
  const wasm = instantiateWasm<Exports>(compiled, {});
  describeAlphabets(wasm);
  const { buffer } = wasm.memory;
  const ofCodes = new Uint8Array(buffer, wasm.lengths.value, MOST_LENGTHS);
  return {
    ...wasm,
    bytes: (start, count) => Buffer.from(buffer, start.value, count.value),
    words: (start, count) => new Uint16Array(buffer, start.value, count.value),
    set: (lengths, by) => {
      ofCodes.set(lengths);
      if (by(lengths.length) === 0) throw new RangeError('There are more codes than fit');
    },
  };
}

/** The fixed code has two more than mean something. */
const MOST_LENGTHS = LITERALS + 2;
const MEANS_NOTHING = symbols.END_OF_BLOCK + 1;

function describeAlphabets(wasm: Exports): void {
  for (let symbol = 0; symbol < END; symbol += 1) wasm.describeLiteral(symbol, symbol, 0);
  wasm.describeLiteral(END, symbols.END_OF_BLOCK, 0);
  for (const [code, first] of BASE_LENGTH.entries())
    wasm.describeLiteral(END + 1 + code, symbols.LENGTHS + first, EXTRA_LENGTH[code] ?? 0);
  wasm.describeLiteral(LITERALS - 1, symbols.LONGEST, 0);
  for (let symbol = LITERALS; symbol < MOST_LENGTHS; symbol += 1)
    wasm.describeLiteral(symbol, MEANS_NOTHING, 0);
  for (const [code, first] of BASE_DISTANCE.entries())
    wasm.describeDistance(code, first, EXTRA_DISTANCE[code] ?? 0);
}
