import { expect, test } from 'vitest';
import { isInside, referencesIn, urlHost } from './references.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;

const foundIn = (text: string) =>
  referencesIn('/x', text).map(({ kind, text: one }) => [kind, one]);

test.each([
  [`podman pull quay.io/a/b@${DIGEST}`, `quay.io/a/b@${DIGEST}`],
  [`image: quay.io/a/b:v1@${DIGEST}`, `quay.io/a/b:v1@${DIGEST}`],
  ['docker://mirror.lab:5000/a/b:4.18.1-x86_64', 'mirror.lab:5000/a/b:4.18.1-x86_64'],
  ['"localhost/a:latest"', 'localhost/a:latest'],
])('referencesIn finds the image in %j', (text, image) => {
  expect(foundIn(text)).toEqual([['image', image]]);
});

test.each([
  ['curl https://a.example.com/b?c=d', 'https://a.example.com/b?c=d'],
  ['see <http://a.example.com:8080/b>.', 'http://a.example.com:8080/b'],
  ['go to https://a.example.com/b.', 'https://a.example.com/b'],
  ['[link](https://a.example.com/b)', 'https://a.example.com/b'],
])('referencesIn finds the address in %j', (text, url) => {
  expect(foundIn(text)).toEqual([['url', url]]);
});

test('referencesIn names each place once, images first, with where it was found', () => {
  const text = 'https://a.io/x b.io/c:1 b.io/c:1 https://a.io/x';

  expect(referencesIn('/etc/x', text)).toEqual([
    { path: '/etc/x', kind: 'image', text: 'b.io/c:1' },
    { path: '/etc/x', kind: 'url', text: 'https://a.io/x' },
  ]);
});

test('referencesIn leaves out what stands in a comment, and no more', () => {
  const text = [
    '# https://a.io/comment',
    '  // https://a.io/code',
    'echo https://a.io/live # https://a.io/tail',
    'https://a.io/page#part',
  ].join('\n');

  expect(foundIn(text)).toEqual([
    ['url', 'https://a.io/live'],
    ['url', 'https://a.io/page#part'],
  ]);
});

test.each(['a/b/c:1', 'just words: here', '/usr/bin/x:1', 'quay.io/a/b'])(
  'referencesIn finds nothing in %j',
  (text) => {
    expect(foundIn(text)).toEqual([]);
  },
);

test.each([
  ['https://A.Example.com:8443/x', 'a.example.com'],
  ['http://user:word@b.lab/x', 'b.lab'],
  ['https://[fd00::1]:6443/x', '[fd00::1]'],
  ['https://c.lab?x#y', 'c.lab'],
  ['https:///x', ''],
  ['ftp://a.lab/x', ''],
])('urlHost of %s is %j', (url, host) => {
  expect(urlHost(url)).toBe(host);
});

test.each([
  ...['localhost', '127.0.0.1', '10.0.0.1', '192.168.1.1', '172.16.0.1', '172.31.0.1'],
  ...['169.254.169.254', '[fd00::1]', '0.0.0.0', 'x.svc', 'x.svc.cluster.local'],
  ...['x.cluster.local', 'node.internal', 'shortname'],
])('isInside knows that %s means something only inside', (host) => {
  expect(isInside(host)).toBe(true);
});

test.each(['quay.io', '172.32.0.1', '11.0.0.1', 'svc.example.com', 'internal.example.com'])(
  'isInside takes %s for a name of the world',
  (host) => {
    expect(isInside(host)).toBe(false);
  },
);
