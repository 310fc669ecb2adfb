import { expect, test } from 'vitest';
import { endsOf, partiesOf } from './party.ts';

/** What was found for a host is kept: with a number of its own each host is a new one. */
let host = 0;
const fresh = (text: string) => {
  host += 1;
  return text.replaceAll('#', String(host));
};

test.each([
  ['Get "https://cdn#.quay.io/v2/": dial tcp: i/o timeout', 'source'],
  ['pinging container registry registry.redhat.io: x#', 'source'],
  ['reading manifest # in container-registry.oracle.com/olcne/x: 500', 'source'],
  ['GET https://registry.npmjs.org/a#: Forbidden', 'source'],
  ['Get "https://registry.terraform.io/v1/#": i/o timeout', 'source'],
  ['Get "https://console.redhat.com/api/#": EOF', 'telemetry'],
  ['Get "http://localhost:55000/v2/#": connection refused', 'cache'],
  ['Get "https://h#.example.com:22623/config/master": EOF', 'mcs'],
  ['Get "https://api-int.c#.example.com/x": EOF', 'api-int'],
  ['Get "https://h#.example.com:6443/readyz": EOF', 'api'],
  ['Get "https://oauth.apps.c#.example.com/healthz": EOF', 'apps'],
  ['Get "https://#.dkr.ecr.eu-west-1.amazonaws.com/v2/": EOF', 'mirror'],
  ['Post "https://ec#.eu-west-1.amazonaws.com/": EOF', 'aws'],
  ['Get "https://ec2-192-0-2-#.eu-west-1.compute.amazonaws.com:5000/v2/": EOF', 'mirror'],
  [
    'mirroring image docker://registry.redhat.io/a/b: uploading layer to https://m#.lab/v2/a/b/blobs/uploads/x: 502',
    'mirror',
  ],
  [
    'Head "https://eu-docker.pkg.dev/v2/k8s-artifacts-prod/images/pause/manifests/#": EOF',
    'source',
  ],
  ['Head "https://eu-docker.pkg.dev/v2/fern-lab/oci/pause/manifests/#": EOF', 'mirror'],
  ['Get "https://prod-registry-k8s-io-eu-1.s3.eu-1.amazonaws.com/containers/#": EOF', 'source'],
  ['pull access denied for quay.io/fern/a#, repository does not exist', 'source'],
  ['pull access denied for depot#.lab/fern/a, repository does not exist', 'mirror'],
  ['authenticating creds for "registry.redhat.io": # invalid username/password', 'source'],
  ['unable to push manifest to registry.ci.openshift.org/a#/b:1: denied', 'mirror'],
  ['Post "https://vcenter#.lab.example/sdk": EOF', 'vcenter'],
  ['Get "https://idrac#.lab.example/x": EOF', 'bmc'],
  ['Get "http://h#.example.com:3128/": EOF', 'proxy'],
  ['Get "https://h#.example.com:2379/health": EOF', 'etcd'],
  ['Get "https://h#.example.com:10250/x": EOF', 'kubelet'],
  ['Get https://nova#.example.com:8774/v2/0123/flavors: x509: certificate has expired', 'other'],
  [
    'GET error: Get "https://10.4.0.9:13292//v2/images/0a1b2c3d-0000-4111-8222-333344445555/file": x509: certificate signed by unknown authority',
    'other',
  ],
  [
    'Get "https://cloud.example.com/image/v2/images/0a1b2c3d-0000-4111-8222-333344445555/file": EOF',
    'other',
  ],
  ['Get "https://10.4.0.9/v2/images/manifests/latest": EOF', 'mirror'],
  ['accessing [POST https://cloud#.example.com:5000/v3/auth/tokens], but got 401 instead', 'other'],
  ['Get "http://h#.example.com:8090/x": EOF', 'rendezvous'],
  ['Get "https://s#.ns.svc:443/x": EOF', 'service'],
  ['Get "https://mirror#.lab/x": EOF', 'mirror'],
  ['Get "https://h#.lab:5000/x": EOF', 'mirror'],
  ['Get "https://h#.lab:8443/x": EOF', 'mirror'],
  ['Post https://h#.lab:8443/apis/authorization.k8s.io/v1/x: EOF', 'api'],
  ['Get "https://h#.lab:8443/api/v1/namespaces/a/pods": EOF', 'api'],
  ['Post https://h#.lab:8443/oauth/token: EOF', 'api'],
  ['Get "https://h#.lab:8443/api/v1/repository/a/b": EOF', 'mirror'],
  ['Unable to connect to the server: x509: certificate is no good #', 'api'],
  ['Failed to pull image "team#/app:2": unauthorized: authentication required', 'source'],
  ['Failed to pull image "nginx:#": unauthorized: authentication required', 'source'],
  ['pull access denied for team#/app, repository does not exist or may require x', 'source'],
  ['Failed to pull image "team#/app:2": Get "https://mirror#.lab/v2/": EOF', 'mirror'],
  ['Get "https://oauth-openshift.web#.lab/healthz": EOF', 'apps'],
  ['nc -zv h#.lab 8443', 'mirror'],
  ['curl: (6) Could not resolve host: registry#.lab', 'mirror'],
  ['checking whether a blob sha256:ab exists in h#.lab/ocp/x: denied', 'mirror'],
  ['unable to upload blob sha256:ab to h#.lab/ocp/x: denied', 'mirror'],
  ['error mirroring image docker://quay.io/a#/b error: writing blob: denied: no', 'mirror'],
  ['error mirroring image docker://quay.io/a#/b: writing blob: storing blob to file "x"', 'source'],
  ['x509: certificate is valid for *.apps.c#.lab, not ghcr.io', 'source'],
  ['dial tcp 10.0.0.#:5432: connect: connection refused in registry', 'other'],
])('partiesOf knows by name and port whom %s is about: %s', (text, party) => {
  expect(partiesOf(fresh(text))).toEqual([party]);
});

