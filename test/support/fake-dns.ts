import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export interface FakeDns {
  /** `127.0.0.1:PORT`, as resolvers take it. */
  readonly server: string;
  readonly stop: () => void;
}

const TYPE_A = 1;
const NO_SUCH_NAME = 3;

/** A name server that knows the names below one domain, all at one address, and nothing else. */
export async function startFakeDns(domain: string, address = '127.0.0.1'): Promise<FakeDns> {
  const socket = createSocket('udp4');
  socket.on('message', (question, from) => {
    const { name, type, end } = questionIn(question);
    const isKnown = name === domain || name.endsWith(`.${domain}`);
    const answers = isKnown && type === TYPE_A ? 1 : 0;
    const header = Buffer.alloc(12);
    question.copy(header, 0, 0, 2);
    header.writeUInt16BE(0x8180 | (isKnown ? 0 : NO_SUCH_NAME), 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers, 6);
    const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4]);
    const bytes = Buffer.from(address.split('.').map(Number));
    const parts = [header, question.subarray(12, end), ...(answers ? [record, bytes] : [])];
    socket.send(Buffer.concat(parts), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { server: `127.0.0.1:${socket.address().port}`, stop: () => socket.close() };
}

function questionIn(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 };
}
