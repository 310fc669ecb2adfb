// A load generator that costs little itself: raw sockets, answers counted by their bytes.
// It runs as a child: gets one job as an argument, prints its result as JSON.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const CHUNK = 1024 * 1024;

const job = JSON.parse(process.argv[2]);
const result = await (job.kind === 'get' ? get(job) : put(job));
process.stdout.write(JSON.stringify(result));

function open({ url }) {
  const { hostname, port, protocol } = new URL(url);
  const options = { host: hostname, port: Number(port), noDelay: true };
  const socket =
    protocol === 'https:'
      ? connectTls({ ...options, rejectUnauthorized: false })
      : connect(options);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => resolve(socket));
  });
}

/** Calls back with the status and the headers of each whole answer. */
function answers(socket, onAnswer, onBytes = () => undefined) {
  let held = Buffer.alloc(0);
  let current;

  /** Reads the headers of the next answer; returns what follows them, undefined when more is needed. */
  function begin(bytes) {
    const end = bytes.indexOf(END_OF_HEADERS);
    if (end < 0) return undefined;
    const head = bytes.subarray(0, end).toString('latin1');
    const left = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
    current = { status: Number(head.slice(9, 12)), head, left };
    return bytes.subarray(end + END_OF_HEADERS.length);
  }

  /** Takes what belongs to the body; returns what follows it. */
  function take(bytes) {
    const taken = Math.min(current.left, bytes.length);
    current.left -= taken;
    if (current.left === 0) {
      const { status, head } = current;
      current = undefined;
      onAnswer(status, head);
    }
    return bytes.subarray(taken);
  }

  socket.on('data', (chunk) => {
    onBytes(chunk.length);
    let rest = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    while (rest && (rest.length > 0 || current?.left === 0)) {
      held = rest;
      rest = current ? take(rest) : begin(rest);
    }
    if (rest) held = rest;
  });
}

/** The same GET on several connections until the time is over. */
async function get({ url, path, connections, seconds, headers = {} }) {
  const lines = Object.entries({ host: new URL(url).host, ...headers });
  const text = `GET ${path} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`;
  const request = Buffer.from(text);
  const sockets = await Promise.all(Array.from({ length: connections }, () => open({ url })));
  const started = performance.now();
  const until = started + seconds * 1000;
  let [count, bytes, failed] = [0, 0, 0];
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise((resolve) => {
          socket.on('error', resolve).on('close', resolve);
          answers(
            socket,
            (status) => {
              count += 1;
              if (status !== 200) failed += 1;
              if (performance.now() < until) socket.write(request);
              else socket.end(resolve);
            },
            (length) => {
              bytes += length;
            },
          );
          socket.write(request);
        }),
    ),
  );
  const elapsed = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.destroy();
  return { perSecond: count / elapsed, bytesPerSecond: bytes / elapsed, seconds: elapsed, failed };
}

/** Uploads, each with POST and PUT, so many at once. Blobs differ in their first bytes only. */
async function put({ url, repository, blobs, size, atOnce }) {
  const shared = Buffer.alloc(size, 'atoll');
  const queue = [...blobs];
  const started = performance.now();
  let failed = 0;
  const work = async () => {
    const socket = await open({ url });
    let answered = () => undefined;
    answers(socket, (status, head) => answered({ status, head }));
    const ask = (head) =>
      new Promise((resolve) => {
        answered = resolve;
        socket.write(head);
      });
    for (let blob = queue.shift(); blob; blob = queue.shift()) {
      const host = `host: ${new URL(url).host}\r\n`;
      const post = await ask(
        `POST /v2/${repository}/blobs/uploads/ HTTP/1.1\r\n${host}content-length: 0\r\n\r\n`,
      );
      const location = /^location: *(\S+)/im.exec(post.head ?? '')?.[1] ?? '';
      const to = new URL(location, url);
      to.searchParams.set('digest', blob.digest);
      const done = ask(
        `PUT ${to.pathname}${to.search} HTTP/1.1\r\n${host}content-type: application/octet-stream\r\ncontent-length: ${size}\r\n\r\n`,
      );
      await send(socket, Buffer.from(blob.start));
      for (let at = blob.start.length; at < size; at += CHUNK) {
        await send(socket, shared.subarray(at, Math.min(size, at + CHUNK)));
      }
      if ((await done).status !== 201) failed += 1;
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const elapsed = (performance.now() - started) / 1000;
  return { bytesPerSecond: (blobs.length * size) / elapsed, seconds: elapsed, failed };
}

function send(socket, bytes) {
  if (socket.write(bytes)) return undefined;
  return new Promise((resolve) => {
    socket.once('drain', resolve);
  });
}
