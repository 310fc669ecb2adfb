// A TCP proxy that delays every byte by half of a round trip in each direction, without limiting the rate.
// node delay-proxy.mjs LISTEN-PORT TARGET-PORT ROUND-TRIP-MS
import { connect, createServer } from 'node:net';

const [listenPort, targetPort, roundTripMs] = process.argv.slice(2).map(Number);
const DELAY_MS = roundTripMs / 2;
/** More than this on its way, and the sender has to wait. */
const WINDOW_BYTES = 16 * 1024 * 1024;

function delayed(from, to) {
  let onTheWay = 0;
  const later = (action) => setTimeout(action, DELAY_MS);
  from.on('data', (chunk) => {
    onTheWay += chunk.length;
    if (onTheWay > WINDOW_BYTES) from.pause();
    later(() => {
      const taken = () => {
        onTheWay -= chunk.length;
        if (onTheWay < WINDOW_BYTES) from.resume();
      };
      if (!to.destroyed) to.write(chunk, taken);
    });
  });
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroy()));
}

createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const server = connect({
    port: targetPort,
    host: '127.0.0.1',
    noDelay: true,
    allowHalfOpen: true,
  });
  delayed(client, server);
  delayed(server, client);
}).listen(listenPort, '127.0.0.1');
