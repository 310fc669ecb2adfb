import { expect, test } from 'vitest';
import { testNearLines } from '../../../../test/support/readings.ts';
import { readPlainly } from '../read-plainly.ts';

testNearLines([
  ['  Forbidden Sysctls:                   <none>'],
  ['   if !errors.IsAlreadyExists(err) {'],
  ['error: rate limit exceeded', 'says-rate-limited'],
  ['tune2fs: Superblock checksum does not match superblock while trying to open /dev/fern'],
  [
    String.raw`error: [Get https://10.9.8.7:5000/healthz: x509: certificate signed by unknown authority, Get http://10.9.8.7:5000/healthz: malformed HTTP response "\x15\x03\x01"]`,
    'says-authority-unknown',
  ],
]);

test.each([
  [
    'Error from server (AlreadyExists): secrets "tide-key" already exists',
    'secrets "tide-key" is there already, of an earlier run or of somebody else',
  ],
  [
    String.raw`error: Get http://depot.fern.lan:5000/v2/: malformed HTTP response "\x15\x03\x01"`,
    'depot.fern.lan:5000 (the mirror registry) wants TLS, and was asked by plain HTTP',
  ],
  [
    'Error: write /proc/31/uid_map: operation not permitted',
    'The host does not let the container be set up (/proc/31/uid_map): mostly it is to run inside another container that lacks a capability or a range of ids for it',
  ],
  [
    'pods is forbidden: User "fern" cannot list resource "pods" in API group "" in the namespace "tide"',
    'The login fern lacks the permission list (pods) in the namespace tide',
  ],
  [
    'lids.tide.lan "a" is forbidden: User "system:serviceaccount:tide:keeper" cannot',
    'The login system:serviceaccount:tide:keeper lacks the permission',
  ],
  [
    'Error: write /proc/sys/kernel/tide: operation not permitted',
    'The machine refuses access (/proc/sys/kernel/tide): the program is not root, or runs in a container without the privilege for it',
  ],
  [
    'error: service account "keeper" not found in namespace "tide"; cannot go on',
    'There is no service account "keeper"',
  ],
  ['Error: NAT gateway limit exceeded.', 'A quota or limit is used up (NAT gateway)'],
  ['Error: AWS VPC quota limit exceeded.', 'A quota or limit is used up (AWS VPC)'],
  [
    'admission webhook tide.cove.lan denied the request: lids are out',
    'The admission webhook tide.cove.lan refuses the object (lids are out)',
  ],
  [
    'error updating rolebinding: RoleBinding.rbac.authorization.k8s.io "tide" is invalid: roleRef: Invalid value: rbac.RoleRef{Name:"x"}: cannot change roleRef',
    'The field roleRef of the RoleBinding tide cannot be changed once it is there',
  ],
])('readPlainly tells in the names of the line: %j', (line, cause) => {
  expect(readPlainly(line)?.cause).toBe(cause);
});

test('readPlainly says what an exit code of a build step means', () => {
  const reading = readPlainly('error building at STEP "RUN /opt/tide": exit status 127');

  expect(reading?.cause).toContain(
    'RUN /opt/tide (exit status 127: a program or file that it calls is not there)',
  );
});

test.each([
  [
    'Error: fork/exec /usr/bin/tide: cannot allocate memory',
    'There is not enough memory. Its words: fork/exec /usr/bin/tide: cannot allocate memory',
  ],
  [
    'wipefs: error: /dev/sdb: probing initialization failed: Read-only file system',
    'The device /dev/sdb itself is read-only: it is a virtual drive (of the firmware or the management controller), write-protected, or broken',
  ],
  [
    'panic: dial of the depot failed: no lid',
    'The program crashed (dial of the depot failed: no lid)',
  ],
  [
    'error: Get "https://depot.fern.lan/lids": unexpected status code 500',
    'depot.fern.lan answers with an error of its own (500). Its words: Get "https://depot.fern.lan/lids": unexpected status code 500',
  ],
  [
    'ping: depot.fern.lan: Temporary failure in name resolution',
    'The name depot.fern.lan cannot be looked up: no name server answers the machine or container that asked',
  ],
  [
    'curl: (6) Could not resolve host: depot.fern.lan',
    'The name depot.fern.lan is not known to the name servers of the machine that asked, or they do not answer',
  ],
  [
    'dial tcp: lookup depot.fern.lan on 127.0.0.11:53: server misbehaving',
    'The name server 127.0.0.11:53 answers with a failure (depot.fern.lan)',
  ],
])('readPlainly says no more than its words: %j', (line, cause) => {
  expect(readPlainly(line)?.cause).toBe(cause);
});

testNearLines([
  ['Username: Error: EOF', 'says-login-not-typed'],
  ['ENOSPC: System limit for number of file watchers reached, watch /srv/tide'],
  ['RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB'],
  [String.raw`error: tls: failed to find \"CERTIFICATE\" PEM block in certificate input`],
]);
