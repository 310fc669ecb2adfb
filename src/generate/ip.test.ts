import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  containsAddress,
  containsRange,
  formatAddress,
  formatCidr,
  isCanonical,
  overlaps,
  parseAddress,
  parseCidr,
} from './ip.ts';

function cidr(text: string) {
  const parsed = parseCidr(text);
  if (!parsed) throw new Error(`"${text}" is not a CIDR`);
  return parsed;
}

test.each([
  '10.0.0.1',
  '0.0.0.0',
  '255.255.255.255',
  '::',
  '::1',
  'fd98::',
  '2001:db8::8:0:0:1',
  '1:2:3:4:5:6:7:8',
])('parseAddress and formatAddress are inverses for %s', (text) => {
  const address = parseAddress(text);

  expect(address && formatAddress(address)).toBe(text);
});

test('formatAddress gives what parseAddress reads, for any value', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }), (value) => {
      expect(parseAddress(formatAddress({ family: 6, value }))).toEqual({ family: 6, value });
    }),
  );
});

test.each([
  '10.0.0',
  '256.0.0.1',
  '01.2.3.4',
  'a',
  '',
  '1::2::3',
  '1:2:3:4:5:6:7:8:9',
  ':1',
  'g::',
])('parseAddress rejects "%s"', (text) => expect(parseAddress(text)).toBeUndefined());

test('parseAddress reads a dotted tail', () => {
  expect(parseAddress('::ffff:10.0.0.1')).toEqual(parseAddress('::ffff:a00:1'));
});

test('isCanonical and formatCidr see host bits', () => {
  expect(isCanonical(cidr('10.0.0.0/16'))).toBe(true);
  expect(isCanonical(cidr('10.0.1.0/16'))).toBe(false);
  expect(formatCidr(cidr('10.0.1.7/16'))).toBe('10.0.0.0/16');
  expect(parseCidr('10.0.0.0/33')).toBeUndefined();
});

test('overlaps and contains compare ranges of one family', () => {
  expect(overlaps(cidr('10.0.0.0/16'), cidr('10.0.255.0/24'))).toBe(true);
  expect(overlaps(cidr('10.0.0.0/16'), cidr('10.1.0.0/16'))).toBe(false);
  expect(overlaps(cidr('0.0.0.0/0'), cidr('::/0'))).toBe(false);
  expect(containsRange(cidr('10.0.0.0/16'), cidr('10.0.1.0/24'))).toBe(true);
  expect(containsRange(cidr('10.0.1.0/24'), cidr('10.0.0.0/16'))).toBe(false);
  expect(containsAddress(cidr('fd00::/8'), cidr('fd98::/64'))).toBe(true);
});
