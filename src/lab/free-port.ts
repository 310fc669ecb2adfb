import { randomInt } from 'node:crypto';
import { type AddressInfo, createServer } from 'node:net';

/** Below the ports that systems hand out: a lab that is begun again finds its own still free. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;
const TRIES = 20;

/** A port nobody uses now, and hardly anybody will be given. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = await listenOnce(FIRST_PORT + randomInt(PORTS)).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return await listenOnce(0);
}

async function listenOnce(wanted: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(wanted, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
