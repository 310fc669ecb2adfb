// A load generator that costs little itself: raw sockets, answers counted by their bytes.
// It runs as a child: gets one job as an argument, prints its result as JSON.
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

const END_OF_HEADERS = Buffer.from('\r\n\r\n');
const CHUNK = 1024 * 1024;
/** What arrives lands in one piece of memory that all connections share: it is only counted. */
const landing = Buffer.allocUnsafeSlow(CHUNK);

const job = JSON.parse(process.argv[2]);
const result = await (job.kind === 'get' ? get(job) : put(job));
process.stdout.write(JSON.stringify(result));

function open({ url }, onAnswer, onBytes) {
  const { hostname, port, protocol } = new URL(url);
  const read = answers(onAnswer, onBytes);
  const callback = (length, buffer) => {
    read(buffer.subarray(0, length));
    return true;
  };
  const onread = { buffer: landing, callback };
  const options = { host: hostname, port: Number(port), noDelay: true, onread };
  const socket =
    protocol === 'https:'
      ? connectTls({ ...options, rejectUnauthorized: false })
      : connect(options);
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => resolve(socket));
  });
}

/** Reads pieces of answers; calls back with the status and the headers of each whole one. */
function answers(onAnswer, onBytes = () => undefined) {
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

  return (chunk) => {
    onBytes(chunk.length);
    let bytes = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
    while (bytes.length > 0 || current?.left === 0) {
      const rest = current ? take(bytes) : begin(bytes);
      if (!rest) break;
      bytes = rest;
    }
    // A copy: the memory is overwritten by the next read.
    held = Buffer.from(bytes);
  };
}

/** The same GET on several connections until the time is over. */
async function get({ url, path, connections, seconds, headers = {} }) {
  const lines = Object.entries({ host: new URL(url).host, ...headers });
  const text = `GET ${path} HTTP/1.1\r\n${lines.map(([k, v]) => `${k}: ${v}\r\n`).join('')}\r\n`;
  const request = Buffer.from(text);
  let [count, bytes, failed, until] = [0, 0, 0, Number.POSITIVE_INFINITY];
  const onBytes = (length) => {
    bytes += length;
  };
  const connection = async () => {
    const onAnswer = (status) => {
      count += 1;
      if (status !== 200) failed += 1;
      if (performance.now() < until) socket.write(request);
      else socket.end();
    };
    const socket = await open({ url }, onAnswer, onBytes);
    return socket;
  };
  const sockets = await Promise.all(Array.from({ length: connections }, connection));
  const started = performance.now();
  until = started + seconds * 1000;
  for (const socket of sockets) socket.write(request);
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.on('close', resolve))));
  const elapsed = (performance.now() - started) / 1000;
  return { perSecond: count / elapsed, bytesPerSecond: bytes / elapsed, seconds: elapsed, failed };
}

/** Uploads, each with POST and PUT, so many at once. Blobs differ in their first bytes only. */
async function put({ url, repository, blobs, size, atOnce }) {
  const shared = Buffer.alloc(size, 'atoll');
  const queue = [...blobs];
  const started = performance.now();
  let failed = 0;
  const work = async () => {
    let answered = () => undefined;
    const socket = await open({ url }, (status, head) => answered({ status, head }));
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
