import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decoderFor } from './body-decoder.ts';
import { endOfHead, parseHead } from './response-head.ts';

const head = (lines: string) => parseHead(Buffer.from(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\n`));
const chunked = () => decoderFor(head('transfer-encoding: chunked'), 'GET');

/** Pushes bytes cut at the given places and collects what comes out. */
function decode(decoder: ReturnType<typeof chunked>, wire: Buffer, cuts: readonly number[]) {
  const edges = [
    0,
    ...cuts.map((cut) => cut % (wire.length + 1)).toSorted((a, b) => a - b),
    wire.length,
  ];
  const pieces: Buffer[] = [];
  let done = false;
  for (let i = 1; i < edges.length && !done; i += 1) {
    const decoded = decoder.push(wire.subarray(edges[i - 1], edges[i]));
    pieces.push(...decoded.pieces);
    done = decoded.done;
  }
  return { body: Buffer.concat(pieces).toString('latin1'), done };
}

describe('a chunked body', () => {
  test('comes out the same wherever the network cuts it', () => {
    const parts = fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(), { maxLength: 8 }), (texts, cuts) => {
        const bytes = texts.map((text) => Buffer.from(text));
        const framed = bytes.map(
          (one) => `${one.length.toString(16)};x=y\r\n${one.toString('latin1')}\r\n`,
        );
        const wire = Buffer.from(`${framed.join('')}0\r\ntrailer: 1\r\n\r\n`, 'latin1');

        const result = decode(chunked(), wire, cuts);

        expect(result).toEqual({ body: Buffer.concat(bytes).toString('latin1'), done: true });
      }),
    );
  });

  test.each([
    'zz\r\n',
    '-1\r\n',
    '5\r\nhelloX\r\n',
    `${'1'.repeat(5000)}`,
    '5\nhello\r\n',
    '5\r\nhello\n',
    '5 \r\n',
    '5;a\rb\r\n',
    '5;a="b\r\n',
    '5;a =b\r\n',
  ])('that is malformed (%j) throws', (wire) => {
    expect(() => decode(chunked(), Buffer.from(wire), [])).toThrow('chunk');
  });

  test.each(['no trailer', 'X T: 1', 'X: a\rb', 'X: \u0001', 'Content-Length: 3'])(
    'with the trailer %j throws',
    (trailer) => {
      expect(() => decode(chunked(), Buffer.from(`0\r\n${trailer}\r\n\r\n`), [])).toThrow(
        'malformed',
      );
    },
  );

  test('is not whole before its last chunk', () => {
    const decoder = chunked();
    decoder.push(Buffer.from('5\r\nhello\r\n'));

    expect(decoder.closed()).toBe(false);
  });
});

describe('decoderFor', () => {
  test('stops at the length and tells of bytes behind it', () => {
    const decoder = decoderFor(head('content-length: 5'), 'GET');

    const decoded = decoder.push(Buffer.from('hello, world'));

    expect([decoded.pieces.join(), decoded.done, decoded.excess]).toEqual(['hello', true, true]);
  });

  test('expects nothing after HEAD', () => {
    expect(decoderFor(head('content-length: 5'), 'HEAD').closed()).toBe(true);
  });

  test.each([
    'content-length: 5\r\ncontent-length: 6',
    'content-length: -1',
    'content-length: 1e3',
    'content-length: 5\r\ncontent-length: 5',
    'content-length: 5\u00a0',
  ])('refuses "%s"', (lines) => {
    expect(() => decoderFor(head(lines), 'GET')).toThrow('Content-Length');
  });

  test('refuses a length together with an encoding, also where there is no body', () => {
    const both = head('transfer-encoding: chunked\r\ncontent-length: 5');

    expect(() => decoderFor(both, 'GET')).toThrow('Content-Length');
    expect(() => decoderFor(both, 'HEAD')).toThrow('Content-Length');
  });

  test('refuses encodings it does not know', () => {
    expect(() => decoderFor(head('transfer-encoding: gzip, chunked'), 'GET')).toThrow('encoding');
  });
});

describe('the head of an answer', () => {
  test('joins repeated headers and ignores the case of names', () => {
    expect(head('X-A: 1\r\nx-a: 2').headers['x-a']).toBe('1, 2');
  });

  test.each(['SSH-2.0-OpenSSH', '\u0015\u0003\u0003', 'HTTP/2 200 OK\r\n\r\n'])(
    'that is no HTTP (%#) throws',
    (text) => {
      const bytes = Buffer.from(text, 'latin1');
      expect(() => parseHead(bytes.subarray(0, Math.max(4, endOfHead(bytes))))).toThrow('not HTTP');
    },
  );

  test('that never ends is cut', () => {
    expect(() => endOfHead(Buffer.from(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}`))).toThrow(
      'too long',
    );
  });

  test('takes blanks and tabs off values, and nothing else', () => {
    const bytes = Buffer.from('HTTP/1.1 200 OK\r\na: \t\xa0b \t\r\n\r\n', 'latin1');

    expect(parseHead(bytes).headers.a).toBe('\xa0b');
  });

  test.each(['a: b\nc: d', 'a: b\rc: d', 'a: b\r\n c', 'a: \0', 'a: \u007f', 'a\u000b: b'])(
    'with the header %j throws: others would read it differently',
    (lines) => {
      expect(() => head(lines)).toThrow('malformed');
    },
  );

  test('with a header that is no header throws', () => {
    expect(() => head('no colon here')).toThrow('malformed');
  });
});
