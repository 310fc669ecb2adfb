// A TCP proxy that delays every byte by half of a round trip in each direction, without limiting the rate.
// node delay-proxy.mjs LISTEN-PORT TARGET-PORT ROUND-TRIP-MS
import { connect, createServer } from 'node:net';

const [listenPort, targetPort, roundTripMs] = process.argv.slice(2).map(Number);
const DELAY_MS = roundTripMs / 2;
/** More than this on its way, and the sender has to wait. */
const WINDOW_BYTES = 16 * 1024 * 1024;
/** Big pieces of memory that are used again: the proxy shares the machine with what is measured. */
const PIECE_BYTES = 1024 * 1024;
const SMALL_BYTES = 64 * 1024;
const pieces = [];

const later = (action) => setTimeout(action, DELAY_MS);

/** Takes bytes, hands them on later, and says so when their memory is free; stops a sender that is too far ahead. */
function delayedTo(to, sender) {
  let onTheWay = 0;
  return (bytes, free = () => undefined) => {
    onTheWay += bytes.length;
    later(() => {
      const taken = () => {
        free();
        onTheWay -= bytes.length;
        if (onTheWay < WINDOW_BYTES) sender().resume();
      };
      if (to().destroyed) free();
      else to().write(bytes, taken);
    });
    return onTheWay <= WINDOW_BYTES;
  };
}

function passEndOn(from, to) {
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroy()));
}

createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const answer = delayedTo(
    () => client,
    () => server,
  );
  const request = delayedTo(
    () => server,
    () => client,
  );
  const server = connect({
    port: targetPort,
    host: '127.0.0.1',
    noDelay: true,
    allowHalfOpen: true,
    onread: {
      buffer: () => pieces.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES),
      callback: (length, piece) => {
        const bytes = piece.subarray(0, length);
        const free = () => pieces.push(piece);
        if (length > SMALL_BYTES) return answer(bytes, free);
        free();
        return answer(Buffer.from(bytes));
      },
    },
  });
  server.resume();
  client.on('data', (bytes) => {
    if (!request(bytes)) client.pause();
  });
  passEndOn(client, server);
  passEndOn(server, client);
}).listen(listenPort, '127.0.0.1');
