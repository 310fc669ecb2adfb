import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fakeProcess } from '../../../../test/support/fake-process.ts';
import { UPSTREAM } from '../../../../test/support/upstream.ts';
import { runCommandLine } from '../../run.ts';
import { COMMANDS, GROUPS } from '../index.ts';

const GRAPH = join(UPSTREAM, 'graph-stable-4.18-amd64.json');

async function list(...argv: readonly string[]) {
  const process = fakeProcess();
  const set = { commands: COMMANDS, groups: GROUPS };
  const status = await runCommandLine(['list', ...argv, '--output', 'json'], set, process);
  const { text } = process.stdout;
  return { status, result: JSON.parse(text) };
}

test('list releases names the releases of a version, oldest first, and its channels', async () => {
  const releases = await list('releases', '--version', '4.18', '--graph', GRAPH);
  const channels = await list('releases', '--version', '4.18', '--channels', '--graph', GRAPH);

  expect(releases.result.channel).toBe('stable-4.18');
  const versions = releases.result.releases.map((each: { version: string }) => each.version);
  expect(versions.slice(-2)).toEqual(['4.18.1', '4.18.2']);
  expect(channels.result.channels).toContain('stable-4.18');
});

test('list operators names the catalogs that a release has', async () => {
  const old = await list('operators', '--catalogs', '--version', '4.21');
  const now = await list('operators', '--catalogs', '--version', '5.0');

  expect([old.result.rows.length, now.result.rows.length]).toEqual([4, 3]);
  expect(now.result.rows[0]).toEqual(['registry.redhat.io/redhat/redhat-operator-index:v5.0']);
});

test.each([
  [['releases', '--version', '4.18', '--filter-by-archs', 'amd64,sparc'], 'sparc'],
  [['releases', '--channels', '--channel', 'stable-4.18'], '--version'],
  [['operators'], '--catalog'],
])('list %j is refused in words', async (argv, word) => {
  const { status, result } = await list(...argv);

  expect([status, JSON.stringify(result)]).toEqual([2, expect.stringContaining(word)]);
});
