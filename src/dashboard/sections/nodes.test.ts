import { describe, expect, test } from 'vitest';
import type { AccessEntry } from '../../registry/access/access-log.ts';
import type { ImageRow } from '../model/page-data.ts';
import { NodePulls } from './nodes.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const ETCD: ImageRow = {
  kind: 'component',
  source: `quay.io/r/art@${DIGEST}`,
  target: 'm/r:1',
  digest: DIGEST,
  sizeBytes: 1000,
  copiedBytes: 0,
  outcome: 'copied',
  reason: '',
  neededBy: [],
  component: 'etcd',
};

const entry = (change: Partial<AccessEntry>): AccessEntry => ({
  at: '2026-01-01T00:00:10Z',
  listener: 'store',
  client: '10.0.0.5',
  method: 'GET',
  path: '/',
  status: 200,
  complete: true,
  bytesReceived: 0,
  bytesSent: 100,
  durationMs: 1,
  repository: 'openshift/release',
  agent: 'cri-o',
  ...change,
});

const PULL = [
  entry({ route: 'manifest', digest: DIGEST, reference: DIGEST }),
  entry({ route: 'blob', digest: 'sha256:b', client: '::ffff:10.0.0.5' }),
];
const NOW = Date.parse('2026-01-01T00:00:15Z');
const START = '2026-01-01T00:00:00Z';

describe('NodePulls', () => {
  test('tells by machine which image it pulls, of how many bytes, how fast', () => {
    const pulls = new NodePulls([
      { name: 'master-0', role: 'control-plane', addresses: ['10.0.0.5'] },
    ]);

    pulls.add([...PULL, entry({ client: '10.0.0.99', route: 'manifest', digest: 'x' })], START);

    expect(pulls.rows([ETCD], [], NOW)).toMatchObject([
      {
        name: 'master-0',
        address: '10.0.0.5',
        bytes: 200,
        bytesPerSecond: 200 / 15,
        pulls: [{ image: 'etcd', bytes: 200, totalBytes: 1000 }],
        refused: [],
      },
    ]);
  });

  test('tells what a machine did not get, but not signatures that few images have', () => {
    const pulls = new NodePulls([]);
    const missing = { route: 'manifest', status: 404, error: 'MANIFEST_UNKNOWN' };

    pulls.add(
      [
        entry({ ...missing, reference: DIGEST }),
        entry({ ...missing, reference: `sha256-${'c'.repeat(64)}.sig` }),
        entry({ ...missing, reference: '4.18' }),
        entry({ status: 401 }),
      ],
      START,
    );

    const [node] = pulls.rows([ETCD], [], NOW);
    expect(node?.refused).toMatchObject([
      { image: 'etcd', status: 404, error: 'MANIFEST_UNKNOWN', times: 1 },
      { image: 'openshift/release:4.18', status: 404 },
    ]);
  });

  test('shows a machine that could not even ask, with why', () => {
    const pulls = new NodePulls([{ name: 'bootstrap', role: 'bootstrap' }]);
    const failed = { name: 'bootstrap', state: 'failed', message: 'x509' } as const;

    expect(pulls.rows([], [failed], NOW)).toMatchObject([
      { name: 'bootstrap', role: 'bootstrap', state: 'failed', message: 'x509', bytes: 0 },
    ]);
  });

  test('leaves out what atoll itself reads, and begins anew with the machines', () => {
    const pulls = new NodePulls([]);
    pulls.add([entry({ agent: 'atoll', route: 'manifest', digest: DIGEST })], START);
    expect(pulls.rows([], [], NOW)).toEqual([]);
    pulls.add(PULL, START);
    expect(pulls.rows([], [], NOW)).toHaveLength(1);

    pulls.add([], '2026-01-01T01:00:00Z');

    expect(pulls.rows([], [], NOW)).toEqual([]);
  });
});
