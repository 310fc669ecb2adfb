import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { PLATFORMS } from '../src/cli/platforms.ts';
import { type Context, recordingContext, silentContext } from '../src/core/context.ts';
import { toYaml } from '../src/core/yaml.ts';
import { takeDown } from '../src/site/down.ts';
import { type OpenSite, openSite } from '../src/site/open-site.ts';
import { readSite } from '../src/site/read-site.ts';
import { probeProxy } from '../src/site/stages/probe-proxy.ts';
import { bringUp } from '../src/site/up.ts';
import { freePort } from './support/docker-registry.ts';
import { labSiteParts, makeLabUpstream } from './support/lab-upstream.ts';
import { describeWithPeers } from './support/peers.ts';
import { type SiteChange, siteFolder } from './support/site.ts';
import { type Sshd, startSshd } from './support/sshd.ts';
import { tempDir } from './support/temp.ts';

vi.setConfig({ testTimeout: 180_000 });
const ctx = silentContext();
const CREDENTIAL = { CUSTOM_PROXY_CREDENTIAL: 'ci:a-long-password' };

describeWithPeers(['sshd', 'ssh', 'squid'], 'a private site', () => {
  let sshd: Sshd;
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.remove());

  /** A site whose bastion is reached over SSH, where squid is to run. */
  async function proxySite(change: SiteChange) {
    const port = await freePort();
    const there = `${await tempDir()}/site`;
    const { folder, site } = await siteFolder();
    const upstream = await makeLabUpstream(folder);
    onTestFinished(() => upstream.stop());
    const { port: sshPort, user, identity: privateKey, hostKeys } = sshd;
    const document = {
      ...labSiteParts(folder),
      name: `private-${port}`,
      mode: 'private',
      platform: { type: 'none' },
      bastion: {
        address: '127.0.0.1',
        port: sshPort,
        user,
        privateKey,
        hostKeys,
        directory: there,
      },
      proxy: { enabled: true, port },
      // The programs of the lab's release are its own.
      steps: { skip: ['tools'] },
      ...change,
    };
    await writeFile(site, toYaml(document));
    return { folder, site, port, there };
  }

  async function withSite<T>(path: string, task: (open: OpenSite) => Promise<T>, env = {}) {
    const site = await readSite(path, env, PLATFORMS);
    const open = await openSite(ctx, site, { PATH: process.env.PATH, ...env });
    try {
      return await task(open);
    } finally {
      await open.close();
    }
  }

  const up = (path: string, to: string, context: Context = ctx, env = {}) =>
    withSite(
      path,
      async (open) => {
        const result = await bringUp(context, open, { to });
        if (!result.succeeded) throw result.error;
        return result;
      },
      env,
    );
  const down = (path: string, temporary: boolean) =>
    withSite(path, (open) => takeDown(ctx, open, { temporary }));
  const statusOf = async (port: number, user?: string, password = '') =>
    (await probeProxy(ctx, port, 'upstream.invalid:443', user ? { user, password } : undefined))
      .status;

  test('without a mirror has its proxy on the bastion, and nodes that know no mirror', async () => {
    const { folder, site, port, there } = await proxySite({ registry: { type: 'none' } });
    const told = recordingContext();

    const { outputs } = await up(site, 'config', told, CREDENTIAL);

    expect(outputs.images).toMatchObject({
      images: 0,
      releaseImage: expect.stringContaining('@sha256:'),
    });
    expect(outputs.config?.releaseImage).toBe(outputs.images?.releaseImage);
    expect(await statusOf(port)).toBe(407);
    expect(await statusOf(port, 'ci', 'wrong')).toBe(407);
    expect(await statusOf(port, 'ci', 'a-long-password')).not.toBe(407);
    const url = `http://ci:a-long-password@127.0.0.1:${port}`;
    const shared = (name: string) => readFile(join(folder, '.atoll', 'shared', name), 'utf8');
    expect(await shared('proxy_private_url')).toBe(`${url}\n`);
    expect(await shared('proxy_public_url')).toBe(`${url}\n`);
    expect(await shared('custom_proxy_credential')).toBe('ci:a-long-password\n');
    expect(existsSync(join(folder, '.atoll', 'shared', 'mirror_registry_url'))).toBe(false);
    const config = parse(
      await readFile(join(folder, '.atoll/install/install-config.yaml'), 'utf8'),
    );
    expect(config.proxy).toEqual({ httpProxy: url, httpsProxy: url });
    expect(config).not.toHaveProperty('imageDigestSources');
    expect(config).not.toHaveProperty('additionalTrustBundle');
    expect((await stat(join(there, '.atoll/secrets/proxy.json'))).mode & 0o777).toBe(0o600);
    // Here nothing is reached through it, and that is said.
    const warnings = told.events.filter(({ type }) => type === 'warning.raised');
    expect(warnings).toContainEqual(expect.objectContaining({ subject: 'proxy' }));

    await down(site, true);

    await expect(statusOf(port)).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(there)).toBe(false);
    expect(existsSync(join(folder, '.atoll/install/install-config.yaml'))).toBe(true);
    await down(site, false);
  });

  test('with a mirror and a proxy keeps the login it made, and loses both with down', async () => {
    const mirrorPort = await freePort();
    const registry = { host: 'localhost', port: mirrorPort };
    const { folder, site, port } = await proxySite({ registry });
    await up(site, 'registry');
    const login = await readFile(join(folder, '.atoll/secrets/proxy.json'), 'utf8');
    const { user, password } = JSON.parse(login);
    expect(await statusOf(port, user, password)).not.toBe(407);

    // A second time it runs already, and nothing is new.
    await up(site, 'registry');
    expect(await readFile(join(folder, '.atoll/secrets/proxy.json'), 'utf8')).toBe(login);
    expect(await statusOf(port, user, password)).not.toBe(407);

    await down(site, false);
    await expect(statusOf(port)).rejects.toThrow('ECONNREFUSED');
    expect(existsSync(`/var/lib/atoll/proxy-private-${port}`)).toBe(false);
  });
});
