/** An answer as a server might send it, in pieces as a network might deliver it. */
export interface Answer {
  /** The method it answers. */
  readonly method: 'GET' | 'HEAD';
  readonly pieces: readonly Buffer[];
  /** Whether every part of it is as the specification wants it, and it came whole. */
  readonly wellFormed: boolean;
}

/** The same numbers for the same seed, in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const VERSIONS = {
  good: ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0'],
  odd: ['HTTP/1.2', 'HTTP/2', 'http/1.1', 'HTTP/11', ' HTTP/1.1', 'ICY'],
};
const STATUSES = {
  good: ['200', '200', '200', '201', '204', '206', '304', '307', '401', '404', '503'],
  odd: ['20', '099', '600', '999', '2000', 'abc', '+20', ''],
};
const REASONS = {
  good: [' OK', ' ', '', ' Not Found', ' \xfcnique'],
  odd: [' a\tb', ' \x01', ' a\rb', ' a\nb', '\tOK', ' \x7f'],
};
const NAMES = {
  good: [
    'X-A',
    'x-a',
    'Content-Type',
    'ETag',
    'Docker-Content-Digest',
    '__proto__',
    "!#$%&'*+-.^_`|~9",
  ],
  odd: ['X A', 'X-A ', ' X-A', 'X\t', '', 'X(', 'X\xe9', 'X\x00', '\x01', '"X"'],
};
const SEPARATORS = {
  good: [': ', ':', ':  ', ':\t', ': \t '],
  odd: [' : ', '', ' ', ':\r\n ', ':\r\n\t', ':\x0b'],
};
const VALUES = {
  good: [
    '1',
    '',
    'a b',
    'a\tb',
    'a,b',
    'a: b',
    'trail ',
    'trail\t',
    '\xe9t\xe9',
    '\xa0x\xa0',
    '"q\\"q"',
  ],
  odd: [
    'a\x00b',
    '\x01',
    'a\x7f',
    'x\x0b',
    '\x0cx',
    'a\nb',
    'a\rb',
    'a\r\n b',
    'a\r\n\tb',
    'a\n b',
    '\x1b[',
  ],
};
const LINE_ENDS = { good: ['\r\n'], odd: ['\n', '\r', '\r\r\n', '\n\r', ''] };
const CONNECTIONS = {
  good: ['', '', 'Connection: close', 'Connection: keep-alive', 'Keep-Alive: timeout=5'],
  odd: [
    'Connection: Upgrade\r\nUpgrade: h2c',
    'Connection:',
    'Connection: close, keep-alive',
    'Proxy-Connection: close',
  ],
};
const CODINGS = {
  good: ['chunked', 'Chunked', 'CHUNKED', 'chunked '],
  odd: [
    'gzip, chunked',
    'chunked, gzip',
    'identity',
    'xchunked',
    'chunkedx',
    'chunked;q=1',
    'chunked, chunked',
    ', chunked',
    'chunked,',
    '',
    'chunked\r\nTransfer-Encoding: chunked',
    'chunked\r\nTransfer-Encoding: identity',
    '\x0bchunked',
  ],
};
const EXTENSIONS = {
  good: ['', '', '', ';a', ';a=b', ';a="q"', ';a=b;c=d'],
  odd: [
    ' ;a',
    ' ',
    '\t',
    ';',
    ';;',
    '; a=b',
    ';a =b',
    ';a= b',
    ';a="',
    ';a="\x01"',
    ';\x01',
    ';a="q\\"q"',
    ';a=b ',
    ';\xe9',
    ';a="\xe9"',
    ';=b',
    ';a=',
    ',a',
    ';a="b"c',
    ';a\nb',
    ';a\rb',
  ],
};
const TRAILERS = {
  good: ['', '', 'X-T: 1\r\n', 'X-T: 1\r\nX-U: 2\r\n', 'X-T:\r\n'],
  odd: [
    'bad\r\n',
    'X T: 1\r\n',
    'X: a\nb\r\n',
    'X: a\rb\r\n',
    'X: a\r\n b\r\n',
    ' X: 1\r\n',
    'X: \x00\r\n',
    'Content-Length: 3\r\n',
    'Transfer-Encoding: chunked\r\n',
    'X: 1\n',
    ': 1\r\n',
  ],
};
const INTERIM = { good: ['100', '103', '102'], odd: ['101', '199', '1', '150'] };

interface Choice {
  readonly good: readonly string[];
  readonly odd: readonly string[];
}

/** Writes one answer after the other, most of them with something odd in a place or two. */
export class AnswerWriter {
  readonly #random: () => number;
  #oddness = 0;
  #isOdd = false;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  next(): Answer {
    this.#isOdd = false;
    this.#oddness = this.#chance(0.35) ? 0 : 0.06;
    const method = this.#chance(0.1) ? 'HEAD' : 'GET';
    const whole = Buffer.from(this.#interims() + this.#final(method), 'latin1');
    const bytes = this.#spoiled(whole);
    return { method, pieces: this.#cut(bytes), wellFormed: !this.#isOdd };
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #among(texts: readonly string[]): string {
    return texts[this.#below(texts.length)] ?? '';
  }

  /** True now and then, and then the answer is no longer well formed. */
  #odd(probability = this.#oddness): boolean {
    const odd = this.#oddness > 0 && this.#chance(probability);
    this.#isOdd ||= odd;
    return odd;
  }

  #pick({ good, odd }: Choice): string {
    return this.#among(this.#odd() ? odd : good);
  }

