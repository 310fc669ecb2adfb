import { expect, test } from 'vitest';
import { registriesD } from '../../generate/registries-d.ts';
import { parseReference } from '../reference.ts';
import { parseSignaturePlaces } from './parse-signature-places.ts';
import { lookasideOf, withoutAttachments } from './signature-places.ts';

const file = (text: string, path = 'a.yaml') => ({ path, text });
const RED_HAT = `default-docker:
  lookaside: file:///var/lib/signatures/
  use-sigstore-attachments: true
docker:
  registry.redhat.io:
    sigstore: https://registry.redhat.io/containers/sigstore
  registry.connect.redhat.com:
    use-sigstore-attachments: false
  registry.connect.redhat.com/signed/app:
    use-sigstore-attachments: true
  "*.example.com":
    use-sigstore-attachments: false
`;

test('withoutAttachments follows the closest scope that says anything about it', () => {
  const places = parseSignaturePlaces([file(RED_HAT)]);
  const off = (name: string) => withoutAttachments(places, parseReference(name)) !== undefined;

  expect(off('registry.connect.redhat.com/team/app:1')).toBe(true);
  expect(off('registry.connect.redhat.com/signed/app:1')).toBe(false);
  expect(off('registry.redhat.io/team/app:1')).toBe(false);
  expect(off('mirror.example.com:5000/team/app:1')).toBe(true);
  expect(withoutAttachments(new Map(), parseReference('quay.io/a/b:1'))).toBeUndefined();
});

test('lookasideOf knows the old word, falls back to the default, and ends before the digest', () => {
  const places = parseSignaturePlaces([file(RED_HAT)]);
  const at = (name: string) => lookasideOf(places, parseReference(name));

  expect(at('registry.redhat.io/ubi9/ubi:latest')).toBe(
    'https://registry.redhat.io/containers/sigstore/ubi9/ubi@',
  );
  expect(at('registry.connect.redhat.com/team/app:1')).toBe('file:///var/lib/signatures/team/app@');
});

test('parseSignaturePlaces reads what render registries-d writes', () => {
  const text = registriesD({ without: ['quay.io/plain'], lookaside: { 'quay.io': 'https://l' } });
  const places = parseSignaturePlaces([file(text)]);

  expect(withoutAttachments(places, parseReference('quay.io/plain/a:1'))).toBe('a.yaml');
  expect(lookasideOf(places, parseReference('quay.io/plain/a:1'))).toBe('https://l/plain/a@');
});

test.each([
  [
    'a scope in two files',
    [file('docker: {q.io: {}}'), file('docker: {q.io: {}}', 'b.yaml')],
    'too',
  ],
  ['a word for a switch', [file('docker: {q.io: {use-sigstore-attachments: no way}}')], 'use-sig'],
  ['no YAML', [file('docker: [')], 'no YAML'],
])('parseSignaturePlaces refuses %s', (_what, files, words) => {
  expect(() => parseSignaturePlaces(files)).toThrow(words);
});
