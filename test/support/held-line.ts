import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface HeldLine {
  /** `127.0.0.1:PORT` */
  readonly host: string;
  /** Lets everything through, now and later. */
  readonly open: () => void;
}

/** A line to a port of this machine on which nothing moves until it is opened. Ends with the test. */
export async function startHeldLine(target: string): Promise<HeldLine> {
  const [name = '', port = ''] = target.split(':');
  const sockets = new Set<Socket>();
  let open = () => undefined as unknown;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const server = createServer(async (near) => {
    sockets.add(near);
    near.on('error', () => near.destroy());
    await opened;
    const far = connect(Number(port), name);
    sockets.add(far);
    far.on('error', () => near.destroy());
    near.on('close', () => far.destroy());
    near.pipe(far).pipe(near);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, open };
}
