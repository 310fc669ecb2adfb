/** Read buffers that go round: a gigabyte passes through a handful of them. */
export interface Buffers {
  take(): Buffer;
  give(buffer: Buffer): void;
}

export function createBuffers(bytes: number, keep: number): Buffers {
  const free: Buffer[] = [];
  return {
    take: () => free.pop() ?? Buffer.allocUnsafeSlow(bytes),
    give(buffer) {
      if (free.length < keep) free.push(buffer);
    },
  };
}