test.each([
  ['Get "https://h#.lab/config/master": EOF', 'mcs'],
  ['Get "https://h#.lab/redfish/v1/Systems": EOF', 'bmc'],
  ['Post "https://h#.lab/sdk": EOF', 'vcenter'],
  ['GET "http://h#.lab/bootstrap.ign": not found', 'assets'],
  ['GET "http://172.30.0.#/bootstrap.ign": not found', 'assets'],
  ['GET "http://172.30.0.#/x": not found', 'service'],
  ['Get "https://h#.lab/v2/": EOF', 'mirror'],
  ['GET https://mirror.h#.lab/rhel9/repodata/repomd.xml: 403', 'other'],
  ['GET https://nexus.h#.lab/debian/dists/stable/InRelease: 403', 'other'],
  ['GET https://mirror.h#.lab/x/tide-1.rpm: 404', 'other'],
  ['Get "https://h#.lab/x": EOF', 'other'],
  ['dial tcp: lookup api.c#.lab: no such host', 'api'],
  ['dial tcp: lookup h#.lab: no such host', 'other'],
  ['reading the image: lookup h#.lab: no such host', 'mirror'],
])('partiesOf knows by what is asked for whom %s is about: %s', (text, party) => {
  expect(partiesOf(fresh(text))).toEqual([party]);
});

test.each([
  ['pinging container registry h#.lab:8443: x', 'mirror'],
  ['reading manifest sha256:ab in h#.lab/a/b: manifest unknown', 'mirror'],
  ['pulling image "h#.lab/a/b:1": denied', 'mirror'],
  ['Failed to connect to h# port 6443: refused', 'api'],
  ['docker://h#.lab/a', 'mirror'],
  ['dial tcp 10.0.0.5:6443: x#', 'api'],
  ['h#.lab/a/b:latest is not there', 'mirror'],
])('partiesOf finds the other end in %s', (text, party) => {
  expect(partiesOf(fresh(text))).toEqual([party]);
});

test('partiesOf takes of a failed request the one that answered last', () => {
  const text =
    'Get "https://m#.lab:5000/v2/": Get "https://h#.lab:6443/x": dial tcp 10.0.0.5:2379: EOF';

  expect(partiesOf(fresh(text))).toEqual(['api']);
});

test('partiesOf names all that are named where nothing says which was asked, each once', () => {
  expect(partiesOf(fresh('10.0.#.1:6443 and 10.0.#.2:6443 by 10.0.#.3:2379'))).toEqual([
    'api',
    'etcd',
  ]);
});

test('partiesOf looks only at what the mirrors said where they were tried', () => {
  const text =
    'docker://quay.io/a: (Mirrors also failed: [x: Get "https://h#.lab:5000/v2/": EOF]): EOF';

  expect(partiesOf(fresh(text))).toEqual(['mirror']);
});

test('partiesOf knows a proxy by its words, whatever the address is', () => {
  for (const words of ['proxyconnect tcp: EOF', 'Proxy Authentication Required', 'X-Squid-Error'])
    expect(partiesOf(`Get "https://quay.io/v2/": ${words}`)).toEqual(['proxy']);
});

test('partiesOf knows that a push that failed is about the mirror, though the source is named', () => {
  expect(partiesOf('unable to push quay.io/a:1: failed to upload')).toEqual(['mirror']);
});

test.each([
  'Get https://<ip:port>/v2/: http: server gave HTTP response to HTTPS client',
  'Failed to pull image "<my-registry>.azurecr.io/ocp/x:1": failed to authorize',
  'unexpected status from GET request to https://<my-registry>.azurecr.io/oauth2/token?scope=x: 401',
  'Get "https://***.lab/v2/": EOF',
])('partiesOf knows a registry whose name was taken out: %s', (text) => {
  expect(partiesOf(text)).toEqual(['mirror']);
});

test.each([
  'denied: no right to the registry. Follow https://cloud.google.com/container-registry/docs/access',
  'the image is not there, see https://learn.microsoft.com/en-us/registry/x and https://aka.ms/acr/errors',
])('partiesOf does not take a page to read for the other end: %s', (text) => {
  expect(partiesOf(text)).toEqual(['unknown']);
});

test('partiesOf says that it does not know', () => {
  expect(partiesOf('something failed')).toEqual(['unknown']);
});

test.each([
  [
    'Get "https://one.lab:5000/v2/": dial tcp 10.0.0.5:5000: connect: connection refused',
    ['one.lab'],
  ],
  ['lookup one.lab on 10.0.0.1:53: no such host, pulling image', ['one.lab']],
  ['dial tcp 10.0.0.5:5000: connect: connection refused', []],
  ['Error response from daemon: Get ******: unauthorized', []],
  ['Get "https://quay.io/v2/": i/o timeout', ['source']],
  [
    '(Mirrors also failed: [one.lab:5000/a: Get "https://one.lab:5000/v2/": EOF] [two.lab/a: Get "https://two.lab/v2/": EOF]): x',
    ['one.lab', 'two.lab'],
  ],
])('endsOf of %s', (text, ends) => {
  expect(endsOf(text)).toEqual(ends);
});
