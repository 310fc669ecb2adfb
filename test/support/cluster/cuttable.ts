import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Cuttable {
  readonly url: string;
  /** How many connections were opened until now. */
  readonly opened: () => number;
  /** Ends every connection at once, in the middle of whatever is under way. */
  readonly cut: () => void;
  readonly stop: () => Promise<void>;
}

/** A way to a server on this machine that can be cut. */
export async function cuttableWay(to: string): Promise<Cuttable> {
  const target = Number(new URL(to).port);
  const open = new Set<Socket>();
  let opened = 0;
  const server = createServer((inside) => {
    opened += 1;
    const outside = connect(target, '127.0.0.1');
    for (const socket of [inside, outside]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    inside.pipe(outside).pipe(inside);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `https://127.0.0.1:${port}`,
    opened: () => opened,
    cut,
    stop: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}
