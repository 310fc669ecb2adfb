import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';

/** Where a forwarder listens: an address and a port, or a socket in the file system. */
export type ListenAt = { readonly host: string; readonly port: number } | { readonly path: string };

/** Passes bytes both ways between everybody who comes in at one place and another place. */
export async function startForward(at: ListenAt, to: NetConnectOpts): Promise<Server> {
  const server = createServer((incoming) => join(incoming, connect(to)));
  server.listen(at);
  await once(server, 'listening');
  return server;
}

/** An end or a failure of one side is the end of the other. */
function join(a: Socket, b: Socket): void {
  a.pipe(b);
  b.pipe(a);
  const stop = () => {
    a.destroy();
    b.destroy();
  };
  a.on('error', stop).on('close', stop);
  b.on('error', stop).on('close', stop);
}
