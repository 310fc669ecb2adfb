import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { silentContext } from '../src/core/context.ts';
import { LAB_VERSIONS } from '../src/lab/upstream/upstream.ts';
import { leftovers } from '../src/platform/aws/remove/leftovers.ts';
import { existingNetwork } from './support/aws-site.ts';
import {
  type AwsGround,
  type AwsUpSite,
  awsUpSite,
  type Given,
  type Parts,
  startAwsGround,
} from './support/aws-up.ts';
import { type EmbeddedRegistry, startEmbeddedRegistry } from './support/embedded-registry.ts';
import { labRegistriesConf } from './support/lab-upstream.ts';
import { describeWithPeers } from './support/peers.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const ctx = silentContext();

/** Of a cluster that nobody reaches. */
const KUBECONFIG = JSON.stringify({
  ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'a' },
  contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
  clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'a', user: { token: 'a-token' } }],
});

/** Stands for the installer; it notes its calls, and whether it had the login of the cloud. */
const INSTALLER = `#!/bin/bash
# fake-openshift-install: stands for the installer in tests.
for dir; do :; done
echo "$1 $2 $(grep -c aws_secret "$AWS_SHARED_CREDENTIALS_FILE" 2>/dev/null)" >> "$(dirname "$0")/calls"
case "$1 $2" in
"create manifests") mkdir -p "$dir/manifests" "$dir/openshift" ;;
"create cluster") mkdir -p "$dir/auth"; echo "{}" > "$dir/metadata.json"; echo '${KUBECONFIG}' > "$dir/auth/kubeconfig" ;;
esac
exit 0
`;

describeWithPeers(['moto_server', 'sshd', 'ssh', 'squid'], 'atoll up on AWS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'atoll-aws-'));
  let ground: AwsGround;
  let registry: EmbeddedRegistry;

  beforeAll(async () => {
    ground = await startAwsGround(folder, INSTALLER);
    registry = await startEmbeddedRegistry();
    const conf = labRegistriesConf(folder);
    const insecure = `\n[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`;
    await writeFile(conf, `${await readFile(conf, 'utf8')}${insecure}`);
  });
  afterAll(async () => {
    await registry?.stop();
    await ground?.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => ground.lab.reset());
  afterEach(() => expect(ground.lab.proxy.troubles.splice(0)).toEqual([]));

  async function succeeds({ atoll }: AwsUpSite, ...args: readonly string[]) {
    const { status, stdout, stderr } = await atoll(...args).ended;
    expect(status, stderr.slice(-3000)).toBe(0);
    return JSON.parse(stdout || '{}');
  }

  const KINDS: Readonly<Record<string, () => Promise<(given: Given) => Parts>>> = {
    'in a network that is there': async () => {
      const network = await existingNetwork(ground.lab);
      return () => ({ platform: { type: 'aws', region: 'us-east-1', ...network } });
    },
    'with a registry that is there': async () => {
      const [host = '', port] = registry.host.split(':');
      return () => ({ registry: { type: 'existing', host, port: Number(port) } });
    },
    'with a bastion that is there': async () => {
      const { user, port, identity: privateKey, hostKeys } = ground.sshd;
      const address = '127.0.0.1';
      return ({ there }) => ({
        bastion: { address, user, port, privateKey, hostKeys, directory: there },
      });
    },
  };

  test.each(Object.keys(KINDS))(
    '%s comes to its images, and leaves nothing behind',
    async (kind) => {
      const parts = await KINDS[kind]?.();
      const site = await awsUpSite(ground, parts);

      const { outputs } = await succeeds(site, 'up', '--to', 'images');

      expect(outputs.images.images).toBeGreaterThan(20);
      const tools = join(site.there, '.atoll/tools');
      const sums = spawnSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: tools, encoding: 'utf8' });
      expect(sums.stdout).toBe('atoll: OK\noc: OK\nopenshift-install: OK\n');
      expect(outputs.tools.tools).toMatchObject([
        { name: 'atoll', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
        { name: 'oc', version: LAB_VERSIONS.at(-1) },
        { name: 'openshift-install', version: LAB_VERSIONS.at(-1) },
      ]);
      await succeeds(site, 'down', '--yes');
      expect(await leftovers(ctx, ground.lab.aws, site.name)).toEqual([]);
      expect(existsSync(site.there)).toBe(false);
      const rest = await succeeds(site, 'down', '--dry-run');
      expect(rest.wouldRemove).toEqual([]);
    },
  );

  test('private with a proxy and no mirror has both, and loses only what was temporary', async () => {
    const site = await awsUpSite(ground, ({ proxy }) => ({
      mode: 'private',
      registry: { type: 'none' },
      proxy: { enabled: true, port: proxy, host: 'proxy.north.example.com' },
    }));

    const { outputs } = await succeeds(site, 'up', '--to', 'config');

    expect(outputs.images).toMatchObject({ images: 0 });
    const config = await readFile(join(site.folder, '.atoll/install/install-config.yaml'), 'utf8');
    expect(config).toMatch(/httpProxy: http:\/\/atoll:\w+@proxy\.north\.example\.com/);
    expect(config).not.toContain('imageDigestSources');

    await succeeds(site, 'down', '--temporary', '--yes');

    const left = await leftovers(ctx, ground.lab.aws, site.name);
    expect(left.join('\n')).toMatch(/vpc-/);
    expect(left.join('\n')).not.toMatch(/instance|-bastion/);
    expect(existsSync(site.there)).toBe(false);
    await succeeds(site, 'down', '--yes');
    expect(await leftovers(ctx, ground.lab.aws, site.name)).toEqual([]);
  });

  test('disconnected runs the installer on the bastion with a login that is lent, and destroys from here', async () => {
    const site = await awsUpSite(ground);
    const calls = join(site.there, '.atoll/tools/calls');

    const { outputs } = await succeeds(site, 'up', '--to', 'config');
    expect(outputs.images.images).toBeGreaterThan(20);
    const lent = await stat(join(site.there, 'cloud-login'));
    expect(lent.mode & 0o777).toBe(0o600);
    await succeeds(site, 'up', '--only', 'cluster', '--skip-rehearsal');

    expect(await readFile(calls, 'utf8')).toMatch(
      /^create manifests 1\ncreate cluster 1\nwait-for/,
    );
    const cluster = join(site.folder, '.atoll/install/cluster');
    expect(existsSync(join(cluster, 'auth/kubeconfig'))).toBe(true);
    await succeeds(site, 'up', '--only', 'cleanup');
    expect(existsSync(join(site.there, 'cloud-login'))).toBe(false);
    expect(existsSync(join(site.there, 'pull-secret.json'))).toBe(false);

    await succeeds(site, 'down', '--yes');

    const here = await readFile(join(site.folder, '.atoll/tools/calls'), 'utf8');
    expect(here).toMatch(/^destroy cluster/);
    expect(existsSync(cluster)).toBe(false);
    expect(await leftovers(ctx, ground.lab.aws, site.name)).toEqual([]);
    expect(existsSync(site.there)).toBe(false);
  });
});
