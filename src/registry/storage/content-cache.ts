/** Content in memory, the least recently used dropped first. What is in here was verified. */
export interface ContentCache {
  get(digest: string): Buffer | undefined;
  put(digest: string, content: Buffer): void;
}

export function createContentCache(maxBytes: number, maxItemBytes = maxBytes / 4): ContentCache {
  const items = new Map<string, Buffer>();
  let bytes = 0;

  function drop(digest: string): void {
    bytes -= items.get(digest)?.length ?? 0;
    items.delete(digest);
  }

  return {
    get(digest) {
      const content = items.get(digest);
      if (content === undefined) return undefined;
      items.delete(digest);
      items.set(digest, content);
      return content;
    },
    put(digest, content) {
      if (content.length > maxItemBytes) return;
      drop(digest);
      items.set(digest, content);
      bytes += content.length;
      for (const oldest of items.keys()) {
        if (bytes <= maxBytes) return;
        drop(oldest);
      }
    },
  };
}
