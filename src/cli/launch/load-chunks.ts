import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { Script } from 'node:vm';
import type { CompiledChunk, CompiledCode } from './code-pack.ts';

/** A chunk that runs: what it was made of, and its code to keep. */
export interface LoadedChunk {
  readonly name: string;
  readonly source: Buffer;
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
  // What is not a chunk is a part of Node: it is the same for all.
  const fromNode = partsOfNode(createRequire(join(root, 'chunk.js')));
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

function partsOfNode(require: NodeJS.Require): (id: string) => unknown {
  return (id) => {
    if (!LATE.has(id)) return require(id);
    return new Proxy(
      {},
      {
        get: (_, name) => Reflect.get(require(id), name),
        has: (_, name) => Reflect.has(require(id), name),
        ownKeys: () => Reflect.ownKeys(require(id)),
        getOwnPropertyDescriptor: (_, name) => {
          const found = Reflect.getOwnPropertyDescriptor(require(id), name);
          return found && { ...found, configurable: true };
        },
      },
    );
  };
}

/** With code that was kept, if it is of this very source. */
export function compileChunk(root: string, name: string, kept?: CompiledChunk): LoadedChunk {
  const filename = join(root, name);
  const source = readFileSync(filename);
  const cachedData = kept && kept.sum === sumOf(source) ? kept.code : undefined;
  const script = new Script(wrap(textOf(source)), { filename, cachedData });
  return { name, source, script };
}

/** The code of a chunk with all functions that ran so far. */
export function compiledNow({ source, script }: LoadedChunk): CompiledChunk {
  return { sum: sumOf(source), code: script.createCachedData() };
}

export function compiledOf(chunks: readonly LoadedChunk[]): ReadonlyMap<string, CompiledChunk> {
  return new Map(chunks.map((chunk) => [chunk.name, compiledNow(chunk)]));
}

function sumOf(source: Buffer): string {
  return createHash('sha256').update(source).digest('base64');
}

/** As they are built, chunks need no decoding. */
const textOf = (source: Buffer) => source.toString(isAscii(source) ? 'latin1' : 'utf8');

const wrap = (source: string) =>
  `(function (exports, require, module, __filename, __dirname) {${source.replace(/^#!/, '//')}\n})`;
