import { createSocket } from 'node:dgram';
import type { Context } from '../../core/context.ts';

const PORT = 123;
const PATIENCE_MS = 3000;
const LENGTH = 48;
/** Version 4, mode 3: a client asks. */
const QUESTION = 0x23;
/** Seconds from 1900, where the protocol counts from, to 1970. */
const EPOCH_SECONDS = 2_208_988_800;
const TRANSMITTED_AT = 40;

/** How far the clock of a time server (RFC 5905) is ahead of ours, to a few milliseconds. */
export async function clockOffsetMs(
  ctx: Pick<Context, 'now'>,
  server: string,
  port = PORT,
): Promise<number> {
  const socket = createSocket('udp4');
  try {
    const asked = ctx.now().getTime();
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('it does not answer')), PATIENCE_MS);
      socket.once('message', (message) => {
        clearTimeout(timer);
        resolve(message);
      });
      socket.once('error', reject);
      const question = Buffer.alloc(LENGTH);
      question[0] = QUESTION;
      socket.send(question, port, server, (error) => error && reject(error));
    });
    if (answer.length < LENGTH) throw new Error('it answers something else');
    const seconds = answer.readUInt32BE(TRANSMITTED_AT) - EPOCH_SECONDS;
    const fraction = answer.readUInt32BE(TRANSMITTED_AT + 4) / 2 ** 32;
    // The answer left half-way between question and now.
    return (seconds + fraction) * 1000 - (asked + ctx.now().getTime()) / 2;
  } finally {
    socket.close();
  }
}
