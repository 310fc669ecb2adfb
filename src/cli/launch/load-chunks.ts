import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { Script } from 'node:vm';

/** Code of one chunk as V8 keeps it, and the sum of the source it was made of. */
export interface CompiledChunk {
  readonly sum: string;
  readonly code: Buffer;
}

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
  readonly compiled?: ReadonlyMap<string, CompiledChunk> | undefined;
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
    const chunk = compileChunk(root, name, compiled?.get(name));
    const module: ChunkModule = { exports: {} };
    modules.set(name, module);
    loaded?.(chunk);
    const filename = join(root, name);
    const directory = dirname(filename);
    const fromNode = createRequire(filename);
    const require = (id: string) =>
      id.startsWith('.') ? load(relative(root, join(directory, id))) : fromNode(id);
    (chunk.script.runInThisContext() as Wrapped)(
      module.exports,
      require,
      module,
      filename,
      directory,
    );
    return module.exports;
  };
}

/** With code that was kept, if it is of this very source. */
export function compileChunk(root: string, name: string, kept?: CompiledChunk): LoadedChunk {
  const filename = join(root, name);
  const source = readFileSync(filename);
  const cachedData = kept && kept.sum === sumOf(source) ? kept.code : undefined;
  const script = new Script(wrap(source.toString('utf8')), { filename, cachedData });
  return { name, source, script };
}

export function sumOf(source: Buffer): string {
  return createHash('sha256').update(source).digest('base64');
}

const wrap = (source: string) =>
  `(function (exports, require, module, __filename, __dirname) {${source.replace(/^#!/, '//')}\n})`;
