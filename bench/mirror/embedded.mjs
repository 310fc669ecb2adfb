// Our own registry as a target, as `registry serve` runs it: `clear` empties it, as docker-registry's does.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, start, stop, waitForPort } from './processes.mjs';

const MAIN = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

export async function startEmbedded(root) {
  const port = await freePort();
  const config = join(root, 'config.yaml');
  let child;
  let cleared = 0;
  const serve = async () => {
    await mkdir(root, { recursive: true });
    const listeners = [{ address: `127.0.0.1:${port}` }];
    const content = { storage: { path: 'data' }, listeners, accessLog: 'access.log' };
    await writeFile(config, JSON.stringify(content));
    child = start(process.execPath, [MAIN, 'registry', 'serve', '--config', config], {
      stdio: 'ignore',
    });
    await waitForPort(port);
  };
  await serve();
  return {
    host: `127.0.0.1:${port}`,
    url: `http://127.0.0.1:${port}`,
    folder: root,
    clear: async () => {
      await stop(child, 'SIGTERM');
      cleared += 1;
      await rename(join(root, 'data'), join(root, `data-${cleared}`));
      await serve();
    },
    stop: async () => {
      await stop(child, 'SIGTERM');
      await rm(root, { recursive: true, force: true });
    },
  };
}
