import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Script } from 'node:vm';
import type { CompiledChunk, CompiledCode } from './code-pack.ts';

/** A chunk that runs: what it was made of, and its code to keep. */
export interface LoadedChunk {
  readonly name: string;
  /** Of its source. */
  readonly sum: string;
  readonly script: Script;
}

interface ChunkModule {
  exports: unknown;
}

type Wrapped = (
  exports: unknown,
  require: (name: string) => unknown,
  module: ChunkModule,
  filename: string,
  directory: string,
) => void;

interface ChunkLoaderOptions {
  /** The folder of all chunks. */
  readonly root: string;
  readonly compiled?: CompiledCode | undefined;
  readonly loaded?: ((chunk: LoadedChunk) => void) | undefined;
}

/**
 * Runs chunks in CommonJS as Node would, with code that was compiled when they were built. V8 refuses
 * code of another V8 and the chunk is compiled here; of the source V8 looks at the length only, so that
 * the sum is ours to compare.
 */
export function chunkLoader({
  root,
  compiled,
  loaded,
}: ChunkLoaderOptions): (name: string) => unknown {
  const modules = new Map<string, ChunkModule>();
  return function load(name) {
    const known = modules.get(name);
    if (known) return known.exports;
    const chunk = compileChunk(root, name, compiled?.(name));
    const module: ChunkModule = { exports: {} };
    modules.set(name, module);
    loaded?.(chunk);
    const folder = posix.dirname(name);
    const require = (id: string) =>
      id.startsWith('.') ? load(posix.join(folder, id)) : fromNode(id);
    (chunk.script.runInThisContext() as Wrapped)(
      module.exports,
      require,
      module,
      join(root, name),
      join(root, folder),
    );
    return module.exports;
  };
}

/** Many chunks name these parts of Node and few runs need them: they are loaded at the first use. */
const LATE: ReadonlySet<string> = new Set([
  'node:child_process',
  'node:readline/promises',
  'node:stream/consumers',
  'node:tls',
  'node:zlib',
]);

/** What is not a chunk is a part of Node. */
function fromNode(id: string): object {
  if (!LATE.has(id)) return partOfNode(id);
  return new Proxy(
    {},
    {
      get: (_, name) => Reflect.get(partOfNode(id), name),
      has: (_, name) => Reflect.has(partOfNode(id), name),
      ownKeys: () => Reflect.ownKeys(partOfNode(id)),
      getOwnPropertyDescriptor: (_, name) => {
        const found = Reflect.getOwnPropertyDescriptor(partOfNode(id), name);
        return found && { ...found, configurable: true };
      },
    },
  );
}

/** Without `node:module`, which brings the loader of modules along. */
function partOfNode(id: string): object {
  const part = process.getBuiltinModule(id);
  if (part) return part;
  throw Object.assign(new Error(`Cannot find module '${id}'`), { code: 'MODULE_NOT_FOUND' });
}

/** With code that was kept, if it is of this very source. */
export function compileChunk(root: string, name: string, kept?: CompiledChunk): LoadedChunk {
  const filename = join(root, name);
  const { source, whole } = readWrapped(filename);
  const sum = createHash('sha256').update(source).digest('base64');
  const cachedData = kept?.sum === sum ? kept.code : undefined;
  // The line that names the interpreter has to be the first.
  if (source.toString('latin1', 0, 2) === '#!') source.write('//');
  const script = new Script(textOf(whole), { filename, cachedData });
  return { name, sum, script };
}

/** The code of a chunk with all functions that ran so far. */
export function compiledNow({ sum, script }: LoadedChunk): CompiledChunk {
  return { sum, code: script.createCachedData() };
}

export function compiledOf(chunks: readonly LoadedChunk[]): ReadonlyMap<string, CompiledChunk> {
  return new Map(chunks.map((chunk) => [chunk.name, compiledNow(chunk)]));
}

/** As they are built, chunks need no decoding. */
const textOf = (source: Buffer) => source.toString(isAscii(source) ? 'latin1' : 'utf8');

const HEAD = '(function (exports, require, module, __filename, __dirname) {';
const TAIL = '\n})';
/** From this length on Node leaves a text outside of V8's heap, where nobody copies and collects it. */
const OUTSIDE_BYTES = 1_031_914;

/** A file inside a function, put together as bytes: to join texts is to copy them. */
function readWrapped(filename: string): { readonly source: Buffer; readonly whole: Buffer } {
  const file = openSync(filename, 'r');
  try {
    const { size } = fstatSync(file);
    const end = HEAD.length + size;
    const wrapped = end + TAIL.length;
    const isNearly = wrapped > OUTSIDE_BYTES / 2 && wrapped < OUTSIDE_BYTES;
    const whole = Buffer.allocUnsafeSlow(isNearly ? OUTSIDE_BYTES : wrapped);
    whole.write(HEAD, 'latin1');
    readSync(file, whole, HEAD.length, size, 0);
    whole.write(TAIL, end, 'latin1');
    whole.fill(' ', wrapped);
    return { source: whole.subarray(HEAD.length, end), whole };
  } finally {
    closeSync(file);
  }
}
