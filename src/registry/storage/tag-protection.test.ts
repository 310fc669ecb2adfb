import { expect, test } from 'vitest';
import { protectTags } from './tag-protection.ts';

test.each([
  [['ocp/release:*'], 'ocp/release', '4.18.1', true],
  [['ocp/release:*'], 'ocp/release-images', '4.18.1', false],
  [['*:v*'], 'team/app', 'v1', true],
  [['*:v*'], 'team/app', 'latest', false],
  [['team/app:v1'], 'team/app', 'v1', true],
  [['team/app:v1'], 'team/app', 'v10', false],
  [['a*a:a'], 'a', 'a', false],
  [['*-x86_64'], 'ocp/release', '4.18.1-x86_64', true],
  [[], 'ocp/release', '4.18.1', false],
])('protectTags %j takes %s:%s for protected: %s', (patterns, repository, tag, expected) => {
  expect(protectTags(patterns)(repository, tag)).toBe(expected);
});
