import { expect, test } from 'vitest';
import { causeText, unknownPlaces } from './cause-text.ts';

const of = (line: string) => causeText('{Registry} does not hold it; ask {registry}.', {}, line);

test('a registry is called a mirror only by a line that lists mirrors', () => {
  expect(of('reading manifest 4.17 in reg.lab:5000/ocp: manifest unknown')).toBe(
    'The registry reg.lab:5000 does not hold it; ask the registry reg.lab:5000.',
  );
  expect(of('pinging container registry quay.io: Get "https://quay.io/v2/": EOF')).toBe(
    'The public registry quay.io does not hold it; ask the public registry quay.io.',
  );
  expect(
    of(
      'initializing source docker://quay.io/a@sha256:ab: (Mirrors also failed: [m.lab:5000/a@sha256:ab: reading manifest sha256:ab in m.lab:5000/a: manifest unknown]): quay.io/a@sha256:ab: Get "https://quay.io/v2/": dial tcp: i/o timeout',
    ),
  ).toBe('The mirror m.lab:5000 does not hold it; ask the mirror m.lab:5000.');
  expect(
    of(
      'copying docker://quay.io/a to m.lab:8443/a: Put "https://m.lab:8443/v2/a/manifests/1": 500',
    ),
  ).toContain('The registry m.lab:8443 does');
  expect(causeText('{End} is silent.', {}, 'Get "https://quay.io/v2/": EOF')).toMatch(/^quay\.io/);
  expect(
    of('(Mirrors also failed: [m.lab/a: EOF] [n.lab/a: manifest unknown]): quay.io/a: timeout'),
  ).toContain('One of the mirrors m.lab, n.lab does not hold it');
  expect(of('manifest unknown')).toBe('The registry does not hold it; ask the registry.');
});

test('the line before names the other end where the line does not', () => {
  expect(causeText('{End} is silent.', {}, 'i/o timeout', 'Get "https://10.0.0.5:6443/api"')).toBe(
    '10.0.0.5:6443 (the API of the cluster) is silent.',
  );
});

test('a group that was not found leaves what stands for it, and nothing of it can act on a terminal', () => {
  const text = 'The field {field|that the message names} is wrong.';
  expect(causeText(text, { field: 'platform.aws.region' })).toBe(
    'The field platform.aws.region is wrong.',
  );
  expect(causeText(text, { field: 'networking.' })).toBe('The field networking is wrong.');
  expect(causeText(text, {})).toBe('The field that the message names is wrong.');
  expect(causeText(text, { field: 'a\u001b[31mb' })).toBe('The field ab is wrong.');
  expect(causeText(text, { field: 'x'.repeat(500) }).length).toBeLessThan(200);
});

test('what is a secret in its line is none of the words of a cause', () => {
  const line = 'depotd: login failed: user=kim password=Bramble7x';
  const cause = 'The login {word|of the line} is refused by {user|somebody}.';

  expect(causeText(cause, { word: 'Bramble7x', user: 'kim' }, line)).toBe(
    'The login of the line is refused by kim.',
  );
});

test('of several groups the first that was found is named', () => {
  const text = 'The {image|file|thing} is not there.';
  expect(causeText(text, { file: '/a', image: 'b' })).toBe('The b is not there.');
  expect(causeText(text, { file: '/a' })).toBe('The /a is not there.');
  expect(causeText(text, {})).toBe('The thing is not there.');
});

test('a place that stays empty leaves no gap', () => {
  expect(causeText('The proxy {name|} fails ({why|}): {how|}', {})).toBe('The proxy fails');
  expect(causeText('No zone {name|}. Make {what|it}.', {})).toBe('No zone. Make it.');
});

test('places that nothing fills are told', () => {
  expect(unknownPlaces('{registry} {End} {field|it}', new Set(['field']))).toEqual([]);
  expect(unknownPlaces('{field|file|it}', new Set(['field']))).toEqual(['{field|file|it}']);
  expect(unknownPlaces('{field} {other|x} {registry|x}', new Set(['field']))).toEqual([
    '{field}',
    '{other|x}',
    '{registry|x}',
  ]);
});
