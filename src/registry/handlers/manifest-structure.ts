import { WireError } from '../serving/wire-error.ts';

/** Deeper than this is nothing that anybody means; deep documents take seconds to parse. */
const MAX_DEPTH = 64;
/** Lists and objects and what is in them: some ten thousand layers. More stalls all other requests. */
const MAX_VALUES = 50_000;

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const OPENING = new Set([0x5b, 0x7b]);
const CLOSING = new Set([0x5d, 0x7d]);

/** Refuses, before it is parsed, what would take the processor away from others for too long. */
export function requireModest(bytes: Uint8Array): void {
  let [depth, values] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === QUOTE) at = endOfText(bytes, at);
    else if (byte === COMMA) values += 1;
    else if (OPENING.has(byte)) {
      values += 1;
      depth += 1;
      if (depth > MAX_DEPTH) throw tooMuch(`It is nested deeper than ${MAX_DEPTH}`);
    } else if (CLOSING.has(byte)) depth -= 1;
    if (values > MAX_VALUES) throw tooMuch(`It has more than ${MAX_VALUES} values`);
  }
}

function endOfText(bytes: Uint8Array, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0) break;
    if (!isEscaped(bytes, at)) return at;
  }
  return bytes.length;
}

function isEscaped(bytes: Uint8Array, quote: number): boolean {
  let at = quote - 1;
  while (bytes[at] === BACKSLASH) at -= 1;
  return (quote - 1 - at) % 2 === 1;
}

function tooMuch(message: string): WireError {
  return new WireError('MANIFEST_INVALID', message, { status: 413 });
}
