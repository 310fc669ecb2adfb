// Answers every request with a body of /BYTES zeros, from one buffer: the client is what is measured.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';

const PIECE = Buffer.alloc(1024 * 1024);
const [key, cert] = process.argv.slice(2);

const serve = (socket) => {
  let asked = '';
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', async (bytes) => {
    asked += bytes.toString('latin1');
    for (let end = asked.indexOf('\r\n\r\n'); end >= 0; end = asked.indexOf('\r\n\r\n')) {
      const size = Number(/^GET \/(\d+) /.exec(asked)?.[1]);
      asked = asked.slice(end + 4);
      await answer(socket, size);
    }
  });
};

async function answer(socket, size) {
  socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${size}\r\n\r\n`);
  for (let left = size; left > 0 && !socket.destroyed; left -= PIECE.length) {
    const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
    if (!socket.write(piece)) await once(socket, 'drain').catch(() => socket.destroy());
  }
}

const plain = createServer(serve).listen(0, '127.0.0.1');
const secured = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) }, serve);
secured.listen(0, '127.0.0.1', () => {
  process.send({ http: plain.address().port, https: secured.address().port });
});
