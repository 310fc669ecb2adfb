import { createHash } from 'node:crypto';
import { brotliDecompressSync } from 'node:zlib';
import * as z from 'zod';
import { readAsset } from '../../core/assets.ts';
import { createDeflater } from './deflate.ts';
import { inPieces } from './in-pieces.ts';
import { isWasmProgram, type Recompression, type Recompressor } from './methods.ts';
import { SymbolWriter } from './symbol-writer.ts';
import { compileWasm, instantiateWasm, type WasmModule, wasmImports } from './wasm.ts';

export function openRecompressor(method: Recompression): Recompressor {
  if (method.program === 'none') return { write: (bytes) => bytes, finish: () => new Uint8Array() };
  if (method.program === 'symbols') return new SymbolWriter();
  return isWasmProgram(method) ? openWasm(method) : createDeflater(method);
}

const indexSchema = z.object({
  go: z.string(),
  modules: z.array(z.object({ version: z.string(), bytes: z.number(), sha256: z.string() })),
});

const compiled = new Map<string, WasmModule>();
let binaries: ReadonlyMap<string, Binary> | undefined;

interface Binary {
  readonly bytes: Uint8Array;
  readonly sha256: string;
}

/** Checked and compiled when first needed: of the four, a process mostly needs one. */
function moduleOf(version: string): WasmModule {
  const known = compiled.get(version);
  if (known) return known;
  binaries ??= readBinaries();
  const binary = binaries.get(version);
  if (!binary) throw new Error(`There is no recompressor ${version}`);
  const { bytes, sha256 } = binary;
  if (createHash('sha256').update(bytes).digest('hex') !== sha256)
    throw new Error(`The recompressor ${version} is not what was built`);
  const module = compileWasm(new Uint8Array(bytes));
  compiled.set(version, module);
  return module;
}

/** The versions differ little, so they are compressed as one. */
function readBinaries(): ReadonlyMap<string, Binary> {
  const index = indexSchema.parse(JSON.parse(readAsset('recompress/index.json')));
  const all = brotliDecompressSync(Buffer.from(readAsset('recompress/modules.br.b64'), 'base64'));
  let at = 0;
  return new Map(
    index.modules.map(({ version, bytes, sha256 }) => {
      at += bytes;
      return [version, { bytes: all.subarray(at - bytes, at), sha256 }];
    }),
  );
}

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  _initialize(): void;
  input(): number;
  output(): number;
  start(program: number, level: number): number;
  write(size: number): number;
  finish(): number;
}

/** As in `tools/recompress/main.go`. */
const PROGRAMS = { go: 0, pgzip: 1, klauspost: 2 } as const;
const INPUT_BYTES = 1024 * 1024;

function openWasm(method: Recompression & { program: keyof typeof PROGRAMS }): Recompressor {
  const wasm = instantiate(moduleOf(method.program === 'go' ? NEWEST : method.version));
  const input = wasm.input();
  if (wasm.start(PROGRAMS[method.program], method.level) !== 1)
    throw new Error(`${method.program} has no level ${method.level}`);
  const taken = (length: number): Uint8Array => {
    if (length < 0) throw new Error(`${method.program} failed`);
    return new Uint8Array(wasm.memory.buffer, wasm.output(), length);
  };
  const writePiece = (bytes: Uint8Array): Uint8Array => {
    new Uint8Array(wasm.memory.buffer, input, bytes.length).set(bytes);
    return taken(wasm.write(bytes.length));
  };
  return {
    write: (bytes) => inPieces(bytes, INPUT_BYTES, writePiece),
    finish: () => taken(wasm.finish()),
  };
}

/** The newest module also stands for the standard library, which has not changed for long. */
const NEWEST = '1.18.2';

/**
 * The Go runtime asks for a clock, random numbers and a way to write panics, and for little else. The bytes
 * that come out do not depend on any of it.
 */
function instantiate(module: WasmModule): Exports {
  const view = () => new DataView(exports.memory.buffer);
  const none = () => 0;
  const known: Record<string, (...args: number[]) => number> = {
    clock_time_get: (_id, _precision, at = 0) => {
      view().setBigUint64(at, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    args_sizes_get: (count = 0, size = 0) => zeros(view(), count, size),
    environ_sizes_get: (count = 0, size = 0) => zeros(view(), count, size),
    random_get: none,
    fd_write: (_file, list = 0, count = 0, written = 0) => discard(view(), list, count, written),
    fd_prestat_get: () => BAD_FILE,
    fd_prestat_dir_name: () => BAD_FILE,
    poll_oneoff: (_in, _out, count = 0, events = 0) => {
      view().setUint32(events, count, true);
      return 0;
    },
    proc_exit: (code) => {
      throw new Error(`The recompressor ended with ${code}`);
    },
  };
  const names = wasmImports(module);
  const imports = Object.fromEntries(names.map((name) => [name, known[name] ?? none]));
  const exports = instantiateWasm<Exports>(module, { wasi_snapshot_preview1: imports });
  exports._initialize();
  return exports;
}

const BAD_FILE = 8;

function zeros(view: DataView, ...pointers: readonly number[]): number {
  for (const at of pointers) view.setUint32(at, 0, true);
  return 0;
}

function discard(view: DataView, list: number, count: number, written: number): number {
  let bytes = 0;
  for (let each = 0; each < count; each += 1) bytes += view.getUint32(list + each * 8 + 4, true);
  view.setUint32(written, bytes, true);
  return 0;
}
