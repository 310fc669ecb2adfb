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

  test.each(['zz\r\n', '-1\r\n', '5\r\nhelloX\r\n', `${'1'.repeat(5000)}`])(
    'that is malformed (%#) throws',
    (wire) => {
      expect(() => decode(chunked(), Buffer.from(wire), [])).toThrow('chunk');
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
  ])('refuses "%s"', (lines) => {
    expect(() => decoderFor(head(lines), 'GET')).toThrow('Content-Length');
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

  test('with a header that is no header throws', () => {
    expect(() => head('no colon here')).toThrow('malformed');
  });
});
