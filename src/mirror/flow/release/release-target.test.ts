import { expect, test } from 'vitest';
import { formatReference } from '../../../oci/reference.ts';
import { releaseTargets } from './release-target.ts';

const named = { tag: '4.18.1-x86_64', version: '4.18.1' };
const component = `$\{component}`;

test.each([
  [
    'm.example:5000/ocp/release',
    'm.example:5000/ocp/release:4.18.1-x86_64',
    'm.example:5000/ocp/release:4.18.1-x86_64-etcd',
  ],
  [
    `docker://m.example/ocp:${component}-$\{version}`,
    'm.example/ocp:release-4.18.1',
    'm.example/ocp:etcd-4.18.1',
  ],
])('releaseTargets names everything below %s', (to, release, etcd) => {
  const targets = releaseTargets({ to, ...named });

  expect(formatReference(targets.release)).toBe(release);
  expect(formatReference(targets.component('etcd'))).toBe(etcd);
});

test('releaseTargets puts the release image where it is told', () => {
  const targets = releaseTargets({
    to: 'm.example/ocp',
    toReleaseImage: 'm.example/rel:v1',
    ...named,
  });

  expect(formatReference(targets.release)).toBe('m.example/rel:v1');
});

test.each(['m.example/ocp:latest', `m.example/${component}`, 'm.example/ocp@sha256:00'])(
  'releaseTargets refuses %s',
  (to) => {
    expect(() => releaseTargets({ to, ...named })).toThrow(
      expect.objectContaining({ code: 'REFERENCE_INVALID' }),
    );
  },
);
