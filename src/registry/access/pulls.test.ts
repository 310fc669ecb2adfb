import { expect, test } from 'vitest';
import type { AccessEntry } from './access-log.ts';
import { gatherPulls } from './pulls.ts';

const A = `sha256:${'a'.repeat(64)}`;
const BLOB = `sha256:${'b'.repeat(64)}`;

let second = 0;
const entry = (more: Partial<AccessEntry>): AccessEntry => ({
  at: `2026-01-01T00:00:${String(second++ % 60).padStart(2, '0')}.000Z`,
  listener: 'store',
  client: '10.0.0.1',
  method: 'GET',
  path: '/v2/',
  status: 200,
  repository: 'ocp/release',
  complete: true,
  bytesReceived: 100,
  bytesSent: 1000,
  durationMs: 1,
  ...more,
});
const manifest = (more: Partial<AccessEntry> = {}) =>
  entry({ route: 'manifest', reference: A, digest: A, ...more });
const blob = (more: Partial<AccessEntry> = {}) =>
  entry({ route: 'blob', reference: BLOB, digest: BLOB, bytesSent: 5000, ...more });

const gather = (...entries: readonly AccessEntry[]) => {
  const pulls = gatherPulls();
  for (const each of entries) pulls.add(each);
  return pulls.clients();
};

test('gatherPulls counts the blobs of a repository for the image asked for last there', () => {
  const [client] = gather(manifest(), blob(), blob(), manifest({ repository: 'other' }));
  expect(client?.bytes).toBe(12_000);
  expect(client?.images).toMatchObject([
    { repository: 'ocp/release', reference: A, bytes: 11_000, blobs: 2 },
    { repository: 'other', bytes: 1000, blobs: 0 },
  ]);
});

test('gatherPulls puts the image that is asked for now last, also when it was there before', () => {
  const [client] = gather(manifest(), manifest({ repository: 'other' }), manifest());
  expect(client?.images.map(({ repository }) => repository)).toEqual(['other', 'ocp/release']);
});

test('gatherPulls names what a client never got, once, and forgets it when it comes', () => {
  const refused = manifest({ status: 404, digest: undefined, error: 'MANIFEST_UNKNOWN' });
  expect(gather(refused, refused)[0]?.refused).toMatchObject([
    { reference: A, status: 404, error: 'MANIFEST_UNKNOWN', times: 2 },
  ]);
  expect(gather(refused, manifest())[0]?.refused).toEqual([]);
  expect(gather(manifest(), blob({ status: 404 }), blob())[0]?.refused).toEqual([]);
});

test('gatherPulls takes a first request without a login for no refusal, a wrong password for one', () => {
  expect(gather(manifest({ status: 401 }))[0]?.refused).toEqual([]);
  expect(gather(manifest({ status: 401, claimedUser: 'node' }))[0]?.refused).toHaveLength(1);
  const door = entry({ status: 401, claimedUser: 'node', repository: undefined });
  expect(gather(door, door)[0]?.refused).toMatchObject([{ claimedUser: 'node', times: 2 }]);
});

test('gatherPulls names who asked last first, and counts only what is fetched', () => {
  const clients = gather(
    manifest({ at: '2026-01-01T00:00:01.000Z' }),
    manifest({ client: '10.0.0.2', at: '2026-01-01T00:00:02.000Z' }),
    entry({ client: '10.0.0.3', method: 'PUT' }),
  );
  expect(clients.map(({ client }) => client)).toEqual(['10.0.0.2', '10.0.0.1']);
});

test('gatherPulls knows a machine by all its addresses, and forgets refusals that are over', () => {
  const refused = manifest({ status: 404, digest: undefined, at: '2026-01-01T00:00:01.000Z' });
  const denied = manifest({ status: 401, claimedUser: 'node', at: '2026-01-01T00:00:05.000Z' });
  const pulls = gatherPulls({
    nameOf: () => 'master-0',
    refusedSince: new Date('2026-01-01T00:00:03.000Z'),
  });
  pulls.add(refused);
  pulls.add({ ...denied, client: '10.0.0.2' });

  const [master, ...others] = pulls.clients();

  expect(others).toEqual([]);
  expect(master).toMatchObject({ client: 'master-0', refused: [{ claimedUser: 'node' }] });
  pulls.add(blob());
  expect(pulls.clients()[0]?.refused).toEqual([]);
});
