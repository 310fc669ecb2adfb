import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { tempDir } from './support/temp.ts';

// Whole programs start here, and a busy machine takes its time.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = join(import.meta.dirname, '..');

const NEEDS_A_PEER = `
  import { expect, test, vi } from 'vitest';
  import { describeWithPeers } from './support/peers.ts';
  describeWithPeers(['skopeo'], 'copying', () => test('works', () => expect(1).toBe(1)));
`;

/** Runs a test that needs skopeo where there is no skopeo. */
async function withoutPeer(required: string): Promise<{ status: number | null; output: string }> {
  const root = await tempDir();
  mkdirSync(join(root, 'support'));
  cpSync(join(ROOT, 'test', 'support', 'peers.ts'), join(root, 'support', 'peers.ts'));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, 'peer.test.ts'), NEEDS_A_PEER);
  const vitest = join(ROOT, 'node_modules', 'vitest', 'vitest.mjs');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', root], {
    encoding: 'utf8',
    env: { PATH: '', NO_COLOR: '1', ATOLL_REQUIRE_PEERS: required },
  });
  return { status, output: stdout + stderr };
}

test('a test whose peer is missing is skipped, and says so', async () => {
  const { status, output } = await withoutPeer('');

  expect(output).toContain('SKIPPED: "copying" needs skopeo: run scripts/peers');
  expect(output).toMatch(/Tests\s+1 skipped/);
  expect(status).toBe(0);
});

test('a test whose peer is missing fails where peers are required', async () => {
  const { status, output } = await withoutPeer('1');

  expect(output).toMatch(/Tests\s+1 failed/);
  expect(status).toBe(1);
});

test('the CI run ends with a line that counts the tests, unloaded files too', async () => {
  const report = join(await tempDir(), 'report.json');
  const testResults = [
    { name: 'a.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
    { name: 'b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
    {
      name: 'c.test.ts',
      status: 'failed',
      assertionResults: [{ status: 'failed', fullName: 'copyTree copies' }],
    },
  ];
  const counts = { numPassedTests: 1, numFailedTests: 1, numPendingTests: 2, numTodoTests: 0 };
  writeFileSync(report, JSON.stringify({ testResults, ...counts }));

  const script = join(ROOT, 'scripts', 'count-tests.mjs');
  const { stdout } = spawnSync(process.execPath, [script, report], { encoding: 'utf8' });

  expect(stdout.trim().split('\n')).toEqual([
    'did not run: b.test.ts: no such module',
    'failed: copyTree copies',
    '2 skipped',
    '1 passed, 2 failed',
  ]);
});

test('the scripts for people and CI are executable, and stop at the first failure', () => {
  for (const script of ['scripts/peers', '.ci/run']) {
    const listed = spawnSync('bash', ['-n', join(ROOT, script)]);

    expect(listed.status).toBe(0);
    expect(readFileSync(join(ROOT, script), 'utf8')).toContain('set -euo pipefail');
    expect(spawnSync('test', ['-x', join(ROOT, script)]).status).toBe(0);
  }
});
