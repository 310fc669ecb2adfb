import { describe, expect, test } from 'vitest';
import { toYaml } from '../../../core/yaml.ts';
import { bootImage } from './boot-image.ts';

const regions = { 'us-east-1': { release: '418.94', image: 'ami-0123456789abcdef0' } };
const stream = { architectures: { x86_64: { images: { aws: { regions } } } } };
const manifest = toYaml({ kind: 'ConfigMap', data: { stream: JSON.stringify(stream) } });
const manifests = new Map([['0000_50_installer_coreos-bootimages.yaml', manifest]]);

describe('bootImage', () => {
  test('is the one the release names for the region', () => {
    expect(bootImage(manifests, { architecture: 'x86_64', region: 'us-east-1' })).toBe(
      'ami-0123456789abcdef0',
    );
  });

  test.each([
    [manifests, 'x86_64', 'eu-isoe-west-1', 'Copy the one of us-east-1'],
    [manifests, 's390x', 'us-east-1', 'bastion.ami'],
    [new Map<string, string>(), 'x86_64', 'us-east-1', 'bastion.ami'],
    [
      new Map([['0000_50_installer_coreos-bootimages.yaml', 'data: {stream: "no"}']]),
      'x86_64',
      'us-east-1',
      'bastion.ami',
    ],
  ])('says what to do where there is none (%#)', (some, architecture, region, hint) => {
    expect(() => bootImage(some, { architecture, region })).toThrow(
      expect.objectContaining({ code: 'INPUT_INVALID', hint: expect.stringContaining(hint) }),
    );
  });
});