  #interims(): string {
    let text = '';
    while (this.#chance(0.08)) {
      const line = `HTTP/1.1 ${this.#pick(INTERIM)} Wait${this.#pick(LINE_ENDS)}`;
      text += `${line}${this.#headers(2)}${this.#pick(LINE_ENDS)}`;
    }
    return text;
  }

  #final(method: string): string {
    const version = this.#pick(VERSIONS);
    const status = this.#pick(STATUSES);
    const line = `${version} ${status}${this.#pick(REASONS)}${this.#pick(LINE_ENDS)}`;
    const { head, body } = this.#framed();
    const isBare = method === 'HEAD' || status === '204' || status === '304';
    const connection = this.#pick(CONNECTIONS);
    const lines = [connection, ...head].filter((one) => one !== '');
    const headers = lines.map((one) => `${one}${this.#pick(LINE_ENDS)}`);
    const all = `${line}${this.#headers(4)}${headers.join('')}${this.#headers(2)}${this.#pick(LINE_ENDS)}`;
    return all + (isBare && !this.#odd() ? '' : body) + (this.#odd() ? this.#excess() : '');
  }

  #headers(most: number): string {
    let text = '';
    for (let count = this.#below(most + 1); count > 0; count -= 1) {
      const value = this.#chance(0.01) ? 'v'.repeat(this.#below(3000)) : this.#pick(VALUES);
      text += `${this.#pick(NAMES)}${this.#pick(SEPARATORS)}${value}${this.#pick(LINE_ENDS)}`;
    }
    return text;
  }

  #body(): string {
    const text = Array.from({ length: this.#below(60) }, () => this.#below(256));
    return Buffer.from(text).toString('latin1');
  }

  #framed(): { head: string[]; body: string } {
    const body = this.#body();
    const way = this.#random();
    if (way < 0.1) return { head: [], body };
    if (way < 0.45) return { head: this.#lengths(body.length), body };
    const head = [`Transfer-Encoding: ${this.#pick(CODINGS)}`];
    if (this.#odd()) head.push(...this.#lengths(body.length));
    return { head: this.#chance(0.5) ? head : head.toReversed(), body: this.#chunked() };
  }

  #lengths(length: number): string[] {
    if (!this.#odd(0.3)) return [`Content-Length: ${length}`];
    const other = this.#among([
      String(length + 1),
      `0${length}`,
      `+${length}`,
      `-${length}`,
      `0x${length.toString(16)}`,
      `${length}, ${length}`,
      `${length},${length + 1}`,
      `${length} ${length}`,
      `${length}e0`,
      `${length}\x0b`,
      `${length}\xa0`,
      '',
      '999999999999999',
      '18446744073709551616',
      '99999999999999999999',
    ]);
    const both = [`Content-Length: ${length}`, `content-length: ${other}`];
    return this.#chance(0.5) ? [`Content-Length: ${other}`] : both;
  }

  #chunked(): string {
    let text = '';
    for (let count = this.#below(4); count > 0; count -= 1) {
      const data = `${this.#body()}x`;
      text += `${this.#size(data.length)}${this.#pick(EXTENSIONS)}${this.#pick(LINE_ENDS)}`;
      text += `${this.#odd() ? data.slice(1) : data}${this.#pick(LINE_ENDS)}`;
    }
    const last = `${this.#odd() ? '000' : '0'}${this.#pick(EXTENSIONS)}${this.#pick(LINE_ENDS)}`;
    return `${text}${last}${this.#pick(TRAILERS)}${this.#pick(LINE_ENDS)}`;
  }

  #size(length: number): string {
    const hex = length.toString(16);
    if (this.#odd()) {
      const huge = ['ffffffffffffffff', '10000000000000000', '1000000000000', 'fffffffff'];
      return this.#among([
        ...huge,
        `-${hex}`,
        `+${hex}`,
        ` ${hex}`,
        `0x${hex}`,
        'g',
        '',
        `00000000000000${hex}`,
      ]);
    }
    return this.#chance(0.3) ? hex.toUpperCase().padStart(4, '0') : hex;
  }

  #excess(): string {
    return this.#among(['\r\n', 'x', '\x00', 'HTTP/1.1 200 OK\r\n\r\n', '0\r\n\r\n', '\n']);
  }

  /** Cut short, or with a byte changed, added or taken away. */
  #spoiled(bytes: Buffer): Buffer {
    const at = this.#below(bytes.length + 1);
    if (this.#odd(0.1)) return bytes.subarray(0, at);
    if (!this.#odd(0.1)) return bytes;
    const byte = Buffer.from([this.#chance(0.5) ? this.#below(256) : (bytes[at] ?? 0) ^ 0x20]);
    const skip = this.#below(2);
    const insert = skip === 0 || this.#chance(0.7) ? byte : Buffer.alloc(0);
    return Buffer.concat([bytes.subarray(0, at), insert, bytes.subarray(at + skip)]);
  }

  #cut(bytes: Buffer): Buffer[] {
    const isDripping = this.#chance(0.05);
    const count = this.#chance(0.4) ? 0 : this.#below(6);
    const cuts = isDripping
      ? Array.from(bytes, (_byte, index) => index)
      : Array.from({ length: count }, () => this.#below(bytes.length + 1));
    const edges = [...new Set([0, ...cuts, bytes.length])].toSorted((a, b) => a - b);
    return edges.slice(1).map((end, index) => bytes.subarray(edges[index], end));
  }
}
