import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** Hands each connection to the next server that takes it, as simple load balancers do. */
export async function startLoadBalancer(urls: readonly string[]) {
  const ports = urls.map((url) => Number(new URL(url).port));
  const open = new Set<Socket>();
  const used = ports.map(() => 0);
  let turn = 0;

  function track(socket: Socket): Socket {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
    return socket;
  }

  function hand(client: Socket, tries: number): void {
    if (tries === 0) return void client.destroy();
    turn = (turn + 1) % ports.length;
    const index = turn;
    const server = track(connect(ports[index] ?? 0, '127.0.0.1'));
    server.once('connect', () => {
      used[index] = (used[index] ?? 0) + 1;
      client.pipe(server).pipe(client);
      server.once('close', () => client.destroy());
      client.once('close', () => server.destroy());
    });
    server.once('error', () => {
      if (server.connecting || server.bytesRead === 0) hand(client, tries - 1);
    });
  }

  const listener = createServer((client) => hand(track(client), ports.length));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    listener.close();
  });
  const host = `127.0.0.1:${(listener.address() as AddressInfo).port}`;
  return { host, url: `http://${host}`, used };
}
