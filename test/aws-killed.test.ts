import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { leftovers } from '../src/platform/aws/remove/leftovers.ts';
import { processesWith } from './support/atoll-process.ts';
import { type AwsGround, awsUpSite, startAwsGround } from './support/aws-up.ts';
import { describeWithPeers } from './support/peers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const ctx = silentContext();

/** Stands for an installer that never comes to an end; what it is called with is noted beside it. */
const INSTALLER = `#!/bin/bash
# fake-openshift-install: stands for the installer in tests.
for dir; do :; done
echo "$1 $2" >> "$(dirname "$0")/calls"
case "$1 $2" in
"create manifests") mkdir -p "$dir/manifests" "$dir/openshift" ;;
"create cluster") echo "{}" > "$dir/metadata.json"; exec sleep 600 ;;
esac
exit 0
`;

describeWithPeers(['moto_server', 'sshd', 'ssh', 'squid'], 'atoll down on AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-aws-'));
  let ground: AwsGround;

  beforeAll(async () => {
    ground = await startAwsGround(folder, INSTALLER);
  });
  afterAll(async () => {
    await ground?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // What is killed before a bastion answers is in the tests of faults.
  test.each(['credentials', 'tools', 'registry', 'images', 'config'])(
    'leaves nothing of an up that was killed in its stage %s',
    async (stage) => {
      await ground.lab.reset();
      const site = await awsUpSite(ground);
      const up = site.atoll('up', '--to', 'config');
      await up.told(`"type":"step.started","step":"${stage}"`);
      up.signalGroup('SIGKILL');
      await up.ended;

      const { status, stderr } = await site.atoll('down', '--yes').ended;

      expect(status, stderr.slice(-3000)).toBe(0);
      expect(await leftovers(ctx, ground.lab.aws, site.name)).toEqual([]);
      expect(existsSync(site.there)).toBe(false);
      expect(processesWith(site.there)).toEqual([]);
    },
  );

  test('destroys a cluster whose making went on when its up was killed', async () => {
    await ground.lab.reset();
    const site = await awsUpSite(ground);
    const up = site.atoll('up', '--to', 'cluster', '--skip-rehearsal');
    const noted = join(site.there, '.atoll/install/cluster/metadata.json');
    await vi.waitFor(() => expect(existsSync(noted)).toBe(true), { timeout: 200_000 });
    up.signalGroup('SIGKILL');
    await up.ended;

    const { status, stderr } = await site.atoll('down', '--yes').ended;

    expect(status, stderr.slice(-3000)).toBe(0);
    const calls = await readFile(join(site.folder, '.atoll/tools/calls'), 'utf8');
    expect(calls).toBe('destroy cluster\n');
    expect(await leftovers(ctx, ground.lab.aws, site.name)).toEqual([]);
    expect(existsSync(site.there)).toBe(false);
    expect(processesWith(site.there)).toEqual([]);
  });
});
