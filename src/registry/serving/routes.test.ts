import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../../oci/digest.ts';
import { isRepository } from '../../oci/reference.ts';
import { parseRoute } from './routes.ts';

const digest = digestOf('x');

test.each([
  ['/v2/', { kind: 'base' }],
  ['/v2/_catalog', { kind: 'catalog' }],
  ['/v2/a/b/manifests/v1', { kind: 'manifest', repository: 'a/b', reference: 'v1' }],
  [`/v2/a/blobs/${digest}`, { kind: 'blob', repository: 'a', digest }],
  [`/v2/a/blobs/${digest.replace(':', '%3A')}`, { kind: 'blob', repository: 'a', digest }],
  ['/v2/a/blobs/uploads/', { kind: 'uploads', repository: 'a' }],
  ['/v2/a/blobs/uploads', { kind: 'uploads', repository: 'a' }],
  ['/v2/a/blobs/uploads/1', { kind: 'upload', repository: 'a', id: '1' }],
  ['/v2/manifests/tags/list', { kind: 'tags', repository: 'manifests' }],
  [`/v2/a/referrers/${digest}`, { kind: 'referrers', repository: 'a', digest }],
  ['/v2/A/tags/list', 'bad-name'],
  ['/v2/a/%ff/tags/list', 'bad-name'],
  ['/v2/a', 'not-found'],
  ['/v1/a/tags/list', 'not-found'],
])('parseRoute reads %s', (path, route) => {
  expect(parseRoute(path)).toEqual(route);
});

test('parseRoute lets only names of repositories through, whatever the path', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', '/', '.', '%', '2', 'e', '_', 'A') }),
      (text) => {
        const route = parseRoute(`/v2/${text}/manifests/v1`);
        if (typeof route === 'string' || !('repository' in route)) return;
        expect(isRepository(route.repository)).toBe(true);
        expect(route.repository.split('/')).not.toContain('..');
      },
    ),
  );
});
