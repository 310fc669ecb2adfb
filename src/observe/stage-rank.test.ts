import { expect, test } from 'vitest';
import { rankOf } from './stage-rank.ts';

const IN_ORDER = [
  'cli:oc-mirror',
  'journal:bastion/quay',
  'journal:bootstrap/node-image-pull',
  'journal:bootstrap/release-image',
  'journal:bootstrap/crio',
  'journal:bootstrap/kubelet',
  'journal:bootstrap/bootkube',
  'journal:bootstrap/approve-csr',
  'file:failed-units.txt',
  'console:node',
  'journal:node/machine-config-daemon',
  'journal:node/kubelet',
  'object:Node/master-0',
  'event:Failed',
  'pod:openshift-etcd/etcd',
  'installer-log',
  'text:unknown',
];

test('rankOf puts origins in the order in which an install happens, and what nobody can place last', () => {
  expect(IN_ORDER.toSorted((a, b) => rankOf([a]) - rankOf([b]))).toEqual(IN_ORDER);
  expect(new Set(IN_ORDER.map((origin) => rankOf([origin]))).size).toBe(IN_ORDER.length);
});

test('rankOf takes a record for what its service did, and of several origins the earliest', () => {
  expect(rankOf(['record:crio'])).toBe(rankOf(['journal:bootstrap/crio']));
  expect(rankOf(['installer-log', 'cli:oc'])).toBe(rankOf(['cli:oc']));
});
