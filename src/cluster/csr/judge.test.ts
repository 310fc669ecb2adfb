import { describe, expect, test } from 'vitest';
import type { CertificateRequest } from './certificate-request.ts';
import { judge } from './judge.ts';

const CLIENT: CertificateRequest = {
  name: 'csr-1',
  signer: 'kubernetes.io/kube-apiserver-client-kubelet',
  username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
  groups: [
    'system:serviceaccounts',
    'system:serviceaccounts:openshift-machine-config-operator',
    'system:authenticated',
  ],
  usages: ['digital signature', 'client auth'],
  subject: { commonNames: ['system:node:worker-0'], organizations: ['system:nodes'], others: [] },
  dnsNames: [],
  addresses: [],
  otherNames: [],
};
const SERVING: CertificateRequest = {
  ...CLIENT,
  signer: 'kubernetes.io/kubelet-serving',
  username: 'system:node:worker-0',
  groups: ['system:nodes', 'system:authenticated'],
  usages: ['digital signature', 'key encipherment', 'server auth'],
  dnsNames: ['worker-0'],
  addresses: ['192.0.2.10', '2001:db8::a'],
};
const EXPECTED = [{ name: 'worker-0' }];
const NODE = { name: 'worker-0', addresses: ['192.0.2.10', '2001:db8:0:0::a', 'worker-0'] };

const SUBJECT = CLIENT.subject;
const LEFT: readonly (readonly [why: string, request: CertificateRequest, words: string])[] = [
  [
    'of a machine that nobody expects',
    { ...CLIENT, subject: { ...SUBJECT, commonNames: ['system:node:evil'] } },
    'no machine "evil" is expected',
  ],
  ['from somebody else', { ...CLIENT, username: 'system:admin' }, '"system:admin" asks for it'],
  ['in another group', { ...CLIENT, groups: ['system:masters'] }, 'groups'],
  ['with more groups', { ...CLIENT, groups: [...CLIENT.groups, 'system:masters'] }, 'groups'],
  ['for serving', { ...CLIENT, usages: [...CLIENT.usages, 'server auth'] }, 'usages'],
  ['without a usage', { ...CLIENT, usages: ['client auth'] }, 'usages'],
  ['that names a host', { ...CLIENT, dnsNames: ['api'] }, 'names no hosts'],
  ['that names mail', { ...CLIENT, otherNames: ['email:a@b'] }, 'email:a@b'],
  [
    'for masters',
    { ...CLIENT, subject: { ...SUBJECT, organizations: ['system:nodes', 'system:masters'] } },
    'organization',
  ],
  ['of no node', { ...CLIENT, subject: { ...SUBJECT, commonNames: ['admin'] } }, 'not a node'],
  [
    'with two names',
    { ...CLIENT, subject: { ...SUBJECT, commonNames: ['system:node:worker-0', 'admin'] } },
    'not a node',
  ],
  ['with a country', { ...CLIENT, subject: { ...SUBJECT, others: ['C=US'] } }, 'C=US'],
];

describe('judge', () => {
  test('grants an expected machine what it needs to join', () => {
    expect(judge(CLIENT, EXPECTED, [])).toMatchObject({ verdict: 'approve', node: 'worker-0' });
  });

  test('grants a node a certificate for its own names, however they are spelled', () => {
    expect(judge(SERVING, EXPECTED, [NODE])).toMatchObject({ verdict: 'approve' });
  });

  test.each(LEFT)('leaves a request to join %s', (_why, request, words) => {
    expect(judge(request, EXPECTED, [])).toMatchObject({
      verdict: 'leave',
      reason: expect.stringContaining(words),
    });
  });

  test('leaves a second first request of a node that has joined', () => {
    expect(judge(CLIENT, EXPECTED, [NODE])).toMatchObject({ verdict: 'leave' });
  });

  test('leaves a request to serve before the node is there', () => {
    expect(judge(SERVING, EXPECTED, [])).toMatchObject({ verdict: 'leave' });
  });

  test('leaves a request to serve the name or address of another', () => {
    const name = judge({ ...SERVING, dnsNames: ['api.example'] }, EXPECTED, [NODE]);
    const address = judge({ ...SERVING, addresses: ['192.0.2.1'] }, EXPECTED, [NODE]);
    const other = judge({ ...SERVING, username: 'system:node:worker-1' }, EXPECTED, [NODE]);

    expect(name).toMatchObject({
      verdict: 'leave',
      reason: expect.stringContaining('api.example'),
    });
    expect(address).toMatchObject({
      verdict: 'leave',
      reason: expect.stringContaining('192.0.2.1'),
    });
    expect(other).toMatchObject({ verdict: 'leave' });
  });

  test('believes given addresses more than those that a node says of itself', () => {
    const expected = [{ name: 'worker-0', addresses: ['192.0.2.99'] }];

    expect(judge(SERVING, expected, [NODE])).toMatchObject({ verdict: 'leave' });
  });

  test('keeps its hands off what is not about nodes', () => {
    const request = { ...CLIENT, signer: 'kubernetes.io/kube-apiserver-client' };

    expect(judge(request, EXPECTED, [])).toMatchObject({ verdict: 'foreign' });
  });
});
