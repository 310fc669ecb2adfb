import { expect, test } from 'vitest';
import { rehearsalOf } from './child-result.ts';

const REHEARSAL = {
  clean: false,
  findings: [
    {
      cause: 'credential-absent',
      severity: 'hole',
      fault: 'configuration',
      title: 'Nodes have no login',
      rule: 'There must be one',
      commands: ['atoll render auth'],
      evidence: ['401'],
      images: [{ name: 'quay.io/a/b:1', reason: 'named' }],
    },
  ],
  images: 2,
  pullable: 1,
  blobs: 3,
  downloadedBytes: 4,
  depth: 'full',
  registries: ['mirror.example'],
  unread: [],
  unchecked: [],
  openSources: ['quay.io'],
};
const output = (result: unknown, stderr = '') => ({ stdout: JSON.stringify(result), stderr });

test('rehearsalOf reads what a rehearsal in a namespace printed', () => {
  expect(rehearsalOf(output({ ...REHEARSAL, isolated: true }))).toEqual(REHEARSAL);
});

test.each([
  ['an error', output({ error: { message: 'no such file', hint: 'Look' } }), 'no such file'],
  ['words', { stdout: '', stderr: 'one\nunshare: denied\n' }, 'unshare: denied'],
  ['another shape', output({ ...REHEARSAL, clean: 'yes' }, 'odd'), 'odd'],
  ['a cause nobody knows', output({ ...REHEARSAL, findings: [{ cause: 'x' }] }, 'odd'), 'odd'],
])('rehearsalOf says in words that it got %s', (_, printed, words) => {
  expect(() => rehearsalOf(printed)).toThrow(`Cannot rehearse in a namespace: ${words}`);
});
