import { expect, test } from 'vitest';
import type { Platform } from './descriptor.ts';
import { digestOf } from './digest.ts';
import { MEDIA_TYPES } from './media-types.ts';
import {
  ARCHITECTURES,
  formatPlatform,
  matchesPlatform,
  parseArchitecture,
  parsePlatform,
  rpmArchitecture,
  selectPlatforms,
} from './platform.ts';

test.each([
  ['linux/amd64', { os: 'linux', architecture: 'amd64' }],
  ['linux/arm64/v8', { os: 'linux', architecture: 'arm64', variant: 'v8' }],
  ['linux/x86_64', { os: 'linux', architecture: 'amd64' }],
  ['s390x', { os: 'linux', architecture: 's390x' }],
  ['windows/amd64', { os: 'windows', architecture: 'amd64' }],
])('parsePlatform reads %s', (text, expected) => {
  expect(parsePlatform(text)).toEqual(expected);
  expect(parsePlatform(formatPlatform(expected))).toEqual(expected);
});

test.each(['', '/', 'linux/', '/amd64', 'linux/arm64/v8/x', 'linux amd64'])(
  'parsePlatform rejects %j',
  (text) => {
    expect(() => parsePlatform(text)).toThrowError(
      expect.objectContaining({ code: 'INPUT_INVALID' }),
    );
  },
);

test('parseArchitecture knows both names of each architecture', () => {
  for (const [go, rpm] of Object.entries(ARCHITECTURES)) {
    expect(parseArchitecture(go)).toBe(go);
    expect(rpmArchitecture(parseArchitecture(rpm))).toBe(rpm);
  }
});

test('parseArchitecture suggests the name that was meant', () => {
  expect(() => parseArchitecture('arm46')).toThrowError(
    expect.objectContaining({ code: 'INPUT_INVALID', hint: 'Did you mean "arm64"?' }),
  );
  expect(() => parseArchitecture('toString')).toThrowError(
    expect.objectContaining({ hint: 'Use one of amd64, arm64, ppc64le, s390x' }),
  );
});

test.each([
  ['linux/amd64', 'linux/amd64', true],
  ['linux/amd64', 'linux/arm64', false],
  ['linux/amd64', 'windows/amd64', false],
  ['linux/arm64', 'linux/arm64/v8', true],
  ['linux/arm64/v8', 'linux/arm64', true],
  ['linux/arm/v6', 'linux/arm', false],
  ['linux/arm/v7', 'linux/arm', true],
])('matchesPlatform: %s runs what is for %s: %s', (wanted, offered, expected) => {
  expect(matchesPlatform(parsePlatform(wanted), parsePlatform(offered))).toBe(expected);
});

test('matchesPlatform takes an empty variant for none', () => {
  const offered = { os: 'linux', architecture: 'arm64', variant: '' };

  expect(matchesPlatform(parsePlatform('linux/arm64/v8'), offered)).toBe(true);
});

test('selectPlatforms keeps the order of the index and leaves attestations unless asked', () => {
  const child = (platform: Platform | undefined, name: string) => ({
    mediaType: MEDIA_TYPES.ociManifest,
    digest: digestOf(name),
    size: 1,
    ...(platform ? { platform } : {}),
  });
  const arm = child(parsePlatform('linux/arm64'), 'arm');
  const amd = child(parsePlatform('linux/amd64'), 'amd');
  const power = child(parsePlatform('linux/ppc64le'), 'power');
  const attestation = child(parsePlatform('unknown/unknown'), 'attestation');
  const nested = child(undefined, 'nested');
  const children = [arm, attestation, amd, nested, power];
  const wanted = [parsePlatform('linux/amd64'), parsePlatform('linux/arm64')];

  expect(selectPlatforms(children, wanted)).toEqual([arm, amd]);
  expect(selectPlatforms(children, wanted, true)).toEqual([arm, attestation, amd, nested]);
});
