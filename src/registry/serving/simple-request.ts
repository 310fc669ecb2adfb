/** A GET or HEAD that came in one piece, whole and alone: the next byte begins another request. */
export interface SimpleRequest {
  readonly method: 'GET' | 'HEAD';
  /** As it was sent: no query is taken off, and nothing is decoded. */
  readonly path: string;
  readonly fields: SimpleFields;
}

export interface SimpleFields {
  readonly agent: string | undefined;
  readonly authorization: string | undefined;
  /** Whether no other field can change the answer. */
  readonly isPlain: boolean;
}

const MAX_BYTES = 4096;
const VERSION = ' HTTP/1.1';
const FIELDS = /^(?:[A-Za-z0-9-]+:[ -~]*\r\n)+\r\n$/;
/** Read here, or of no matter to the answer. */
const PLAIN = new Set([
  ...['host', 'user-agent', 'authorization', 'connection', 'docker-distribution-api-version'],
  ...['accept', 'accept-encoding', 'accept-language', 'sec-fetch-mode'],
]);
/** More may follow a request with these, and others not know where it ends. */
const FRAMING = new Set(['content-length', 'transfer-encoding', 'expect', 'upgrade', 'trailer']);

/**
 * Reads only what every reader of HTTP reads alike; undefined for all else, be it wrong or merely
 * unusual. Clients send the same fields again and again, so the last ones are kept.
 */
export function createSimpleReader(
  headerBytes = MAX_BYTES,
): (bytes: Buffer) => SimpleRequest | undefined {
  const maxBytes = Math.min(headerBytes, MAX_BYTES);
  let last: { readonly text: string; readonly fields: SimpleFields } | undefined;

  function remembered(text: string): SimpleFields | undefined {
    if (last?.text === text) return last.fields;
    const fields = readFields(text);
    if (fields) last = { text, fields };
    return fields;
  }

  return (bytes) => {
    if (bytes.length > maxBytes) return undefined;
    const text = bytes.toString('latin1');
    const lineEnd = text.indexOf('\r\n');
    const pathEnd = lineEnd - VERSION.length;
    if (pathEnd < 0 || !text.startsWith(VERSION, pathEnd)) return undefined;
    const method = text.startsWith('GET ') ? 'GET' : 'HEAD';
    if (!text.startsWith(`${method} /`)) return undefined;
    const fields = remembered(text.slice(lineEnd + 2));
    return fields && { method, path: text.slice(method.length + 1, pathEnd), fields };
  };
}

function readFields(text: string): SimpleFields | undefined {
  if (!FIELDS.test(text)) return undefined;
  const found = new Map<string, string>();
  for (const line of text.split('\r\n').slice(0, -2)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    if (FRAMING.has(name) || (found.has(name) && name !== 'accept')) return undefined;
    found.set(name, line.slice(colon + 1).trim());
  }
  if (!found.has('host') || (found.get('connection') ?? 'keep-alive') !== 'keep-alive')
    return undefined;
  return {
    agent: found.get('user-agent'),
    authorization: found.get('authorization'),
    isPlain: [...found.keys()].every((name) => PLAIN.has(name)),
  };
}
