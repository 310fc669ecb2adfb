// A line to a registry that passes bytes on as they are, until it is told to break.
import { connect, createServer } from 'node:net';

/** `arm` gives the next connections so many bytes to live, both ways together; `onCut` hears of each that broke. */
export async function createCutter(port, onCut) {
  let budgets = [];
  const server = createServer((client) => {
    const registry = connect(port, '127.0.0.1');
    let left = budgets.shift() ?? Number.POSITIVE_INFINITY;
    const end = () => {
      client.destroy();
      registry.destroy();
    };
    const pass = (from, to) => {
      from.on('error', end).on('close', end);
      from.on('data', (bytes) => {
        left -= bytes.length;
        if (left < 0 && !client.destroyed) onCut();
        if (left < 0) end();
        else if (!to.write(bytes)) from.pause();
      });
      to.on('drain', () => from.resume());
    };
    pass(client, registry);
    pass(registry, client);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const arm = (list) => {
    budgets = [...list];
  };
  return { port: server.address().port, arm };
}
