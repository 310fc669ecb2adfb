// Our own registry as a target: `clear` empties it, as docker-registry's does.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, start, stop, waitForPort } from './processes.mjs';

export async function startEmbedded(root) {
  const port = await freePort();
  const program = join(import.meta.dirname, 'serve-embedded.mjs');
  let child;
  const serve = async () => {
    await mkdir(root, { recursive: true });
    child = start(process.execPath, [program, root, String(port)], { stdio: 'ignore' });
    await waitForPort(port);
  };
  await serve();
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    clear: async () => {
      await stop(child);
      await rm(root, { recursive: true, force: true });
      await serve();
    },
    stop: async () => {
      await stop(child);
      await rm(root, { recursive: true, force: true });
    },
  };
}
