import { describe, expect, test } from 'vitest';
import { hostNameOf, isLocation } from './location.ts';

describe('isLocation', () => {
  test.each(['quay.io', 'm:5000', 'quay.io/a/b', '[::1]:5000/x', '127.0.0.1:1/a'])(
    'accepts %s',
    (text) => expect(isLocation(text)).toBe(true),
  );
  test.each(['https://quay.io', 'quay.io/a:1', 'quay.io/A', 'quay.io/', '', 'a b', '*.quay.io'])(
    'rejects "%s"',
    (text) => expect(isLocation(text)).toBe(false),
  );
  test('accepts a wildcard host where it is allowed, but never with a path', () => {
    expect(isLocation('*.redhat.io', { wildcard: true })).toBe(true);
    expect(isLocation('*.redhat.io/a', { wildcard: true })).toBe(false);
  });
});

test('hostNameOf drops port and path', () => {
  expect(hostNameOf('mirror.example:5000/ocp')).toBe('mirror.example');
});
