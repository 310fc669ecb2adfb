/** Content in memory, the least recently used dropped first. What is in here was verified. */
export interface ContentCache {
  get(digest: string): Buffer | undefined;
  put(digest: string, content: Buffer): void;
}

export function createContentCache(maxBytes: number, maxItemBytes = maxBytes / 4): ContentCache {
  const items = new Map<string, Buffer>();
  let bytes = 0;
  let newest = '';

  function drop(digest: string): void {
    bytes -= items.get(digest)?.length ?? 0;
    items.delete(digest);
  }

  return {
    get(digest) {
      const content = items.get(digest);
      // Moving one costs more than finding it, and many ask for the same.
      if (content === undefined || digest === newest) return content;
      items.delete(digest);
      items.set(digest, content);
      newest = digest;
      return content;
    },
    put(digest, content) {
      if (content.length > maxItemBytes) return;
      drop(digest);
      items.set(digest, content);
      newest = digest;
      bytes += content.length;
      for (const oldest of items.keys()) {
        if (bytes <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
