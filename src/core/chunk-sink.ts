/**
 * Takes one piece of a body. The memory is valid only until this returns, or until the promise it
 * returned settles; then the next read may overwrite it.
 */
export type ChunkSink = (chunk: Uint8Array) => void | Promise<void>;
