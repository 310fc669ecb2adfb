import { describe, expect, test } from 'vitest';
import {
  credentialFor,
  decodeAuth,
  formatPullSecret,
  mergePullSecret,
  parsePullSecret,
} from './pull-secret.ts';

const UPSTREAM = JSON.stringify({
  auths: {
    'quay.io': { auth: 'dTpw', email: 'a@b.example' },
    'cloud.openshift.com': { auth: 'dTpw' },
    'https://index.docker.io/v1/': { auth: 'dTpw' },
  },
  credsStore: 'desktop',
});
const MIRROR = { registry: 'mirror.example:5000', username: 'admin', password: 'p:w' };

describe('mergePullSecret', () => {
  test('adds the mirror, keeps upstream entries with all their fields, and drops helpers', () => {
    const merged = mergePullSecret({ existing: UPSTREAM, add: [MIRROR] });

    expect(Object.keys(merged)).toEqual(['auths']);
    expect(Object.keys(merged.auths)).toEqual([
      'cloud.openshift.com',
      'https://index.docker.io/v1/',
      'mirror.example:5000',
      'quay.io',
    ]);
    expect(merged.auths['quay.io']).toEqual({ auth: 'dTpw', email: 'a@b.example' });
    expect(formatPullSecret(merged)).toContain(`"auth":"${btoa('admin:p:w')}"`);
  });

  test('drops upstream entries on request', () => {
    const none = mergePullSecret({ existing: UPSTREAM, add: [MIRROR], keep: 'none' });
    const some = mergePullSecret({ existing: UPSTREAM, add: [MIRROR], keep: ['quay.io'] });

    expect(Object.keys(none.auths)).toEqual(['mirror.example:5000']);
    expect(Object.keys(some.auths)).toEqual(['mirror.example:5000', 'quay.io']);
  });

  test('replaces an older entry of the same registry and is the same when run twice', () => {
    const once = formatPullSecret(mergePullSecret({ existing: UPSTREAM, add: [MIRROR] }));

    expect(formatPullSecret(mergePullSecret({ existing: once, add: [MIRROR] }))).toBe(once);
  });

  test('refuses a registry with a scheme and a user name with a colon', () => {
    expect(() => mergePullSecret({ add: [{ ...MIRROR, registry: 'https://m' }] })).toThrow(
      '"https://m"',
    );
    expect(() => mergePullSecret({ add: [{ ...MIRROR, username: 'a:b' }] })).toThrow(
      'bad user name',
    );
  });
});

test('parsePullSecret names the field and never shows the content', () => {
  const broken = '{"auths":{"quay.io":{"auth":"c2VjcmV0"';

  expect(() => parsePullSecret(broken)).toThrow('Cannot use the pull secret: it is not JSON');
  expect(() => parsePullSecret('{"auths":{"quay.io":{"auth":1}}}')).toThrow('"auths.quay.io.auth"');
  expect(() => parsePullSecret('{}', '"x.json"')).toThrow('Cannot use "x.json": "auths"');
});

test('credentialFor takes the longest name that matches, as podman does', () => {
  const secret = mergePullSecret({
    add: [MIRROR, { ...MIRROR, registry: 'mirror.example:5000/team', username: 'team' }],
  });
  const userOf = (location: string) => {
    const entry = credentialFor(secret, location);
    return entry && decodeAuth(entry)?.username;
  };

  expect(userOf('mirror.example:5000/team/app')).toBe('team');
  expect(userOf('mirror.example:5000/teams')).toBe('admin');
  expect(userOf('mirror.example')).toBeUndefined();
});
