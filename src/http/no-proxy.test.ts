import { afterEach, expect, test } from 'vitest';
import { forgetSecrets, redact } from '../core/redact.ts';
import { proxyFor } from './no-proxy.ts';

afterEach(forgetSecrets);

const PROXY = 'http://proxy.example.com:3128';
const through = (url: string, noProxy = '') =>
  proxyFor(new URL(url), { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy })?.host;

test('proxyFor picks the variable of the scheme, upper case first', () => {
  const env = { HTTPS_PROXY: 'https://a:1', https_proxy: 'http://b:2', http_proxy: 'c:3' };

  expect(proxyFor(new URL('https://quay.io/v2/'), env)?.href).toBe('https://a:1/');
  expect(proxyFor(new URL('http://quay.io/v2/'), env)?.href).toBe('http://c:3/');
  expect(proxyFor(new URL('https://quay.io/v2/'), {})).toBeUndefined();
});

test('proxyFor never sends this machine through a proxy', () => {
  for (const host of ['localhost:5000', '127.0.0.1:5000', '127.9.9.9', '[::1]:5000']) {
    expect([host, through(`http://${host}/`)]).toEqual([host, undefined]);
  }
});

test.each([
  ['example.com', 'https://example.com/', true],
  ['example.com', 'https://a.b.example.com/', true],
  ['example.com', 'https://notexample.com/', false],
  ['.example.com', 'https://example.com/', false],
  ['.example.com', 'https://a.example.com/', true],
  ['*.example.com', 'https://a.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['EXAMPLE.com', 'https://example.COM/', true],
  ['example.com:8443', 'https://example.com:8443/', true],
  ['example.com:8443', 'https://example.com/', false],
  ['example.com:443', 'https://example.com/', true],
  ['other, 10.0.0.0/16', 'https://10.0.200.7:5000/', true],
  ['10.0.0.0/16', 'https://10.1.0.1/', false],
  ['10.0.0.5', 'https://10.0.0.5/', true],
  ['10.0.0.5:5000', 'https://10.0.0.5:5001/', false],
  ['fd00::/8', 'https://[fd12::1]:5000/', true],
  ['fd12::1', 'https://[fd12:0::1]/', true],
  ['[fd12::1]:5000', 'https://[fd12::1]:5000/', true],
  ['10.0.0.0/99', 'https://10.0.0.1/', false],
  ['*', 'https://quay.io/', true],
  ['', 'https://quay.io/', false],
])('proxyFor with NO_PROXY=%s and %s: direct is %s', (noProxy, url, direct) => {
  expect(through(url, noProxy)).toBe(direct ? undefined : 'proxy.example.com:3128');
});

test('proxyFor registers the password of the proxy as a secret', () => {
  proxyFor(new URL('https://quay.io/'), { HTTPS_PROXY: 'http://user:s3cret-word@proxy:3128' });

  expect(redact('it was s3cret-word')).toBe('it was [redacted]');
});

test.each([
  'socks5://user:hush-hush@proxy:1080',
  'http://user:hush%hush@proxy:3128',
  'http://hush%@proxy:3128',
])('proxyFor refuses %s, without repeating it', (proxy) => {
  const env = { HTTPS_PROXY: proxy };

  expect(() => proxyFor(new URL('https://quay.io/'), env)).toThrow(
    expect.objectContaining({
      code: 'INPUT_INVALID',
      message: expect.not.stringContaining('hush') as string,
    }),
  );
});
