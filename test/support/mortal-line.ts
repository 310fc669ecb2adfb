import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A line to a registry on loopback that dies for good, until it is mended. */
export interface MortalLine {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Bytes that came from the registry so far. */
  readonly passed: () => number;
  /** Lets so many more bytes come from the registry; then every connection breaks, and none is made. */
  readonly dieAfter: (bytes: number) => void;
  readonly mend: () => void;
  readonly stop: () => Promise<void>;
}

export async function startMortalLine(registry: string): Promise<MortalLine> {
  const [host = '', port = ''] = registry.split(':');
  let passed = 0;
  let lastByte = Number.POSITIVE_INFINITY;
  const sockets = new Set<Socket>();
  const isDead = () => passed >= lastByte;
  const die = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isDead()) return void client.destroy();
    const upstream = connect(Number(port), host);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.on('data', (bytes) => {
      const rest = bytes.subarray(0, Math.max(0, lastByte - passed));
      passed += rest.length;
      client.write(rest, () => {
        if (isDead()) die();
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed,
    dieAfter: (bytes) => {
      lastByte = passed + bytes;
    },
    mend: () => {
      lastByte = Number.POSITIVE_INFINITY;
    },
    stop: async () => {
      die();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
