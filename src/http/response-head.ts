/** The head of an HTTP/1.x answer. Header names are in lower case; repeated ones are joined by ", ". */
export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly http10: boolean;
}

/** What a peer sent is not HTTP/1.x as we can trust it. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  /** The peer speaks TLS where we spoke plain HTTP. */
  readonly tls: boolean;

  constructor(message: string, tls = false) {
    super(message);
    this.tls = tls;
  }
}

export const MAX_HEAD_BYTES = 64 * 1024;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
/** No control characters, and no line break that is not whole: each reader has its own idea of them. */
const PLAIN_LINE = /^[\t\x20-\x7e\x80-\xff]*$/;
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
const TLS_ALERT = 0x15;

/** Where the blank line after the head ends, or -1 when it has not come yet. */
export function endOfHead(bytes: Buffer): number {
  const end = bytes.indexOf('\r\n\r\n');
  if (end >= 0) return end + 4;
  if (
    bytes.length > 0 &&
    !'HTTP/'.startsWith(bytes.toString('latin1', 0, Math.min(5, bytes.length)))
  ) {
    throw new ProtocolError('the answer is not HTTP', bytes[0] === TLS_ALERT);
  }
  if (bytes.length > MAX_HEAD_BYTES) throw new ProtocolError('the head of the answer is too long');
  return -1;
}

export function parseHead(bytes: Buffer): ResponseHead {
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, bytes.length - 4).split('\r\n');
  const match = STATUS_LINE.exec(statusLine);
  if (!match) throw new ProtocolError('the answer is not HTTP/1.1', bytes[0] === TLS_ALERT);
  const headers: Record<string, string> = Object.create(null);
  for (const line of lines) addHeader(headers, line);
  return {
    status: Number(match[2]),
    reason: match[3] ?? '',
    headers,
    http10: match[1] === '0',
  };
}

export function addHeader(headers: Record<string, string>, line: string): void {
  if (!PLAIN_LINE.test(line)) throw new ProtocolError('a header of the answer is malformed');
  const colon = line.indexOf(':');
  const name = headerName(line.slice(0, Math.max(0, colon)));
  const value = line.slice(colon + 1).replace(AROUND_VALUE, '');
  const earlier = headers[name];
  headers[name] = earlier === undefined ? value : `${earlier}, ${value}`;
}

/** Blanks and tabs, and not what else Unicode takes for space. */
const AROUND_VALUE = /^[ \t]+|[ \t]+$/g;

/** Servers send the same few names again and again. */
const seenNames = new Map<string, string>();
const MOST_SEEN_NAMES = 200;

function headerName(text: string): string {
  const seen = seenNames.get(text);
  if (seen !== undefined) return seen;
  const name = text.toLowerCase();
  if (!HEADER_NAME.test(name)) throw new ProtocolError('a header of the answer is malformed');
  if (seenNames.size < MOST_SEEN_NAMES) seenNames.set(text, name);
  return name;
}
