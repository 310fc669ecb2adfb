import { createBuffers } from './buffers.ts';
import { Landing } from './landing.ts';

/** A read costs as much whether it brings little or much. */
const PLAIN_BYTES = 768 * 1024;
const TLS_BYTES = 128 * 1024;
/** TLS hands out one record at a time, whatever room there is. */
const RECORD_BYTES = 16 * 1024;

const plainBuffers = createBuffers(PLAIN_BYTES, 48);
const tlsBuffers = createBuffers(TLS_BYTES, 48);

/** For plain sockets: each read gets a large buffer of its own, and often fills it. */
export const plainLanding = (): Landing => new Landing(plainBuffers, PLAIN_BYTES);

/** For TLS: a few records are gathered in one buffer. */
export const tlsLanding = (): Landing => new Landing(tlsBuffers, RECORD_BYTES);
