import { createBuffers } from './buffers.ts';
import { Landing } from './landing.ts';

/** For heads and small bodies: every connection holds one all the time. */
const SMALL_BYTES = 16 * 1024;
/** A read costs as much whether it brings little or much. */
const PLAIN_BYTES = 512 * 1024;
const TLS_BYTES = 128 * 1024;
/** TLS hands out one record at a time, whatever room there is. */
const RECORD_BYTES = 16 * 1024;
const KEPT = 48;

const smallBuffers = createBuffers(SMALL_BYTES, KEPT);
const plainBuffers = createBuffers(PLAIN_BYTES, KEPT);
const tlsBuffers = createBuffers(TLS_BYTES, KEPT);

/** For plain sockets: each read gets a buffer of its own, a large one only while a large body comes. */
export const plainLanding = (): Landing =>
  new Landing(
    (expected) => (expected > SMALL_BYTES ? plainBuffers : smallBuffers),
    Number.POSITIVE_INFINITY,
  );

/** For TLS: a few records are gathered in one buffer. */
export const tlsLanding = (): Landing => new Landing(() => tlsBuffers, RECORD_BYTES);
