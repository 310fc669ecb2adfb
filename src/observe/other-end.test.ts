import { expect, test } from 'vitest';
import { otherEndOf } from './other-end.ts';

test.each([
  [
    'a place in memory is no host',
    '"target":"etcd-endpoints://0xc000fdc8c0/10.9.0.2:2379","error":"deadline exceeded"',
    '10.9.0.2:2379 (etcd)',
  ],
  [
    'an image that cannot be written is named by its source, which did not refuse it',
    'error mirroring image docker://quay.io/fjord/tool@sha256:ab error: writing blob: uploading a layer chunk: StatusCode: 413, "<html>..."',
    undefined,
  ],
  [
    'a line of a script is no host',
    './copy.lua:146: failed copying "gcr.io/fjord/tool" from registry gcr.io/fjord',
    'gcr.io',
  ],
  [
    'a page to read is not whom the line talks to',
    'https://registry-1.docker.io/v2/a/manifests/1: 429 Too Many Requests: You have reached your pull rate limit. https://www.docker.com/increase-rate-limit',
    'registry-1.docker.io (a registry on the internet)',
  ],
  [
    'nor are instructions',
    'collect catalog "registry.redhat.io/redhat/index:v4.16": invalid username/password: Further instructions can be found here: https://access.redhat.com/RegistryAuthentication',
    'registry.redhat.io (a registry on the internet)',
  ],
  [
    'a repository that is read from names its registry',
    'reading manifest latest in quay.io/fjord/tool: unauthorized',
    'quay.io (a registry on the internet)',
  ],
  [
    'so does a reference in quotes',
    'failed to resolve reference "ghcr.io/fjord/tool:1": 403 Forbidden',
    'ghcr.io (a registry on the internet)',
  ],
  [
    'so does a host that is pulled from',
    'pulling from host registry.redhat.io failed with status code [manifests v4.12]: 401',
    'registry.redhat.io (a registry on the internet)',
  ],
  [
    'so does a login',
    'authenticating creds for "registry.redhat.io": invalid username/password',
    'registry.redhat.io (a registry on the internet)',
  ],
  [
    'not all that is on the internet is a registry',
    'Get "https://api.openshift.com/api/upgrades_info/v1/graph": dial tcp 192.0.2.9:443: i/o timeout',
    'api.openshift.com (a site on the internet)',
  ],
  [
    'the short name of an image is no host',
    'initializing source docker://postgres:15: reading manifest 15 in docker.io/library/postgres: toomanyrequests',
    'docker.io (a registry on the internet)',
  ],
  [
    'a directory neither',
    'oc-mirror file://out: collect catalog "registry.redhat.io/redhat/index:v4.16": 401',
    'registry.redhat.io (a registry on the internet)',
  ],
  [
    'curl names a name and a port',
    'curl: (28) Failed to connect to mirror.openshift.com port 443: Connection timed out',
    'mirror.openshift.com:443 (a site on the internet)',
  ],
  [
    'or a name that is not resolved',
    'curl: (6) Could not resolve host: mirror.openshift.com',
    'mirror.openshift.com (a site on the internet)',
  ],
  [
    'a proxy that is set beside it is not asked by that',
    'dial tcp: lookup index.docker.io on 127.0.1.1:53: no such host, with http_proxy=http://proxy.fjord.lan:8080',
    'index.docker.io (a registry on the internet)',
  ],
  [
    'a registry may have the name of a site in its own',
    'Get "https://registry.access.redhat.com/v2/": dial tcp 192.0.2.9:443: i/o timeout',
    'registry.access.redhat.com (a registry on the internet)',
  ],
])('otherEndOf: %s', (_, line, expected) => {
  expect(otherEndOf(line)?.text).toBe(expected);
});

test('otherEndOf names nobody where a line only names a page to read', () => {
  expect(
    otherEndOf('toomanyrequests: see https://www.docker.com/increase-rate-limit'),
  ).toBeUndefined();
});

const nameIn = (line: string): string | undefined => otherEndOf(line)?.name;

test('a registry that was asked for a manifest is named, whatever the image was called before', () => {
  expect(
    nameIn(
      'initializing source docker://lab/probe:1: reading manifest 1 in m.lab:5000/lab/probe: x',
    ),
  ).toBe('m.lab:5000');
  expect(nameIn('uploading manifest 3.9 to reg.lab/pause: blob unknown to registry')).toBe(
    'reg.lab',
  );
  expect(nameIn('reading manifest 1 in reg.lab/x: Get "https://auth.lab:8443/token": EOF')).toBe(
    'auth.lab:8443',
  );
});

test('a name of Docker Hub is no host', () => {
  expect(nameIn('choosing an image from manifest list docker://alpine:3.19: none')).toBeUndefined();
  expect(nameIn('initializing source docker://lab/probe:1: no such image')).toBeUndefined();
  expect(nameIn('initializing source docker://localhost:5000/probe:1: EOF')).toBe('localhost:5000');
});

test('what could not be pushed is named by where it came from, which did not refuse it', () => {
  expect(
    nameIn('error: unable to push quay.io/lab/probe: failed to upload blob sha256:ab: denied'),
  ).toBeUndefined();
  expect(nameIn('error: unable to push manifest to reg.lab/probe:1: denied')).toBe('reg.lab');
});

test('a proxy of the runtime is the one that answers', () => {
  expect(
    nameIn(
      'pull image "reg.lab/a:1": pulling from host 127.0.0.1:65001 failed with status code 500',
    ),
  ).toBe('127.0.0.1:65001');
  expect(nameIn('pinging docker registry returned: denied')).toBeUndefined();
});

test('a page to read or to report to is not whom the line talks to', () => {
  expect(
    nameIn(
      'manifest invalid | If this is a bug, file it at https://github.com/lab/tool/issues/new',
    ),
  ).toBeUndefined();
});

test('nor are the pages of a cloud', () => {
  expect(nameIn('denied: follow https://cloud.google.com/registry/docs/access')).toBeUndefined();
  expect(nameIn('403, see https://learn.microsoft.com/en-us/registry')).toBeUndefined();
  expect(nameIn('unauthorized, see https://cloud.ibm.com/docs/registry')).toBeUndefined();
});

test('a name that was taken out is shown as it stands there', () => {
  expect(nameIn('Get https://<ip:port>/v2/: EOF')).toBe('<ip:port>');
  expect(nameIn('GET request to https://<lab>.azurecr.io/oauth2/token: 401')).toBe(
    '<lab>.azurecr.io',
  );
});
