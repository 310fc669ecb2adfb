import { expect, test } from 'vitest';
import { formatTransport, parseTransport } from './transport.ts';

test.each([
  'docker://quay.io/org/app:v1',
  `docker://quay.io/org/app@sha256:${'a'.repeat(64)}`,
  'docker://[::1]:5000/app:v1',
  'oci:images',
  'oci:/abs/images:quay.io/org/app:v1',
  'dir:folder/with:colon',
])('parseTransport and formatTransport are inverses for %s', (text) => {
  expect(formatTransport(parseTransport(text))).toBe(text);
});

test('parseTransport ends the folder of a layout at the first colon', () => {
  expect(parseTransport('oci:a/b:quay.io/app:v1')).toEqual({
    kind: 'oci',
    path: 'a/b',
    name: 'quay.io/app:v1',
  });
});

test.each([
  ['quay.io/org/app:v1', 'Did you mean "docker://quay.io/org/app:v1"?'],
  ['docker:quay.io/app', 'Write "docker://'],
  ['docker-archive:file.tar', 'Write "docker://'],
  ['oci:', 'Write "docker://'],
  ['', 'Write "docker://'],
])('parseTransport refuses %j with a hint', (text, hint) => {
  expect(() => parseTransport(text)).toThrow(
    expect.objectContaining({ code: 'USAGE', hint: expect.stringContaining(hint) as string }),
  );
});
