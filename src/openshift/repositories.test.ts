import { expect, test } from 'vitest';
import { componentRepositories, releaseRepositories } from './repositories.ts';
import { parseReleaseVersion } from './version.ts';

const namesOf = (version?: string) =>
  releaseRepositories(version ? parseReleaseVersion(version) : undefined).map(
    (name) => name.split('/').at(-1) ?? '',
  );

test('releaseRepositories are one repository of components before 5.0, and two from then on', () => {
  expect(namesOf('4.18.1')).toEqual(['ocp-release', 'ocp-v4.0-art-dev']);
  expect(namesOf('5.0.0-rc.2')).toEqual(['ocp-release', 'ocp-v4.0-art-dev', 'ocp-v5.0-art-dev']);
});

test('releaseRepositories of an unknown release are those of all', () => {
  expect(namesOf()).toEqual(namesOf('5.0'));
  expect(componentRepositories()).toHaveLength(2);
});
