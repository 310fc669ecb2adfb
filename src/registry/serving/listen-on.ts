import type { Server } from 'node:http';
import { AtollError, messageOf, systemCodeOf } from '../../core/errors.ts';

const HINTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'Choose another port, or stop what listens there',
  EACCES: 'Choose a port above 1023, or give the program the right to use lower ones',
  EADDRNOTAVAIL: 'Use an address this machine has',
};

/** Listens, or says in plain words why it cannot. */
export async function listenOn(
  server: Server,
  { host = '127.0.0.1', port }: { readonly host?: string | undefined; readonly port: number },
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, () => {
        server.off('error', reject);
        resolve();
      });
    });
  } catch (cause) {
    const message = `Cannot listen on ${host}:${port}: ${messageOf(cause)}`;
    const hint = HINTS[systemCodeOf(cause) ?? ''];
    throw new AtollError('INPUT_INVALID', message, { hint, cause, details: { host, port } });
  }
}
