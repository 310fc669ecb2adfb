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

/** Plain sockets fill a large buffer in one read; TLS never hands out more than one 16 KiB record. */
export const PLAIN_BUFFERS = createBuffers(256 * 1024, 48);
export const TLS_BUFFERS = createBuffers(16 * 1024, 128);
